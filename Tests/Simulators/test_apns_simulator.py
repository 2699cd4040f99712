"""Holds the simulated Apple to Apple's rules, with curl as the client and PyJWT as the signer.

    /usr/bin/python3 -m unittest discover Tests/Simulators
"""

import json
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import jwt

HERE = Path(__file__).resolve().parent
SIMULATOR = [sys.executable, str(HERE / "apns_simulator.py")]
TOKEN = "ab" * 32
GOOD = b'{"aps":{"alert":{"title":"t","body":"b"},"badge":3,"sound":"default"},"account":"alice@pixels.example"}'


def padded(prefix):
    return prefix.ljust(64, "0")


class Simulator:
    """A running simulator; lines are read one by one, so every wait is for a line and never for a time."""

    def __init__(self, *arguments, directory=None):
        self.kept = tempfile.TemporaryDirectory() if directory is None else None
        self.directory = Path(directory or self.kept.name)
        self.process = subprocess.Popen([*SIMULATOR, "--directory", str(self.directory), *arguments],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = self.next("ready")
        self.key = Path(self.ready["key"]).read_text()

    def next(self, event):
        for line in self.process.stdout:
            fields = json.loads(line)
            if fields["event"] == event:
                return fields
        raise AssertionError(f"the simulator ended before a {event!r} line")

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def command(self, command):
        self.tell(command)
        return self.next("done")

    def close(self):
        rest, _ = self.process.communicate()  # closes the input, which ends it
        if self.kept:
            self.kept.cleanup()
        return [json.loads(line) for line in rest.splitlines()]

    def provider_token(self, header=None, key=None, **claims):
        now = int(time.time())
        claims = {"iss": self.ready["team_id"], "iat": now, **claims}
        token = jwt.encode(claims, key or self.key, algorithm="ES256", headers={"kid": self.ready["key_id"],
                                                                              "typ": None, **(header or {})})
        return "bearer " + token

    def curl(self, token=TOKEN, payload=GOOD, path=None, method="POST", host="localhost", http="--http2", drop=(),
             extra=(), **headers):
        """The arguments of one request; keyword arguments replace headers, `drop` leaves some out."""
        fields = {
            "authorization": headers.pop("authorization", None) or self.provider_token(),
            "apns-topic": self.ready["topic"], "apns-push-type": "alert", "apns-priority": "10",
            "apns-expiration": str(int(time.time()) + 3600), "content-type": "application/json",
        }
        fields.update({name.replace("_", "-"): value for name, value in headers.items()})
        port = self.ready["port"]
        arguments = ["curl", "-sS", "-i", "--path-as-is", "--noproxy", "*", "--max-time", "30", http,
                     "--cacert", self.ready["ca"], "-X", method, "--data-binary", "@-"]
        for name, value in [*fields.items(), *extra]:
            if name not in drop:
                arguments += ["-H", f"{name}: {value}"]
        return [*arguments, f"https://{host}:{port}{path or '/3/device/' + token}"], payload

    def start(self, **request):
        arguments, payload = self.curl(**request)
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdin.write(payload)
        process.stdin.close()
        process.stdin = None  # communicate() would flush it
        return process

    def post(self, **request):
        """(status, reason, headers, body octets, request line)."""
        arguments, payload = self.curl(**request)
        done = subprocess.run(arguments, input=payload, capture_output=True)
        return (*answer(done.stdout), self.next("request"))


def answer(octets):
    head, _, body = octets.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    status = int(re.match(r"HTTP/\S+ (\d+)", lines[0])[1])
    headers = dict(line.split(": ", 1) for line in lines[1:])
    try:
        reason = json.loads(body)["reason"] if body else None
    except (ValueError, TypeError):
        reason = None
    return status, reason, headers, body


class SimulatorCase(unittest.TestCase):
    arguments = ()

    @classmethod
    def setUpClass(cls):
        cls.apple = Simulator(*cls.arguments)

    @classmethod
    def tearDownClass(cls):
        cls.apple.close()

    def refused(self, status, reason, **request):
        got = self.apple.post(**request)
        self.assertEqual(got[:2], (status, reason), got[4])
        self.assertEqual(got[4]["answer"]["status"], status)
        self.assertEqual(got[4]["answer"]["reason"], reason)
        return got

    def accepted(self, **request):
        return self.refused(200, None, **request)


class Requests(SimulatorCase):
    def test_a_good_request_is_accepted_and_recorded(self):
        message_id = str(uuid.uuid4())
        _, _, headers, body, line = self.accepted(apns_id=message_id)
        self.assertEqual((headers["apns-id"], body), (message_id, b""))
        self.assertEqual(line["token"], TOKEN)
        self.assertEqual(line["payload"], json.loads(GOOD))
        self.assertEqual(line["payload_octets"], len(GOOD))
        self.assertEqual(line["headers"]["authorization"], "valid")
        self.assertEqual(line["headers"]["apns-topic"], "pixels.example.app")
        self.assertEqual(line["jwt"]["header"], {"alg": "ES256", "kid": "ABC123DEFG"})
        self.assertEqual(line["jwt"]["claims"]["iss"], "DEF123GHIJ")
        self.assertEqual(line["jwt"]["signature_octets"], 64)
        self.assertEqual(line["remarks"], [])

    def test_an_answer_has_an_id_even_when_the_request_had_none(self):
        identifiers = {self.accepted()[2]["apns-id"] for _ in range(2)}
        self.assertEqual({str(uuid.UUID(identifier)) for identifier in identifiers}, identifiers)
        self.assertEqual(len(identifiers), 2)

    def test_methods_and_paths(self):
        self.refused(405, "MethodNotAllowed", method="PUT")
        for path in ("/", "/3/devices/" + TOKEN, "/2/device/" + TOKEN, f"/3/device/{TOKEN}/x"):
            self.refused(404, "BadPath", path=path)
        self.refused(400, "MissingDeviceToken", path="/3/device/")
        for token in ("AB" * 32, "ab" * 32 + "c", "ab" * 7, "ab" * 201, "xy" * 32, TOKEN + "?a=b"):
            self.refused(400, "BadDeviceToken", token=token)
        for token in ("ab" * 8, "ab" * 200):
            self.accepted(token=token)

    def test_provider_tokens(self):
        apple, now = self.apple, int(time.time())
        stranger = subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
                                  capture_output=True, text=True, check=True).stdout
        good = apple.provider_token()
        head, claims, signature = good.removeprefix("bearer ").split(".")
        self.refused(403, "MissingProviderToken", drop=["authorization"])
        self.refused(403, "ExpiredProviderToken", authorization=apple.provider_token(iat=now - 3700))
        self.accepted(authorization=apple.provider_token(iat=now - 3500))
        for wrong in (
            apple.provider_token(iat=now + 3700), apple.provider_token(iat=str(now)),
            apple.provider_token(iat=now + 0.5), apple.provider_token(iat=True), apple.provider_token(iss="OTHERTEAM1"),
            apple.provider_token(header={"kid": "OTHERKEY01"}), apple.provider_token(key=stranger),
            "bearer " + jwt.encode({"iss": "DEF123GHIJ", "iat": now}, "k", "HS256", {"kid": "ABC123DEFG"}),
            good + "==", good[:-4], good.replace(".", "", 1), "bearer x.y.z", "bearer", "Basic YTpi",
            f"bearer {head}.{claims}.", f"bearer {claims}.{head}.{signature}",
        ):
            self.refused(403, "InvalidProviderToken", authorization=wrong)

    def test_the_default_type_in_a_token_is_only_remarked(self):
        line = self.accepted(authorization=self.apple.provider_token(header={"typ": "JWT"}))[4]
        self.assertEqual(line["remarks"], ["JWT header has 'typ'"])

    def test_headers(self):
        now = int(time.time())
        self.refused(400, "MissingTopic", drop=["apns-topic"])
        self.refused(400, "BadTopic", apns_topic="pixels example")
        self.refused(400, "DeviceTokenNotForTopic", apns_topic="pixels.example.other")
        self.refused(400, "InvalidPushType", drop=["apns-push-type"])
        self.refused(400, "InvalidPushType", apns_push_type="background")
        for priority in ("0", "7", "high", "010"):
            self.refused(400, "BadPriority", apns_priority=priority)
        for priority in ("1", "5"):
            self.accepted(apns_priority=priority)
        for expiration in ("300", "-1", "1e9", str(now * 1000), "+" + str(now), "9" * 40):
            self.refused(400, "BadExpirationDate", apns_expiration=expiration)
        self.accepted(apns_expiration="0")
        self.accepted(drop=["apns-expiration", "apns-priority"])
        self.refused(400, "BadCollapseId", apns_collapse_id="c" * 65)
        self.refused(400, "BadCollapseId", apns_collapse_id="é" * 33)
        self.accepted(apns_collapse_id="c" * 64)
        for message_id in ("x", str(uuid.uuid4()).upper(), uuid.uuid4().hex):
            self.refused(400, "BadMessageId", apns_id=message_id)
        for name in ("apns-topic", "apns-id", "authorization"):
            self.refused(400, "DuplicateHeaders", extra=[(name, "1"), (name, "2")])

    def test_payloads(self):
        self.refused(400, "PayloadEmpty", payload=b"")
        start, end = b'{"aps":{"alert":{"title":"t","body":"', b'"}}}'
        full = start + b"x" * (4096 - len(start) - len(end)) + end
        self.assertEqual(self.accepted(payload=full)[4]["payload_octets"], 4096)
        self.refused(413, "PayloadTooLarge", payload=full + b" ")
        self.refused(413, "PayloadTooLarge", payload=full * 40)

    def test_a_payload_that_shows_nothing_is_accepted_with_remarks(self):
        for payload, remark in (
            (b"{", "not JSON"), (b"\xff", "not JSON"), (b"[" * 4000, "not JSON"), (b"[]", "no aps"),
            (b'{"aps":{"alert":"t"}}', "not an object"), (b'{"aps":{"alert":{"title":"t"}}}', "alert.body"),
            (b'{"aps":{"alert":{"title":"t","body":"b"},"badge":-1}}', "badge"),
            (b'{"aps":{"alert":{"title":"t","body":"b"},"badge":true}}', "badge"),
            (b'{"aps":{"alert":{"title":"t","body":"b"},"account":"a"}}', "'account'"),
            (b'{"aps":{"alert":{"title":"t","body":"b"}},"a":1,"a":2}', "twice"),
        ):
            self.assertIn(remark, " ".join(self.accepted(payload=payload)[4]["remarks"]), payload[:60])
        self.assertIn("content-encoding", self.accepted(extra=[("content-encoding", "gzip")])[4]["remarks"][0])


class MagicTokens(SimulatorCase):
    def test_every_listed_reason_is_answered(self):
        rows = json.loads(subprocess.run([*SIMULATOR, "--list-reasons"], capture_output=True, check=True).stdout)
        self.assertGreater(len(rows), 40)
        for row in rows:
            _, _, headers, body, _ = self.refused(row["status"], row["reason"], token=padded(row["prefix"]))
            self.assertIn("apns-id", headers)
            if row["status"] == 410:
                self.assertLess(abs(json.loads(body)["timestamp"] / 1000 - time.time()), 60)
        self.assertEqual(self.apple.post(token=padded("c0deff"))[:2], (501, "NoSuchRow"))

    def test_tokens_that_died(self):
        self.refused(400, "BadDeviceToken", token=padded("bad0"))
        self.assertGreater(json.loads(self.refused(410, "Unregistered", token=padded("dead"))[3])["timestamp"],
                           (time.time() - 60) * 1000)
        self.assertEqual(json.loads(self.refused(410, "Unregistered", token=padded("01d"))[3])["timestamp"],
                         1_577_836_800_000)

    def test_the_first_requests_fail_for_each_token_alone(self):
        for end in ("a", "b"):
            for _ in range(2):
                self.refused(503, "ServiceUnavailable", token=padded("fa112" + end))
            self.accepted(token=padded("fa112" + end))

    def test_a_refused_request_does_not_count_as_one_of_the_first(self):
        self.refused(400, "PayloadEmpty", token=padded("fa111c"), payload=b"")
        self.refused(503, "ServiceUnavailable", token=padded("fa111c"))
        self.accepted(token=padded("fa111c"))

    def test_unreadable_answers(self):
        statuses = {digit: self.apple.post(token=padded("0bad" + digit)) for digit in "0123456789abcdef"}
        self.assertEqual([got[0] for got in statuses.values()],
                         [500, 400, 403, 410, 410, 400, 410, 410, 410, 400, 400, 301, 400, 200, 410, 503])
        self.assertIn("html", statuses["0"][2]["content-type"])
        self.assertEqual([statuses["1"][3], statuses["3"][3]], [b"", b""])
        self.assertIn(b"\xff", statuses["2"][3])
        self.assertGreater(len(statuses["5"][3]), 1 << 20)
        self.assertEqual(statuses["f"][2]["retry-after"], "120")

    def test_a_slow_answer_comes(self):
        self.accepted(token=padded("510e0050"))

    def test_answers_that_are_none(self):
        for prefix, code in (("c105", (16, 18, 52, 55, 56)), ("4e5e2f", (92,))):
            process = self.apple.start(token=padded(prefix))
            self.assertIsNone(self.apple.next("request")["answer"]["status"])
            process.communicate()
            self.assertIn(process.returncode, code, prefix)
        process = self.apple.start(token=padded("0ff0"))
        self.assertEqual(self.apple.next("request")["answer"]["how"], "hang")
        process.terminate()
        process.communicate()

    def test_a_stream_refused_once_may_be_repeated(self):
        process = self.apple.start(token=padded("4e5e71"))  # 7 is REFUSED_STREAM: curl repeats it by itself
        self.assertEqual(self.apple.next("request")["answer"]["how"], "reset")
        self.assertEqual(self.apple.next("request")["answer"]["status"], 200)
        self.assertEqual(answer(process.communicate()[0])[0], 200)


class Commands(SimulatorCase):
    def test_a_held_request_waits_for_its_release(self):
        first = self.apple.start(token=padded("401d410"))
        self.assertEqual(self.apple.next("request")["answer"]["how"], "hold")
        second = self.apple.start(token=padded("401d410"))
        self.assertEqual(self.apple.next("request")["answer"]["reason"], "Unregistered")
        self.accepted()  # others are not held up
        self.assertIsNone(first.poll())
        self.apple.command("release " + padded("401d410"))
        self.assertEqual(answer(first.communicate()[0])[:2], (410, "Unregistered"))
        self.assertIsNone(second.poll())
        self.apple.command("release " + padded("401d410"))
        self.assertEqual(answer(second.communicate()[0])[:2], (410, "Unregistered"))
        self.apple.tell("release " + padded("401d410"))
        self.assertIn("held", self.apple.next("error")["message"])

    def test_a_held_request_may_be_accepted_in_the_end(self):
        process = self.apple.start(token=padded("401d200"))
        self.apple.next("request")
        self.apple.command("release " + padded("401d200"))
        self.assertEqual(answer(process.communicate()[0])[0], 200)

    def test_answers_can_be_ordered(self):
        token = padded("aa")
        self.apple.command(f"answer {token} 503 Shutdown")
        self.refused(503, "Shutdown", token=token)
        self.refused(503, "Shutdown", token=token)
        self.apple.command(f"answer {token} -")
        self.accepted(token=token)
        self.apple.command(f"answer {token} 403 ExpiredProviderToken 1")
        self.refused(403, "ExpiredProviderToken", token=token)
        self.accepted(token=token)
        for nonsense in ("answer", f"answer {token} many", f"answer {token} 503 X 0", "dance"):
            self.apple.tell(nonsense)
            self.assertEqual(self.apple.next("error")["command"], nonsense)

    def test_a_graceful_goaway_lets_held_requests_end(self):
        process = self.apple.start(token=padded("401d503"))
        request = self.apple.next("request")
        self.apple.command("goaway")
        self.apple.command("release " + padded("401d503"))
        self.assertEqual(answer(process.communicate()[0])[:2], (503, "ServiceUnavailable"))
        self.assertEqual(self.apple.next("closed")["connection"], request["connection"])

    def test_a_reset_drops_held_requests(self):
        process = self.apple.start(token=padded("401d200"))
        request = self.apple.next("request")
        self.apple.command("reset")
        self.assertEqual(self.apple.next("closed")["connection"], request["connection"])
        process.communicate()
        self.assertNotEqual(process.returncode, 0)

    def test_a_goaway_that_leaves_the_request_out_closes_the_connection(self):
        process = self.apple.start(token=padded("90a4"))
        request = self.apple.next("request")
        self.assertEqual(request["answer"]["how"], "goaway")
        self.assertEqual(self.apple.next("closed")["connection"], request["connection"])
        process.communicate()
        self.accepted(token=padded("90a4"))


class Load(unittest.TestCase):
    def many(self, count, *arguments):
        apple = Simulator(*arguments)
        request, payload = apple.curl()
        config = "".join(f'url = "{request[-1]}"\noutput = "/dev/null"\n' for _ in range(count))
        with tempfile.NamedTemporaryFile("w") as urls, tempfile.NamedTemporaryFile() as body:
            urls.write(config)
            urls.flush()
            body.write(payload)
            body.flush()
            arguments = [part if part != "@-" else "@" + body.name for part in request[:-1] if part != "-i"]
            process = subprocess.Popen([*arguments, "--parallel", "--parallel-max", "90", "-K", urls.name],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            lines = [apple.next("request") for _ in range(count)]
            self.assertEqual(process.wait(), 0)
        apple.close()
        self.assertEqual({line["answer"]["status"] for line in lines}, {200})
        return lines

    def test_many_requests_share_one_connection(self):
        lines = self.many(600)
        self.assertEqual({line["connection"] for line in lines}, {1})

    def test_the_first_stream_limit_of_apple(self):
        self.many(100, "--first-stream-limit", "1")


class Frames(unittest.TestCase):
    """What curl hides: the windows and the limits, seen through a client that waits for every frame."""

    def connect(self, *arguments):
        self.apple = Simulator(*arguments)
        self.addCleanup(self.apple.close)
        tls = ssl.create_default_context(cafile=self.apple.ready["ca"])
        tls.set_alpn_protocols(["h2"])
        raw = socket.create_connection(("127.0.0.1", self.apple.ready["port"]), timeout=30)
        self.socket = tls.wrap_socket(raw, server_hostname="localhost")
        self.addCleanup(self.socket.close)
        self.client = h2.connection.H2Connection(h2.config.H2Configuration())
        self.client.initiate_connection()
        self.waiting = []

    def send(self, *streams, token=TOKEN):
        for stream in streams:
            self.client.send_headers(stream, [
                (":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                (":path", "/3/device/" + token), ("authorization", self.apple.provider_token()),
                ("apns-topic", "pixels.example.app"), ("apns-push-type", "alert")])
            self.client.send_data(stream, GOOD, end_stream=True)
        self.socket.sendall(self.client.data_to_send())

    def next(self, kind):
        while True:
            while self.waiting:
                event = self.waiting.pop(0)
                if isinstance(event, kind):
                    return event
            octets = self.socket.recv(65536)
            self.assertTrue(octets, f"closed before {kind.__name__}")
            self.waiting += self.client.receive_data(octets)
            self.socket.sendall(self.client.data_to_send())

    def test_a_large_answer_waits_for_the_window(self):
        self.connect()
        self.send(1, token=padded("0bad5"))
        received = 0
        while received < 65535:
            received += len(self.next(h2.events.DataReceived).data)
        self.assertEqual(received, 65535)
        self.send(3)  # the window of the connection is used up, but an answer without a body needs none
        self.assertEqual(self.next(h2.events.ResponseReceived).stream_id, 3)
        self.client.acknowledge_received_data(received, 1)
        self.socket.sendall(self.client.data_to_send())
        while received < 1 << 20:
            event = self.next(h2.events.DataReceived)
            received += len(event.data)
            self.client.acknowledge_received_data(event.flow_controlled_length, 1)
            self.socket.sendall(self.client.data_to_send())
        self.next(h2.events.StreamEnded)

    def test_a_stream_over_the_limit_is_refused_and_the_limit_rises_after_a_valid_token(self):
        self.connect("--first-stream-limit", "1")
        limits = self.next(h2.events.RemoteSettingsChanged).changed_settings
        self.assertEqual(limits[3].new_value, 1)  # 3 is MAX_CONCURRENT_STREAMS
        self.client.remote_settings[3] = 10  # a client that has not yet heard of the limit
        self.client.remote_settings.acknowledge()
        self.client.send_headers(1, [(":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
                                     (":path", "/3/device/" + TOKEN)])
        self.send(3)
        refused = self.next(h2.events.StreamReset)
        self.assertEqual((refused.stream_id, refused.error_code), (3, 7))
        self.client.end_stream(1)
        self.send(5)
        self.assertEqual(self.next(h2.events.RemoteSettingsChanged).changed_settings[3].new_value, 1000)

    def test_goaway_names_the_last_stream(self):
        for token, last in ((padded("401d200"), 3), (padded("90a4"), 1)):
            self.connect()
            self.send(1)
            self.next(h2.events.StreamEnded)
            self.send(3, token=token)
            for _ in range(2):
                self.apple.next("request")
            if last == 3:
                self.apple.command("goaway")
            event = self.next(h2.events.ConnectionTerminated)
            self.assertEqual((event.last_stream_id, event.error_code), (last, 0))
            self.assertEqual(json.loads(event.additional_data), {"reason": "Shutdown"})


class Life(unittest.TestCase):
    def test_http_1_1_only(self):
        apple = Simulator("--alpn", "http/1.1")
        status, _, _, _, line = apple.post()
        self.assertEqual((status, line["protocol"], line["payload_octets"]), (200, "http/1.1", len(GOOD)))
        apple.close()

    def test_a_client_without_h2_gets_no_answer(self):
        apple = Simulator()
        process = apple.start(http="--http1.1")
        self.assertIn("h2", apple.next("error")["message"])
        process.communicate()
        self.assertNotEqual(process.returncode, 0)
        apple.close()

    def test_certificates_are_trusted_through_the_authority_and_only_for_their_host(self):
        with tempfile.TemporaryDirectory() as directory:
            for kind, host, code in (("good", "localhost", 0), ("good", "127.0.0.1", 0),
                                     ("wrong-host", "localhost", 60), ("expired", "localhost", 60)):
                apple = Simulator("--certificate", kind, directory=directory)
                process = apple.start(host=host)
                process.communicate()
                self.assertEqual(process.returncode, code, (kind, host))
                apple.close()

    def test_a_restart_is_the_same_apple_and_the_log_goes_on(self):
        with tempfile.TemporaryDirectory() as directory:
            log, keys = Path(directory) / "log", set()
            for _ in range(2):
                apple = Simulator("--log", str(log), directory=directory)
                keys.add((apple.key, Path(apple.ready["ca"]).read_text()))
                self.assertEqual(apple.post()[0], 200)
                self.assertEqual(Path(apple.ready["key"]).stat().st_mode & 0o777, 0o600)
                apple.command("stop")
                apple.close()
            self.assertEqual(len(keys), 1)
            events = [json.loads(line)["event"] for line in log.read_text().splitlines()]
            self.assertEqual([events.count(event) for event in ("ready", "request")], [2, 2])

    def test_the_end_of_the_input_ends_it(self):
        apple = Simulator()
        apple.close()
        self.assertEqual(apple.process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
