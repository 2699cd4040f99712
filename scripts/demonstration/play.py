"""The story, step by step, each step shown and checked."""

import json
import time

from parties import PERSON, TIME_TO_LIVE, message, post_push
from stage import Failed
from terminal import exchange, heading, masked, title

PHONE = "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad"
WIPED_PHONE = "dead" + PHONE[4:]  # the simulated Apple calls a token that begins like this unregistered
ALICE, BOB = "alice@pixels.example", "bob@pixels.example"


class Play:
    def __init__(self, stage, app):
        self.stage, self.app = stage, app
        self.checks = self.pushes = self.alerts = self.lines_seen = 0

    def run(self):
        """Plays it all; returns alice's and bob's subscriptions."""
        heading()
        title("1  The app registers both accounts of one phone, and hands endpoints and keys to Pixelfed")
        alice, bob = self.register(PHONE, ALICE), self.register(PHONE, BOB)

        title("2  Pixelfed sends a like for alice, encrypted; the phone gets an alert")
        first = self.push(alice, "like", badge=1, whole=True)
        title("3  A follow request for bob; the badge is the sum over the phone's accounts")
        self.push(bob, "follow_request", badge=2, whole=True)
        title("4  A comment for alice")
        self.push(alice, "comment", badge=3, whole=True)

        title("5  Another like of the same photo has the same collapse id: it replaces the first banner")
        self.push(alice, "like", badge=4, collapse_id=first["headers"]["apns-collapse-id"])
        title("6  The app says that alice has 7 unread; the next push makes that 8, and 1 is bob's")
        self.tell(alice, "unread", {"count": 7})
        self.push(alice, "mention", badge=9)
        title("7  The app turns alice's badges off; her alerts come without, bob's with his own 2")
        self.tell(alice, "badges", {"enabled": False})
        self.push(alice, "comment", badge=None)
        self.push(bob, "follow", badge=2)

        title("8  A phone was wiped: Apple says so, the relay forgets it, and 404 makes Pixelfed forget it")
        wiped = self.register(WIPED_PHONE, ALICE)
        self.push(wiped, "mention", badge=1, apple=410, status=404)
        self.push(wiped, "mention", apple=None, status=404)
        return alice, bob

    def register(self, device, account):
        status, answer = self.app.post("/subscribe", {"device_token": device, "account": account})
        exchange(["app: POST /subscribe", f'{{"device_token":"{masked(device)}",', f' "account":"{account}"}}'],
                 status, ["nothing"])
        self.check("the answer's status", status, 201)
        self.check("the answer's fields", sorted(answer), ["auth", "endpoint", "p256dh", "subscription_id"])
        self.check("the endpoint", answer["endpoint"], f"http://{self.stage.relay}/wp/{answer['subscription_id']}")
        self.check("requests to Apple", len(self.requests_to_apple()), 0)
        return {"device": device, "account": account, **answer}

    def tell(self, subscription, what, fields):
        identifier = subscription["subscription_id"]
        status, _ = self.app.post(f"/subscribe/{identifier}/{what}", fields)
        exchange([f"app: POST /subscribe/{masked(identifier)}/{what}", json.dumps(fields)], status, ["nothing"])
        self.check("the answer's status", status, 204)
        self.check("requests to Apple", len(self.requests_to_apple()), 0)

    def push(self, subscription, kind, *, badge=None, apple=200, status=201, whole=False, collapse_id=None):
        """Sends a push and checks both ends of it. `apple` is Apple's answer, or None where it must not be asked."""
        answered, octets = post_push(subscription, kind, self.stage.vapid_key)
        requests = self.requests_to_apple()
        sent = [f"Pixelfed: POST /wp/{masked(subscription['subscription_id'])}",
                f"{octets:,} octets, aes128gcm, TTL {TIME_TO_LIVE}"]
        if whole:
            sent += ["decrypted:", *json.dumps(message(kind), indent=2).splitlines()]
        else:
            sent.append(f"a {kind} for {subscription['account']}")
        received = [line for request in requests for line in described(request, whole)] or ["nothing"]
        exchange(sent, answered, received)
        self.pushes += 1
        self.check("the number of octets posted", octets, 2922)
        self.check("the relay's answer", answered, status)
        self.check("the number of requests to Apple", len(requests), 0 if apple is None else 1)
        if apple is None:
            return None
        request, = requests
        headers = request["headers"]
        self.check("Apple's answer", request["answer"]["status"], apple)
        self.check("the device that Apple was named", request["token"], subscription["device"])
        self.check("what Apple took for wrong", request["remarks"], [])
        self.check("apns-topic", headers["apns-topic"], self.stage.topic)
        self.check("apns-push-type", headers["apns-push-type"], "alert")
        self.check("apns-priority", headers["apns-priority"], "10")
        late = int(headers["apns-expiration"]) - time.time() - TIME_TO_LIVE
        self.check("whether apns-expiration is the TTL from now", abs(late) < 60, True)
        self.check("whether there is an apns-collapse-id", "apns-collapse-id" in headers, kind == "like")
        if collapse_id is not None:
            self.check("apns-collapse-id", headers["apns-collapse-id"], collapse_id)
        self.check("the badge", request["payload"]["aps"].get("badge"), badge)
        self.check("the JSON that Apple received", request["payload"], payload(subscription, kind, badge))
        self.alerts += apple == 200
        return request

    def requests_to_apple(self):
        """Those since the last time. The simulator writes its line before it answers, so none is missing here."""
        *lines, _unfinished = self.stage.apple_log.read_text().split("\n")
        new, self.lines_seen = lines[self.lines_seen:], len(lines)
        return [line for line in map(json.loads, new) if line["event"] == "request"]

    def check(self, what, got, wanted):
        self.checks += 1
        if got != wanted:
            raise Failed(f"{what} should be {wanted!r} but is {got!r}")


def payload(subscription, kind, badge):
    """What has to reach Apple, and nothing else."""
    sent = message(kind)
    aps = {"alert": {"title": sent["title"], "body": sent["body"]}, "sound": "default"}
    wanted = {"aps": aps, "notification_type": kind, "account_id": PERSON, "account": subscription["account"]}
    if badge is not None:
        aps["badge"] = badge
    if sent["status_id"] is not None:
        wanted["status_id"] = sent["status_id"]
    return wanted


def described(request, whole):
    """The lines of a request to Apple: all that matters, or only what a later step is about."""
    headers, answer = request["headers"], request["answer"]
    lines = [f"POST /3/device/{masked(request['token'])}"]
    if whole:
        lines += [f"{name}: {headers.get(name)}" for name in ("apns-topic", "apns-push-type", "apns-priority")]
    if "apns-collapse-id" in headers:
        lines.append(f"apns-collapse-id: {masked(headers['apns-collapse-id'])}")
    if whole:
        lines += json.dumps(request["payload"], indent=2, ensure_ascii=False).splitlines()
    elif answer["status"] == 200:
        badge = request["payload"]["aps"].get("badge")
        lines.append("no badge" if badge is None else f'"badge": {badge}')
    else:
        lines.append(f"and answers {answer['status']} {answer['reason']}")
    return lines
