"""Holds the simulated Pixelfed to what pixelfed#6974 does, with http_ece as the receiver.

    /usr/bin/python3 -m unittest discover Tests/Simulators
"""

import base64
import json
import subprocess
import sys
import threading
import time
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HERE = Path(__file__).resolve().parent
# What scripts/setup installs there is Python alone.
sys.path += map(str, HERE.parents[1].glob(".build/python/lib/python3.*/site-packages"))
try:
    import http_ece
except ImportError:
    http_ece = None

ORIGIN = "https://push.example.org"
SUBSCRIPTION = "/api/v1/push/subscription"


def encode(octets):
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")


class PushService:
    """Takes whatever is posted, and answers 201 or what it is told: a status, or None to hang up."""

    def __init__(self):
        self.posts, self.answers = [], []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.posts.append((self.path, dict(self.headers), body))
                status = service.answers.pop(0) if service.answers else 201
                if status:
                    self.send_response(status)
                    self.send_header("Location", "/elsewhere")
                    self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Keys:
    """What a push service makes for a subscription."""

    def __init__(self, name):
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), b"sixteen octets.."
        self.endpoint = f"{ORIGIN}/wp/{name}"
        self.p256dh = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def fields(self, **changes):
        keys = {"p256dh": encode(self.p256dh), "auth": encode(self.auth)}
        return {"endpoint": self.endpoint, "keys": keys, **changes}

    def text(self, body):
        return http_ece.decrypt(body, private_key=self.key, auth_secret=self.auth, version="aes128gcm").rstrip(b"\0")


class PixelfedCase(unittest.TestCase):
    options = ()

    def setUp(self):
        self.service = PushService()
        self.addCleanup(self.service.close)
        self.process = subprocess.Popen([sys.executable, str(HERE / "pixelfed_simulator.py"), *self.options],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.process.communicate)  # closes the input, which ends it
        self.ready = self.line()
        self.command(f"route {ORIGIN} {self.service.address}")
        self.token = self.sign_in("alice")

    def line(self):
        return json.loads(self.process.stdout.readline())

    def say(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.line()

    def command(self, command):
        line = self.say(command)
        self.assertEqual((line.pop("event"), line.pop("command")), ("done", command))
        return line

    def sign_in(self, user, scopes="read push"):
        return self.command(f"sign-in {user} {scopes}")["token"]

    def call(self, method, path, body=None, token=None, kind="application/json", accept="application/json"):
        headers = {"Content-Type": kind, "Accept": accept}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        request = urllib.request.Request(self.ready["address"] + path, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def register(self, fields, token=None):
        return self.call("POST", SUBSCRIPTION, json.dumps({"subscription": fields}).encode(), token or self.token)

    def registered(self, name, token=None):
        keys = Keys(name)
        self.assertEqual(self.register(keys.fields(), token)[0], 200)
        return keys

    def endpoints(self, user="alice"):
        return [endpoint.rpartition("/")[2] for endpoint in
                self.command(f"subscriptions {user}")["endpoints"]]


class Registration(PixelfedCase):
    def test_the_instance_publishes_its_key(self):
        status, instance = self.call("GET", "/api/v2/instance")
        self.assertEqual((status, instance["configuration"]["vapid"]["public_key"]), (200, self.ready["vapid"]))
        self.assertEqual(len(self.ready["vapid"]), 87)

    def test_a_form_and_json_say_the_same(self):
        alerts = {"follow": True, "favourite": True, "mention": True, "reblog": False, "poll": False, "status": False}
        form = {"subscription[endpoint]": Keys("a").endpoint, "subscription[keys][p256dh]": encode(Keys("a").p256dh),
                "subscription[keys][auth]": "c2l4dGVlbiBvY3RldHM", "subscription[standard]": "true",
                "data[alerts][follow]": "false"}
        answers = [self.call("POST", SUBSCRIPTION, urlencode(form).encode(), self.token,
                             "application/x-www-form-urlencoded; charset=utf-8"), self.register(Keys("b").fields())]
        self.assertEqual(answers, [(200, {
            "id": number, "endpoint": f"{ORIGIN}/wp/{name}", "standard": True, "alerts": alerts,
            "server_key": self.ready["vapid"]}) for number, name in [("1", "a"), ("2", "b")]])

    def test_who_may_not(self):
        body = json.dumps({"subscription": Keys("a").fields()}).encode()
        revoked = self.sign_in("alice")
        self.command(f"revoke {revoked}")
        for token in (None, "x", revoked):
            for method in ("POST", "DELETE"):
                self.assertEqual(self.call(method, SUBSCRIPTION, body, token), (401, {"error": "Unauthenticated."}))
        self.assertEqual(self.call("POST", SUBSCRIPTION, body, accept="*/*"), (401, {"message": "Unauthenticated."}))
        token = self.sign_in("alice", "read write")
        self.assertEqual(self.call("POST", SUBSCRIPTION, body, token), (403, {"error": ""}))
        self.assertEqual(self.call("DELETE", SUBSCRIPTION, body, token), (403, {"error": ""}))

    def test_other_paths_and_methods(self):
        self.assertEqual(self.call("GET", "/api/v1/push")[0], 404)
        self.assertEqual(self.call("GET", SUBSCRIPTION, token=self.token)[0], 405)

    def test_what_is_not_valid(self):
        good = Keys("a")
        long = f"{ORIGIN}/wp/" + "a" * (500 - len(f"{ORIGIN}/wp/"))
        for endpoint, reason in (
            ("http://push.example.org/wp/a", "must use https"), ("/wp/a", "not a valid absolute URL"),
            ("https://[::1/wp/a", "not a valid absolute URL"),
            ("https://a:b@push.example.org/wp/a", "must not contain embedded credentials"),
            ("https://127.0.0.1/wp/a", "resolves to a private or reserved address"),
            ("https://[fd00::1]/wp/a", "resolves to a private or reserved address"),
            ("https://push.example.com/wp/a", "host could not be resolved"),
            (long + "a", "field must not be greater than 500 characters"), ("", "field is required"),
            (None, "field is required"), (7, "field must be a string"), ({}, "field must be a string"),
        ):
            message = f"The subscription.endpoint {reason}."
            self.assertEqual(self.register(good.fields(endpoint=endpoint)), (422, {
                "message": message, "errors": {"subscription.endpoint": [message]}}), endpoint)
        self.assertEqual(self.register(good.fields(endpoint=long))[0], 200)
        for key, auth, names in (("k" * 192, "a", ["p256dh"]), ("k", "a" * 192, ["auth"]),
                                 (None, None, ["p256dh", "auth"])):
            status, answer = self.register(good.fields(keys={"p256dh": key, "auth": auth}))
            self.assertEqual((status, list(answer["errors"])), (422, [f"subscription.keys.{name}" for name in names]))
        # Keys are looked at when something is sent, and no earlier.
        self.assertEqual(self.register(good.fields(keys={"p256dh": "k" * 191, "auth": "a"}))[0], 200)
        status, answer = self.call("POST", SUBSCRIPTION, b"{", self.token)
        self.assertEqual(status, 422)
        self.assertEqual(answer["message"], "The subscription.endpoint field is required. (and 2 more errors)")

    def test_a_user_has_ten_and_the_oldest_goes(self):
        for number in range(11):
            self.registered(f"{number}", self.sign_in("alice"))
        self.assertEqual(self.endpoints(), [f"{number}" for number in range(1, 11)])
        self.registered("5")
        self.assertEqual(self.endpoints(), [f"{number}" for number in range(1, 11)])

    def test_an_endpoint_is_one_users(self):
        self.registered("a")
        self.registered("a", self.sign_in("bob"))
        self.assertEqual((self.endpoints(), self.endpoints("bob")), ([], ["a"]))

    def test_a_client_deletes_its_own(self):
        other = self.sign_in("alice")
        self.registered("a"), self.registered("b"), self.registered("c", other)
        for _ in range(2):
            self.assertEqual(self.call("DELETE", SUBSCRIPTION, token=self.token), (200, []))
            self.assertEqual(self.endpoints(), ["c"])

    def test_an_answer_can_be_ordered(self):
        self.command("answer 503 2")
        self.assertEqual([self.call("GET", "/api/v2/instance")[0] for _ in range(3)], [503, 503, 200])
        self.assertEqual(self.say("sing alice")["event"], "error")


class Sending(PixelfedCase):
    @unittest.skipUnless(http_ece, "needs http_ece in .build/python")
    def test_what_is_sent(self):
        keys = self.registered("a")
        report = self.command("notify alice like Żółw/🐢 961576165188272129 988149955134320972")
        self.assertEqual(report, {"tries": 1, "given_up": False,
                                  "posts": [{"try": 1, "endpoint": keys.endpoint, "status": 201}]})
        (path, headers, body), = self.service.posts
        self.assertEqual((path, len(body)), ("/wp/a", 2922))
        self.assertEqual([headers[name] for name in ("Host", "Content-Encoding", "Content-Length", "TTL")],
                         ["push.example.org", "aes128gcm", "2922", "2419200"])
        self.assertFalse({"Urgency", "Topic"} & set(headers))
        text = keys.text(body)
        self.assertIn(rb"\u017b\u00f3\u0142w\/\ud83d\udc22", text)
        self.assertEqual(json.loads(text), {
            "notification_type": "like", "title": "New Like", "body": "Żółw/🐢 liked your post",
            "account_id": "961576165188272129", "status_id": "988149955134320972"})
        token, key = headers["Authorization"].removeprefix("vapid t=").split(", k=")
        self.assertEqual(key, self.ready["vapid"])
        point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), base64.urlsafe_b64decode(key + "="))
        claims = jwt.decode(token, point, algorithms=["ES256"], audience=ORIGIN)
        self.assertEqual(claims["sub"], "https://pixels.example")
        self.assertLessEqual(claims["exp"], time.time() + 12 * 3600)

    @unittest.skipUnless(http_ece, "needs http_ece in .build/python")
    def test_ids_may_be_missing(self):
        keys = self.registered("a")
        for command, ids in (("follow bob 7", ("7", None)), ("share bob - 8", (None, "8"))):
            self.command(f"notify alice {command}")
            message = json.loads(keys.text(self.service.posts[-1][2]))
            self.assertEqual((message["account_id"], message["status_id"]), ids)
        self.assertEqual(message["title"], "New notification")

    def test_what_an_answer_does(self):
        for status, tries, kept in ((200, 1, True), (204, 1, True), (302, 1, True), (404, 1, False), (410, 1, False),
                                    (400, 2, True), (403, 2, True), (429, 2, True), (503, 2, True), (None, 2, True)):
            self.registered("a")
            self.service.answers = [status]
            report = self.command("notify alice like bob")
            self.assertEqual((report["tries"], report["given_up"]), (tries, False), status)
            self.assertEqual(report["posts"][0].get("status"), status)
            self.assertEqual(self.endpoints(), ["a"] if kept else [], status)

    def test_a_failure_has_everyone_told_again_and_is_given_up_after_three(self):
        self.registered("a"), self.registered("b")
        self.service.answers = [201, 500, 201, 502, 201, 503]
        report = self.command("notify alice like bob")
        self.assertEqual((report["tries"], report["given_up"]), (3, True))
        self.assertEqual([post["status"] for post in report["posts"]], [201, 500, 201, 502, 201, 503])
        self.assertEqual(len({body for _, _, body in self.service.posts}), 6)
        self.assertEqual(self.endpoints(), ["a", "b"])

    def test_a_name_that_does_not_resolve_is_skipped(self):
        self.registered("a")
        self.command(f"route {ORIGIN}")
        self.assertEqual(self.command("notify alice like bob"), {"tries": 1, "given_up": False, "posts": []})

    def test_a_key_that_is_none_is_found_out_now(self):
        self.register(Keys("a").fields(keys={"p256dh": "BBBB", "auth": "a"}))
        report = self.command("notify alice like bob")
        self.assertEqual((report["tries"], report["given_up"], self.service.posts), (3, True, []))

    def test_nobody_there(self):
        self.registered("a")
        self.command(f"route {ORIGIN} 127.0.0.1:1")
        self.assertTrue(self.command("notify alice like bob")["given_up"])
        self.assertEqual(self.command("notify carol like bob")["posts"], [])


class WithoutKeys(PixelfedCase):
    options = ("--without-vapid",)

    def test_nobody_can_register(self):
        self.assertIsNone(self.call("GET", "/api/v2/instance")[1]["configuration"]["vapid"]["public_key"])
        self.assertEqual(self.register(Keys("a").fields()), (
            404, {"error": "Push notifications are not supported on this server."}))


if __name__ == "__main__":
    unittest.main()
