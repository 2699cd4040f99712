"""The simulated Apple under many requests. What is asserted are numbers and sizes, never times."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from apns_clients import FrameClient, Simulator


class Load(unittest.TestCase):
    def many(self, count, *arguments, quiet=False):
        """Has curl send that many requests, about 90 at a time, and gives the simulator."""
        apple = Simulator(*arguments, *(["--quiet"] if quiet else []))
        self.addCleanup(apple.close)
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
            if not quiet:
                for _ in range(count):
                    self.assertTrue(apple.next("request")["accepted"])
            self.assertEqual(process.wait(), 0)
        return apple

    def test_many_requests_share_one_connection(self):
        got = self.many(300).count()
        self.assertEqual((got["connections"], got["accepted_ids"]), (1, 300))

    def test_the_first_stream_limit_of_apple(self):
        self.many(100, "--first-stream-limit", "1")

    def test_quiet_requests_leave_nothing_behind(self):
        apple = self.many(1200, quiet=True)
        got = apple.count()
        self.assertEqual((got["connections"], got["accepted_ids"], got["over_limit"]), (1, 1200, 0))
        self.assertEqual([line["event"] for line in apple.passed], ["ready", "count"])
        peak = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{apple.process.pid}/status").read_text())
        self.assertLess(int(peak[1]), 64 << 10)

    def test_a_thousand_streams_at_once(self):
        apple = Simulator("--quiet")
        self.addCleanup(apple.close)
        client = FrameClient(apple)
        self.addCleanup(client.close)
        client.answers(client.ask())
        client.until(lambda: client.limits[-1] == 1000)
        streams = range(3, 2003, 2)
        for stream in streams:
            client.begin(stream)
        client.flush()
        for stream in streams:
            client.client.send_data(stream, b"{}", end_stream=True)
        client.flush()
        self.assertEqual(client.answers(streams), [200] * 1000)
        got = apple.count()
        self.assertEqual((got["accepted"], got["over_limit"]), (1001, 0))


if __name__ == "__main__":
    unittest.main()
