"""Holds the simulated Apple to Apple's rules, with curl as the client and PyJWT as the signer.

    /usr/bin/python3 -m unittest discover Tests/Simulators
"""

import json
import subprocess
import tempfile
import time
import unittest
import uuid
from email.utils import parsedate_to_datetime
from pathlib import Path

import h2.events
import jwt

from apns_clients import GOOD, SIMULATOR, TOKEN, FrameClient, Simulator, SimulatorCase, answer, padded


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
        self.refused(400, "BadDeviceToken", token=padded("0"))
        self.assertEqual(self.apple.post(token=padded("01"))[0], 200)
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


class Frames(unittest.TestCase):
    """What curl hides: the windows and the limits."""

    def connect(self, *arguments):
        self.apple = Simulator(*arguments)
        self.addCleanup(self.apple.close)
        client = FrameClient(self.apple)
        self.addCleanup(client.close)
        return client

    def test_a_large_answer_waits_for_the_window(self):
        client = self.connect()
        client.send(1, token=padded("0bad5"))
        received = 0
        while received < 65535:
            received += len(client.next(h2.events.DataReceived).data)
        self.assertEqual(received, 65535)
        client.send(3)  # the window of the connection is used up, but an answer without a body needs none
        self.assertEqual(client.next(h2.events.ResponseReceived).stream_id, 3)
        client.client.acknowledge_received_data(received, 1)
        client.flush()
        while received < 1 << 20:
            event = client.next(h2.events.DataReceived)
            received += len(event.data)
            client.client.acknowledge_received_data(event.flow_controlled_length, 1)
            client.flush()
        client.next(h2.events.StreamEnded)

    def test_a_stream_over_the_limit_is_refused_and_the_limit_rises_after_a_valid_token(self):
        client = self.connect("--first-stream-limit", "1")
        limits = client.next(h2.events.RemoteSettingsChanged).changed_settings
        self.assertEqual(limits[3].new_value, 1)  # 3 is MAX_CONCURRENT_STREAMS
        client.begin(1)
        client.send(3)
        refused = client.next(h2.events.StreamReset)
        self.assertEqual((refused.stream_id, refused.error_code), (3, 7))
        client.client.end_stream(1)
        client.flush()
        self.assertEqual(client.next(h2.events.RemoteSettingsChanged).changed_settings[3].new_value, 1000)

    def test_goaway_names_the_last_stream(self):
        for token, last in ((padded("401d200"), 3), (padded("90a4"), 1)):
            client = self.connect()
            client.send(1)
            client.next(h2.events.StreamEnded)
            client.send(3, token=token)
            for _ in range(2):
                self.apple.next("request")
            if last == 3:
                self.apple.command("goaway")
            event = client.next(h2.events.ConnectionTerminated)
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

    def test_answers_have_a_date_that_may_be_wrong(self):
        for offset in (0, -86400):
            apple = Simulator("--date-offset", str(offset))
            _, _, headers, _, _ = apple.post()
            date = parsedate_to_datetime(headers["date"]).timestamp()
            self.assertLess(abs(date - time.time() - offset), 60)
            apple.close()

    def test_what_was_taken_is_counted(self):
        apple = Simulator()
        message_id = str(uuid.uuid4())
        for request in ({"apns_id": message_id}, {"apns_id": message_id}, {}, {"token": padded("dead")}):
            line = apple.post(**request)[4]
            self.assertEqual(line["accepted"], line["answer"]["status"] == 200)
        got = apple.count()
        self.assertEqual([got[name] for name in ("sockets", "connections", "requests", "accepted", "distinct_ids",
                                                 "accepted_ids", "over_limit")], [4, 4, 4, 3, 3, 2, 0])
        apple.close()

    def test_the_end_of_the_input_ends_it(self):
        apple = Simulator()
        apple.close()
        self.assertEqual(apple.process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
