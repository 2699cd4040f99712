"""The programs that a measurement needs, each started and stopped by it: the relay, and what stands in for Apple."""

import base64
import hashlib
import http.client
import json
import re
import shutil
import socket
import sqlite3
import subprocess
import time
from pathlib import Path

TOKEN = "benchmark-of-the-relay-0123456789"
TICKS = 100
# Should this process be killed, those that it started end as well.
WATCHED = ["setpriv", "--pdeathsig", "KILL"]


class Failure(Exception):
    """What is wrong and what to do, in one sentence."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def device(number):
    """A device's token, the same in every run."""
    return hashlib.sha256(f"device {number}".encode()).hexdigest()


class Party:
    """A process with its output in a file."""

    def __init__(self, command, log, environment=None, cwd=None):
        self.log = Path(log)
        self.name = Path(command[0]).name
        self.process = subprocess.Popen([*WATCHED, *command], stdout=open(log, "wb"), stderr=subprocess.STDOUT,
                                        stdin=subprocess.DEVNULL, env=environment, cwd=cwd)

    def wait_for(self, port, seconds=20):
        deadline = time.monotonic() + seconds
        while True:
            if self.process.poll() is not None:
                raise Failure(f"{self.name} ended with {self.process.returncode}: {self.tail()}")
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise Failure(f"{self.name} did not start within {seconds} s: {self.tail()}") from None
                time.sleep(0.0005)

    def tail(self):
        return self.log.read_text(errors="replace")[-2000:] or "it said nothing"

    def stop(self, seconds=60):
        """Ends it and gives what it printed."""
        self.process.terminate()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure(f"{self.name} did not stop within {seconds} s: {self.tail()}") from None
        return self.log.read_text(errors="replace")

    def kill(self):
        self.process.kill()
        self.process.wait()


class Apple:
    """nghttpd, which answers 200 for each device that it has a file of.

    A file has two octets and not none: libcurl resets a stream that ends in a DATA frame without any, and nghttpd ends
    a connection with more than 33 resets a second.
    """

    def __init__(self, folder, devices):
        devices_folder = folder / "apple/3/device"
        devices_folder.mkdir(parents=True)
        for number in range(devices):
            devices_folder.joinpath(device(number)).write_text("{}")
        self.ca, key = folder / "apple.pem", folder / "apple.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", key, "-out", self.ca], check=True, capture_output=True)
        self.port = free_port()
        self.party = Party(["nghttpd", "-d", str(folder / "apple"), "-a", "127.0.0.1", str(self.port), str(key),
                            str(self.ca)], folder / "apple.log")
        self.party.wait_for(self.port)


class Relay:
    """The program that ships, on a database in a folder of its own."""

    def __init__(self, program, folder, apple, port_of_apple=None, wrapper=()):
        # How many of the requests it has had.
        self.sent = 0
        folder.mkdir(exist_ok=True)
        key = folder / "AuthKey.p8"
        if not key.exists():
            subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out",
                            key], check=True, capture_output=True)
        self.port, self.metrics_port = free_port(), free_port()
        environment = {
            "PUBLIC_URL": "https://push.example.org", "LISTEN_ADDR": f"127.0.0.1:{self.port}",
            "METRICS_ADDR": str(self.metrics_port), "SUBSCRIBE_TOKEN": TOKEN, "MAX_SUBSCRIPTIONS": "1000000",
            "MAX_REGISTRATIONS_PER_HOUR": "1000000", "MAX_PUSHES_AT_ONCE": "1000000",
            "DB_PATH": str(folder / "relay.sqlite"), "APNS_KEY_FILE": str(key), "APNS_KEY_ID": "ABC123DEFG",
            "APNS_TEAM_ID": "DEF123GHIJ", "APNS_TOPIC": "org.example.pixels", "APNS_CA_FILE": str(apple.ca),
            "APNS_URL": f"https://127.0.0.1:{port_of_apple or apple.port}",
        }
        start = time.monotonic()
        self.party = Party([*wrapper, str(program), "serve"], folder / "relay.log", environment)
        self.pid = self.party.process.pid
        self.party.wait_for(self.port, 120)
        if self.ask("GET", "/healthz")[0] != 200:
            raise Failure(f"the relay is not well: {self.party.tail()}")
        self.start_milliseconds = (time.monotonic() - start) * 1000
        self.party.wait_for(self.metrics_port)

    def ask(self, method, path, body=None, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=60)
        connection.request(method, path, body, {"Authorization": f"Bearer {TOKEN}"})
        answer = connection.getresponse()
        octets = answer.read()
        connection.close()
        return answer.status, octets

    def subscribe(self, device_token, account):
        """The path of a new endpoint and its keys, as `messages` reads them."""
        status, octets = self.ask("POST", "/subscribe", json.dumps(
            {"device_token": device_token, "account": account, "label": account}))
        if status != 201:
            raise Failure(f"/subscribe answered {status}: {octets[:200]}")
        row = json.loads(octets)
        keys = [base64.urlsafe_b64decode(row[name] + "=" * (-len(row[name]) % 4)).hex() for name in ("p256dh", "auth")]
        return " ".join(["/wp/" + row["endpoint"].rsplit("/", 1)[1], *keys])

    def figures(self):
        text = self.ask("GET", "/metrics", port=self.metrics_port)[1].decode()
        return {name: float(value) for name, value in re.findall(r"^(relay_[^ ]+) ([0-9.e+-]+)$", text, re.MULTILINE)}

    def pushes(self):
        """How many were accepted, and how many came to anything else."""
        pushes = {name: value for name, value in self.figures().items() if name.startswith("relay_pushes_total")}
        accepted = sum(value for name, value in pushes.items() if '"accepted"' in name)
        return accepted, sum(pushes.values()) - accepted

    def processor_seconds(self):
        """User and system, of all threads."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident_megabytes(self):
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{self.pid}/status").read_text()).group(1)) / 1024

    def stop(self):
        self.party.stop()


def add_rows(source, target, rows):
    """A copy of a stopped relay's folder with as many rows in all.

    The new rows are copies of a real one under ids and devices of their own. They cannot be opened, since what is
    sealed is bound to its row, and nobody sends to them: they are there to be searched among.
    """
    shutil.copytree(source, target)
    database = sqlite3.connect(target / "relay.sqlite")
    with database:
        count = database.execute("SELECT count(*) FROM subscriptions").fetchone()[0]
        columns = [row[1] for row in database.execute("PRAGMA table_info(subscriptions)")]
        kept = [name for name in columns if name not in ("number", "id", "device")]
        database.execute(f"""
            WITH RECURSIVE counter(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counter WHERE n < {rows - count})
            INSERT INTO subscriptions (id, device, {', '.join(kept)})
            SELECT randomblob(32), randomblob(32), {', '.join(kept)} FROM counter
                JOIN (SELECT * FROM subscriptions ORDER BY number LIMIT 1)""")
    database.close()
