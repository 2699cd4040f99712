"""What is measured: the floor, and the relay against it. Each function is one figure of one round, or a few."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from parties import Apple, Failure, Party, Relay, add_rows, device, free_port

CONNECTIONS = 64
LINE_MILLISECONDS = 60


def run(command, environment=None):
    """What a program printed; a failure says what it complained of."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600,
                          env=os.environ | (environment or {}))
    if done.returncode:
        raise Failure(f"{command[0]} failed: {(done.stderr or done.stdout).strip()[-1000:]}")
    return done.stdout


class Requests:
    """A file of requests that are ready to be sent, and how many of it a relay has had."""

    def __init__(self, tools, subscriptions, file, number):
        file.with_suffix(".keys").write_text("\n".join(subscriptions))
        self.file, self.number = file, number
        self.length = int(run([tools / "messages", number, file.with_suffix(".keys"), file]))

    def drop(self):
        self.file.unlink()


class Bench:
    def __init__(self, program, tools, folder, seconds):
        self.program, self.tools, self.folder, self.seconds = program, tools, folder, seconds
        self.apple = Apple(folder, 1010)
        self.databases, self.requests, self.running = {}, {}, []

    def start(self, database, port_of_apple=None, wrapper=()):
        relay = Relay(self.program, self.folder / database, self.apple, port_of_apple, wrapper)
        self.running.append(relay.party)
        return relay

    def kill(self):
        for party in [*self.running, self.apple.party]:
            party.kill()

    # --- What is prepared ---

    def make_database(self, name, devices, rows_each=1):
        relay = self.start(name)
        lines = [relay.subscribe(device(number), f"alice{row}@pixels.example")
                 for row in range(rows_each) for number in range(devices)]
        relay.stop()
        self.databases[name] = lines

    def make_requests(self, name, database, number, subscriptions=None):
        lines = self.databases[database][:subscriptions]
        self.requests[name] = Requests(self.tools, lines, self.folder / f"{name}.requests", number)

    def make_rows(self, rows):
        """A database of so many rows, to whose first thousand the requests for the thousand go."""
        add_rows(self.folder / "thousand", self.folder / f"rows-{rows}", rows)

    def make_floor(self, number):
        """Messages for a key that is known here, since the relay gives no private key away."""
        key = ec.generate_private_key(ec.SECP256R1())
        point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint).hex()
        auth = os.urandom(16).hex()
        self.floor_keys = [f"{key.private_numbers().private_value:064x}", point, auth]
        self.databases["floor"] = [f"/wp/{'a' * 43} {point} {auth}"]
        self.make_requests("floor", "floor", number)

    # --- The floor: microseconds of the processor for each operation ---

    def floor_open(self):
        requests = self.requests["floor"]
        return float(run([self.tools / "floor_open", requests.number, requests.file, requests.length,
                          *self.floor_keys]))

    def floor_badge(self):
        copy = self.folder / "floor-database"
        shutil.copytree(self.folder / "thousand", copy)
        try:
            return float(run([self.tools / "floor_badge", self.requests["floor"].number, copy / "relay.sqlite"]))
        finally:
            shutil.rmtree(copy)

    def floor_apple(self):
        number = 2 * self.requests["floor"].number
        return float(run([self.tools / "floor_apple", number, f"https://127.0.0.1:{self.apple.port}", self.apple.ca,
                          *map(device, range(100))]))

    def floor_listen(self):
        port = free_port()
        party = Party([str(self.tools / "floor_listen"), str(port)], self.folder / "floor-listen.log")
        self.running.append(party)
        party.wait_for(port)
        requests = self.requests["floor"]
        # It knows no repetitions, so the same few will do.
        self.wrk(port, requests, 0, 1, CONNECTIONS, repeats=True)
        return float(party.stop())

    # --- Load ---

    def wrk(self, port, requests, skip, seconds, connections, repeats=False):
        script = Path(__file__).with_name("replay.lua")
        text = run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", script,
                    f"http://127.0.0.1:{port}"],
                   {"REPLAY_FILE": str(requests.file), "REPLAY_LENGTH": str(requests.length),
                    "REPLAY_SKIP": str(skip), "REPLAY_AGAIN": "1" if repeats else ""})
        found = re.search(r"^replay: (.*)$", text, re.MULTILINE)
        if not found:
            raise Failure(f"wrk gave up: {text[-500:]}")
        result = {name: int(value) for name, value in (word.split("=") for word in found.group(1).split())}
        if result["other"] or result["lost"]:
            raise Failure(f"of {result['requests']} requests {result['other']} were refused and {result['lost']} lost")
        return result

    def closed(self, relay, requests, seconds, connections=CONNECTIONS):
        """Pushes a second, microseconds of the processor for each, and the middle of their times in milliseconds."""
        accepted, other = relay.pushes()
        processor, start = relay.processor_seconds(), time.monotonic()
        # What went out before is not to be sent again; wrk reads one more than it sends, to look at it.
        self.wrk_result = self.wrk(relay.port, requests, relay.sent, seconds, connections)
        # Those that wrk has given up at its end are still under way.
        while relay.figures()["relay_pushes_in_flight"]:
            time.sleep(0.01)
        processor = relay.processor_seconds() - processor
        now_accepted, now_other = relay.pushes()
        count = now_accepted - accepted
        if now_other != other or count == 0:
            raise Failure(f"{now_other - other:.0f} pushes were not accepted: {relay.party.tail()}")
        relay.sent += int(count) + connections + 2
        seconds = self.wrk_result["microseconds"] / 1e6
        return self.wrk_result["requests"] / seconds, processor * 1e6 / count, self.wrk_result["median"] / 1e3

    def open(self, relay, requests, rate, seconds):
        """Median, 99th percentile and most of the milliseconds from when a push was due to its answer."""
        text = run([self.tools / "pace", rate, seconds, relay.port, requests.file, requests.length, relay.sent])
        result = {name: int(value) for name, value in (word.split("=") for word in text.split())}
        if result["other"]:
            raise Failure(f"{result['other']} of {result['requests']} were not answered 201: {relay.party.tail()}")
        relay.sent += result["requests"]
        return result["median"] / 1e3, result["p99"] / 1e3, result["max"] / 1e3

    def rows(self, database, requests):
        """Start, processor's time for a push and latency with a database."""
        # A file that anybody has touched is looked through by the next start.
        os.utime(self.folder / database / "relay.sqlite")
        relay = self.start(database)
        looking = relay.start_milliseconds
        relay.stop()
        relay = self.start(database)
        self.closed(relay, requests, 1)
        _, processor, _ = self.closed(relay, requests, self.seconds)
        median, _, _ = self.open(relay, requests, 100, self.seconds)
        relay.stop()
        return {"start": relay.start_milliseconds, "looking": looking, "cpu": processor, "latency": median}

    def line(self, requests):
        """Pushes a second over a long line to Apple, and over how many connections."""
        port = free_port()
        proxy = Party([str(self.tools / "delay"), str(LINE_MILLISECONDS), str(port), str(self.apple.port)],
                      self.folder / "delay.log")
        self.running.append(proxy)
        relay = self.start("thousand", port_of_apple=port)
        # The gate to Apple opens one push after the other.
        self.closed(relay, requests, 1)
        rate, _, _ = self.closed(relay, requests, self.seconds)
        relay.stop()
        return rate, int(proxy.stop())

    def long(self, requests, seconds):
        """Memory after each quarter of a long run at full load."""
        relay = self.start("thousand")
        memory = []
        for _ in range(4):
            self.closed(relay, requests, seconds // 4)
            memory.append(relay.resident_megabytes())
        relay.stop()
        return memory
