"""The two that talk to the relay: the app, and Pixelfed, whose part pywebpush plays."""

import json
import urllib.error
import urllib.request

from pywebpush import WebPushException, webpush

TIME_TO_LIVE = 2_419_200  # Pixelfed's: 28 days
# Pixelfed's ids exceed what a number of JSON can be trusted to hold.
PERSON, PHOTO = "961576165188272129", "988149955134320972"
TEXTS = {
    "like": ("New Like", "carol liked your post"),
    "comment": ("New Comment", "dan: Très beau !"),
    "mention": ("New Mention", "erin mentioned you"),
    "follow": ("New Follower", "frank followed you"),
    "follow_request": ("New Follow Request", "frank wants to follow you"),
}


class App:
    """Calls the relay's routes with the token that ships inside the app."""

    def __init__(self, relay, token):
        self.relay, self.token = relay, token

    def post(self, path, fields):
        """The status of the answer and its fields."""
        request = urllib.request.Request(self.relay + path, json.dumps(fields).encode(), method="POST", headers={
            "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return answer.status, json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            return error.code, {}


def message(kind):
    title, body = TEXTS[kind]
    return {"notification_type": kind, "title": title, "body": body, "account_id": PERSON,
            "status_id": None if kind.startswith("follow") else PHOTO}


class PaddedText(bytes):
    """A text that encryption brings to Pixelfed's length, with zeros behind the delimiter (RFC 8188, section 2).

    http_ece slices the text into records and adds the delimiter to each; padding is not among its options.
    """

    def __getitem__(self, part):
        return PaddedText(super().__getitem__(part))

    def __add__(self, delimiter):
        return (bytes(self) + delimiter).ljust(2820, b"\0")


def post_push(subscription, kind, vapid_key):
    """Encrypts and posts as Pixelfed does; the status of the answer, and how many octets were posted."""
    # Like PHP's json_encode: \u escapes, and a backslash before each slash.
    text = PaddedText(json.dumps(message(kind)).replace("/", "\\/").encode())
    receiver = {"endpoint": subscription["endpoint"],
                "keys": {"p256dh": subscription["p256dh"], "auth": subscription["auth"]}}
    try:
        answer = webpush(receiver, text, ttl=TIME_TO_LIVE, headers={"Content-Type": "application/octet-stream"},
                         vapid_private_key=str(vapid_key), vapid_claims={"sub": "https://pixels.example"}, timeout=10)
    except WebPushException as error:  # any status above 202
        if error.response is None:
            raise
        answer = error.response
    return answer.status_code, len(answer.request.body)
