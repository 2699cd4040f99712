"""What schemathesis cannot know of the relay's requests: what makes those right that are right in their form.

The schemas say how a value is written. That a key is a point on the curve, how many octets a text has, or that a message
is encrypted for the subscription that it is sent to, is more than they can say: so a request that is meant to be right is
made right here. Wrong ones stay wrong, no check is weakened, and nothing is left out.
"""

import base64
import json
import os

import http_ece
import schemathesis
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

# The relay's limits, in octets of UTF-8 and in octets as JSON is written, where the worst character takes 12.
LONGEST_TEXT, LONGEST_NAME, LONGEST_BODY = 256, 256 // 12, 8_192
KNOWN = {"device_token", "label", "account", "environment", "vapid_key", "count", "enabled"}
# Those that were registered, with the keys that an instance would be given.
SUBSCRIPTIONS = {}


def base64url(octets):
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")


def octets_of(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key):
    form = serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    return key.public_key().public_bytes(*form)


def new_key():
    return ec.generate_private_key(ec.SECP256R1())


@schemathesis.check
class EveryOperationIsDone:
    """A run in which an operation was only ever refused has seen nothing of it."""

    def __init__(self):
        self.tried, self.done = set(), set()

    def after_response(self, context, response, case):
        self.tried.add(case.operation.label)
        if 200 <= response.status_code < 300:
            self.done.add(case.operation.label)

    def after_run(self, context):
        missing = sorted(self.tried - self.done)
        assert not missing, f"never done: {', '.join(missing)}"


@schemathesis.hook
def after_call(context, case, response):
    if case.operation.label == "POST /subscribe" and response.status_code == 201:
        answer = response.json()
        SUBSCRIPTIONS[answer["subscription_id"]] = octets_of(answer["p256dh"]), octets_of(answer["auth"])


@schemathesis.hook
def before_call(context, case, kwargs):
    # What is too long is refused for that, right or wrong; members that are ignored anyway are what makes it so long.
    if isinstance(case.body, dict) and len(json.dumps(case.body)) > LONGEST_BODY:
        case.body = {name: value for name, value in case.body.items() if name in KNOWN}
    if case.method != case.operation.method.upper() or not case.meta.generation.mode.is_positive:
        return
    if case.operation.label == "POST /wp/{id}":
        encrypt(case)
    elif isinstance(case.body, dict):
        case.body = with_short_names(case.body)
        if case.operation.label == "POST /subscribe":
            make_registrable(case.body)


def with_short_names(value):
    if isinstance(value, list):
        return [with_short_names(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name[:LONGEST_NAME]: with_short_names(item) for name, item in value.items()}


def make_registrable(body):
    # Of two registrations with one token the second may end the first. Apple refuses some of those that begin otherwise.
    octets = len(body["device_token"]) // 2
    body["device_token"] = "AB" + os.urandom(octets - 1).hex()
    for name in ("label", "account"):
        if body.get(name) is not None:
            body[name] = body[name].encode()[:LONGEST_TEXT].decode(errors="ignore")
    if body.get("vapid_key") is not None:
        padding = "=" * body["vapid_key"].count("=")
        body["vapid_key"] = base64url(point(new_key())) + padding


def encrypt(case):
    """A message that no other call sends; for nobody where the subscription is not known."""
    coding = case.headers.get("Content-Encoding", "aes128gcm")
    receiver, secret = SUBSCRIPTIONS.get(case.path_parameters["id"]) or (point(new_key()), bytes(16))
    text = json.dumps({"title": "A test", "body": os.urandom(8).hex()}).encode()
    salt, key = os.urandom(16), new_key()
    case.body = http_ece.encrypt(text, salt=salt, private_key=key, dh=receiver, auth_secret=secret, version=coding)
    # Fields of the old coding beside the new one are refused.
    for name in ("Encryption", "Crypto-Key"):
        case.headers.pop(name, None)
    if coding == "aesgcm":
        case.headers["Encryption"] = f"salt={base64url(salt)}"
        case.headers["Crypto-Key"] = f"dh={base64url(point(key))}"
