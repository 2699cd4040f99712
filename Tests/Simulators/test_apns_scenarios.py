"""Drives every row of the simulated Apple's scenarios once, and holds it to what the table says it does.

Those that are chosen at the start are in test_apns_choosing.py.
"""

import json
import socket
import time
import unittest

import h2.events

from apns_clients import FrameClient, SimulatorCase, padded


class Scenarios(SimulatorCase):
    """Each test is named after its row. They share one simulator, so each looks only at what came since it chose."""

    def tearDown(self):
        self.apple.command("scenario calm")

    def choose(self, name):
        self.apple.command("scenario " + name)
        self.before = self.apple.count()
        self.first_line = len(self.apple.passed)

    def connect(self):
        client = FrameClient(self.apple)
        self.addCleanup(client.close)
        return client

    def counted(self, **expected):
        """Compares what was counted since the scenario was chosen."""
        now = self.apple.count()
        self.assertEqual({name: now[name] - self.before[name] for name in expected}, expected)

    def lines(self, event):
        self.apple.count()  # behind everything that was written before
        return [line for line in self.apple.passed[self.first_line:] if line["event"] == event]

    def healthy(self, client=None, requests=12):
        """More requests than any fault waits for, all answered with 200 on one connection."""
        client = client or self.connect()
        self.assertEqual(client.answers(client.ask(requests)), [200] * requests)

    def silent(self, client):
        """Two requests and a PING between them, of which nothing comes back."""
        self.apple.count()  # the lines before are not of interest
        client.ask()
        client.client.ping(b"12345678")
        client.ask()
        for _ in range(2):
            line = self.apple.next("request")
            self.assertEqual((line["answer"]["how"], line["accepted"]), ("hang", False))
        self.apple.count()  # the PING was before the second request, so what it had caused would be here now
        self.assertFalse(client.has_something_to_read())

    def test_calm(self):
        self.choose("calm")
        client = self.connect()
        self.healthy(client)
        self.healthy(client)
        self.counted(sockets=1, connections=1, requests=24, accepted=24, distinct_ids=24, accepted_ids=24)
        self.assertEqual(self.lines("fault"), [])

    def graceful(self):
        client = self.connect()
        for _ in range(9):  # one after the other
            self.assertEqual(client.answers(client.ask()), [200])
        self.assertIsNone(client.goaway)
        self.assertEqual(client.answers(client.ask()), [200])
        self.assertEqual(client.drain(), "fin")
        self.assertEqual((client.goaway.last_stream_id, client.goaway.error_code), (19, 0))

    def test_goaway_graceful(self):
        self.choose("goaway-graceful")
        self.graceful()
        self.healthy()
        self.counted(connections=2, requests=22, accepted=22, accepted_ids=22)
        fault, = self.lines("fault")
        goaway, = self.lines("goaway")
        self.assertEqual((fault["scenario"], fault["connection"]), ("goaway-graceful", goaway["connection"]))
        self.assertEqual((goaway["last_stream"], goaway["code"]), (19, 0))

    def test_goaway_graceful_always(self):
        self.choose("goaway-graceful-always")
        self.graceful()
        self.graceful()
        self.assertEqual(len(self.lines("fault")), 2)

    def test_goaway_mid_flight(self):
        self.choose("goaway-mid-flight")
        client = self.connect()
        first = client.ask(9)
        self.assertEqual(client.answers(first[:5]), [200] * 5)
        for _ in first:
            self.apple.next("request")
        self.apple.count()
        self.assertFalse(client.has_something_to_read())
        client.ask()
        self.assertEqual(client.drain(), "fin")
        self.assertEqual(client.goaway.last_stream_id, 19)
        self.assertEqual(list(client.statuses.items())[5:], [(stream, 200) for stream in (19, 17, 15, 13, 11)])
        self.healthy()
        self.counted(connections=2, requests=22, accepted=22)

    def test_goaway_lower(self):
        self.choose("goaway-lower")
        client = self.connect()
        streams = client.ask(10)
        self.assertEqual(client.drain(), "fin")
        self.assertEqual(client.statuses, {stream: 200 for stream in streams[:7]})
        self.assertEqual(client.goaway.last_stream_id, streams[6])
        self.assertEqual([line["accepted"] for line in self.lines("request")], [True] * 7 + [False] * 3)
        self.healthy()
        self.counted(connections=2, requests=22, accepted=19)

    def test_goaway_refused_always(self):
        self.choose("goaway-refused-always")
        for _ in range(2):
            client = self.connect()
            client.ask(3)
            self.assertEqual(client.drain(), "fin")
            self.assertEqual((client.goaway.last_stream_id, client.statuses), (0, {}))
        self.counted(connections=2, accepted=0)

    def abrupt_goaway(self, name, code):
        self.choose(name)
        client = self.connect()
        streams = client.ask(10)
        self.assertEqual(client.drain(), "fin")
        self.assertEqual(client.statuses, {stream: 200 for stream in streams[:5]})
        self.assertEqual((client.goaway.last_stream_id, client.goaway.error_code), (streams[-1], code))
        self.assertEqual(json.loads(client.goaway.additional_data), {"reason": "Shutdown"})
        self.healthy()
        self.counted(connections=2, requests=22, accepted=17)

    def test_goaway_reason(self):
        self.abrupt_goaway("goaway-reason", 0)

    def test_goaway_calm(self):
        self.abrupt_goaway("goaway-calm", 11)

    def test_goaway_idle(self):
        self.choose("goaway-idle")
        client = self.connect()
        client.ask(1)
        self.assertEqual(client.drain(), "fin")
        self.assertEqual((client.statuses, client.goaway.last_stream_id), ({1: 200}, 1))
        self.healthy()
        self.counted(connections=2, accepted=13)

    def one_reset(self, name, code):
        self.choose(name)
        client = self.connect()
        self.assertEqual(client.answers(client.ask(10)), [200] * 4 + [f"reset {code}"] + [200] * 5)
        self.healthy(client)
        self.healthy()
        self.counted(connections=2, requests=34, accepted=33)
        fault, = self.lines("fault")
        self.assertEqual(fault["stream"], 9)

    def test_reset_internal(self):
        self.one_reset("reset-internal", 2)

    def test_reset_cancel(self):
        self.one_reset("reset-cancel", 8)

    def test_reset_calm(self):
        self.one_reset("reset-calm", 11)

    def test_refused_once(self):
        self.one_reset("refused-once", 7)

    def test_refused_always(self):
        self.choose("refused-always")
        for _ in range(2):
            client = self.connect()
            self.assertEqual(client.answers(client.ask(3)), ["reset 7"] * 3)
        self.counted(requests=6, accepted=0)

    def only_one_stream(self, client):
        """One request left open, a second that is refused, and the end of the first."""
        first = client.client.get_next_available_stream_id()
        client.begin(first)
        client.send(first + 2)
        self.assertEqual(client.answers([first + 2]), ["reset 7"])
        client.client.send_data(first, b"{}", end_stream=True)
        client.flush()
        self.assertEqual(client.answers([first]), [200])

    def test_one_stream_first(self):
        self.choose("one-stream-first")
        client = self.connect()
        rejected = client.ask(token=padded("bad0"))
        self.assertEqual(client.answers(rejected), [400])
        self.only_one_stream(client)
        client.until(lambda: client.limits == [1, 1000])
        self.healthy(client, 50)  # more would need a reader for the lines
        self.counted(requests=52, accepted=51, over_limit=1)

    def test_flip_on_rejection(self):
        self.choose("flip-on-rejection")
        client = self.connect()
        self.healthy(client)
        self.assertEqual(client.answers(client.ask(token=padded("dead"))), [410])
        client.until(lambda: client.limits == [100, 1000])
        for _ in range(2):
            del client.limits[:]
            self.assertEqual(client.answers(client.ask(token=padded("bad0"))), [400])
            client.until(lambda: client.limits == [1])
            self.only_one_stream(client)
            client.until(lambda: client.limits == [1, 1000])
            self.healthy(client)
        self.counted(connections=1, over_limit=2)

    def test_silent_after_10(self):
        self.choose("silent-after-10")
        client = self.connect()
        self.healthy(client, 10)
        self.silent(client)
        self.healthy()
        self.silent(client)
        self.counted(connections=2, requests=26, accepted=22)

    def test_silent_from_first(self):
        self.choose("silent-from-first")
        client = self.connect()
        client.next(h2.events.SettingsAcknowledged)
        self.silent(client)
        self.healthy()
        self.counted(connections=2, requests=14, accepted=12)

    def test_silent_always(self):
        self.choose("silent-always")
        for _ in range(2):
            client = self.connect()
            client.next(h2.events.SettingsAcknowledged)
            self.silent(client)
        self.counted(requests=4, accepted=0)

    def test_slow(self):
        self.choose("slow")
        began = time.monotonic()
        self.healthy(requests=50)
        self.assertGreater(time.monotonic() - began, 1.4)
        self.counted(connections=1, accepted=50)

    def cut_mid_flight(self, name, end, accepted):
        self.choose(name)
        client = self.connect()
        self.healthy(client, 4)
        client.ask(6)
        self.assertEqual(client.drain(), end)
        self.assertEqual(len(client.statuses), 4)
        self.assertIsNone(client.goaway)
        self.healthy()
        self.counted(connections=2, requests=22, accepted=accepted)
        self.assertEqual(len(self.lines("fault")), 1)

    def test_tcp_reset_mid_flight(self):
        self.cut_mid_flight("tcp-reset-mid-flight", "reset", 16)

    def test_tcp_reset_answers_lost(self):
        self.cut_mid_flight("tcp-reset-answers-lost", "reset", 22)

    def test_fin_mid_flight(self):
        self.cut_mid_flight("fin-mid-flight", "fin", 16)

    def test_tcp_reset_always(self):
        self.choose("tcp-reset-always")
        for _ in range(2):
            client = self.connect()
            client.ask()
            self.assertEqual((client.drain(), client.statuses), ("reset", {}))
        self.counted(connections=2, requests=2, accepted=0)

    def test_fin_idle(self):
        self.choose("fin-idle")
        client = self.connect()
        client.ask()
        self.assertEqual((client.drain(), client.statuses, client.goaway), ("fin", {1: 200}, None))
        self.healthy()
        self.counted(connections=2, accepted=13)

    def test_tls_cut(self):
        self.choose("tls-cut")
        self.assertRaises(OSError, FrameClient, self.apple)
        self.healthy()
        self.counted(sockets=2, connections=1)

    def test_tls_cut_always(self):
        self.choose("tls-cut-always")
        for _ in range(3):
            self.assertRaises(OSError, FrameClient, self.apple)
        self.counted(sockets=3, connections=0)
        self.assertEqual(len(self.lines("fault")), 3)

    def left_alone(self):
        raw = socket.create_connection(("127.0.0.1", self.apple.ready["port"]))
        self.addCleanup(raw.close)
        raw.sendall(b"this is no TLS and would be told so\r\n")
        self.assertIsNone(self.apple.next("fault")["connection"])
        self.apple.count()
        raw.settimeout(0)
        self.assertRaises(BlockingIOError, raw.recv, 1)

    def test_accept_then_silent(self):
        self.choose("accept-then-silent")
        self.left_alone()
        self.healthy()
        self.counted(sockets=2, connections=1)

    def test_accept_then_silent_always(self):
        self.choose("accept-then-silent-always")
        self.left_alone()
        self.left_alone()
        self.counted(sockets=2, connections=0)

    def test_endless_body(self):
        self.choose("endless-body")
        client = self.connect()
        client.ask()
        received = unacknowledged = 0
        while received < 300_000:
            unacknowledged += len(client.next(h2.events.DataReceived).data)
            if unacknowledged == 65535:  # all that the windows allow
                self.apple.count()
                self.assertFalse(client.has_something_to_read())
                client.client.acknowledge_received_data(unacknowledged, 1)
                client.flush()
                received, unacknowledged = received + unacknowledged, 0
        self.assertEqual(client.statuses, {1: 400})
        client.client.reset_stream(1, 8)
        client.flush()
        self.apple.next("cancelled")
        self.apple.command("scenario calm")
        self.healthy(client)

    def test_body_10mb(self):
        self.choose("body-10mb")
        status, _, _, body, _ = self.apple.post()
        self.assertEqual(status, 503)
        self.assertGreater(len(body), 10_000_000)
        self.assertEqual(set(json.loads(body)), {"reason"})

    def test_not_json(self):
        self.choose("not-json")
        status, _, headers, body, _ = self.apple.post()
        self.assertEqual((status, headers["content-type"]), (400, "application/json"))
        self.assertRaises(ValueError, json.loads, body)

    def wedge(self, name, status, reason):
        self.choose(name)
        client = self.connect()
        self.assertEqual(client.answers(client.ask(3)), [status] * 3)
        self.healthy()
        self.assertEqual(client.answers(client.ask(9)), [status] * 9)
        client.close()
        self.apple.next("closed")
        self.healthy()
        self.assertEqual({line["answer"]["reason"] for line in self.lines("request") if not line["accepted"]}, {reason})
        self.counted(requests=36, accepted=24)

    def test_wedge_expired(self):
        self.wedge("wedge-expired", 403, "ExpiredProviderToken")

    def test_wedge_internal(self):
        self.wedge("wedge-internal", 500, "InternalServerError")

    def test_shutdown_503(self):
        self.choose("shutdown-503")
        client = self.connect()
        client.ask()
        self.assertEqual((client.drain(), client.statuses), ("fin", {1: 503}))
        self.assertEqual(client.goaway.last_stream_id, 1)
        self.assertEqual(self.lines("request")[0]["answer"]["reason"], "Shutdown")
        self.healthy()
        self.counted(connections=2, accepted=12)


if __name__ == "__main__":
    unittest.main()
