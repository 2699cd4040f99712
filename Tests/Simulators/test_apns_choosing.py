"""The ways to choose a scenario of the simulated Apple: at the start, later, and by a device token."""

import json
import subprocess
import unittest

import test_apns_scenarios
from apns_clients import SIMULATOR, FrameClient, Simulator, padded

ROWS = {row["name"]: row for row in json.loads(
    subprocess.run([*SIMULATOR, "--list-scenarios"], capture_output=True, check=True).stdout)}


def token_of(name):
    return padded(ROWS[name]["token"])


class AtTheStart(unittest.TestCase):
    def exit_status_of_curl(self, name):
        apple = Simulator("--scenario", name)
        process = apple.start()
        process.communicate()
        self.assertNotIn("request", [line["event"] for line in apple.close()])
        return process.returncode

    def test_wrong_authority(self):
        self.assertEqual(self.exit_status_of_curl("wrong-authority"), 60)

    def test_wrong_host(self):
        self.assertEqual(self.exit_status_of_curl("wrong-host"), 60)

    def test_expired_certificate(self):
        self.assertEqual(self.exit_status_of_curl("expired-certificate"), 60)

    def test_tls_1_1_only(self):
        self.assertEqual(self.exit_status_of_curl("tls-1-1-only"), 35)

    def test_http_1_1_only(self):
        apple = Simulator("--scenario", "http-1-1-only")
        status, _, _, _, line = apple.post()
        self.assertEqual((status, line["protocol"], line["accepted"]), (200, "http/1.1", False))
        self.assertEqual(apple.count()["accepted"], 0)
        apple.close()


class Choosing(unittest.TestCase):
    def start(self, name):
        self.apple = Simulator("--scenario", name)
        self.addCleanup(self.apple.close)

    def connect(self):
        client = FrameClient(self.apple)
        self.addCleanup(client.close)
        return client

    def test_every_row_has_its_test(self):
        tested = {name.removeprefix("test_").replace("_", "-") for case in (test_apns_scenarios.Scenarios, AtTheStart)
                  for name in dir(case) if name.startswith("test_")}
        self.assertEqual(tested, set(ROWS))

    def test_at_the_start_and_again(self):
        self.start("refused-once")
        client = self.connect()
        self.assertEqual(client.answers(client.ask(6))[4], "reset 7")
        self.apple.command("scenario reset-cancel")
        self.assertEqual(client.answers(client.ask(6))[4], "reset 8")
        self.apple.command("scenario reset-cancel")  # armed anew, and the next 5th request is counted from here
        self.assertEqual(client.answers(client.ask(6))[4], "reset 8")
        for name in ("dance", "wrong-host"):
            self.apple.tell("scenario " + name)
            self.assertEqual(self.apple.next("error")["command"], "scenario " + name)

    def test_by_a_token_for_its_own_requests_only(self):
        self.start("calm")
        client = self.connect()
        self.assertEqual(client.answers(client.ask(12)), [200] * 12)
        streams = client.ask(10, token_of("goaway-lower"))
        self.assertEqual(client.drain(), "fin")
        self.assertEqual(client.goaway.last_stream_id, streams[6])
        client = self.connect()
        self.assertEqual(client.answers(client.ask(12, token_of("goaway-lower"))), [200] * 12)
        client.ask(1, token_of("endless-body"))
        self.assertEqual(client.answers(client.ask(3)), [200] * 3)

    def test_a_token_of_no_row(self):
        self.start("calm")
        for number, row in enumerate(ROWS.values()):
            if row["token"] is None:
                self.assertEqual(self.apple.post(token=padded(f"fa17{number:02x}"))[0], 501)
        self.assertEqual(self.apple.post(token=padded("fa17ff"))[:2], (501, "NoSuchRow"))

    def test_a_victim_that_ends_unharmed_is_replaced(self):
        self.start("reset-internal")
        client = self.connect()
        self.assertEqual(client.answers(client.ask(4)), [200] * 4)
        client.close()
        self.apple.next("closed")
        client = self.connect()
        self.assertEqual(client.answers(client.ask(6))[4], "reset 2")


if __name__ == "__main__":
    unittest.main()
