"""The clients that the simulated Apple is tested with: curl, and one that sees every frame."""

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

from apns_connection import OwnLimitSettings

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
        self.passed = []  # every line that was read
        self.ready = self.next("ready")
        self.key = Path(self.ready["key"]).read_text()

    def next(self, event):
        for line in self.process.stdout:
            fields = json.loads(line)
            self.passed.append(fields)
            if fields["event"] == event:
                return fields
        raise AssertionError(f"the simulator ended before a {event!r} line")

    def tell(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def command(self, command):
        self.tell(command)
        return self.next("done")

    def count(self):
        self.tell("count")
        return self.next("count")

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


class PatientConnection(h2.connection.H2Connection):
    """h2 takes a GOAWAY for the end; the answers to earlier requests are still to come."""

    def _receive_goaway_frame(self, frame):
        event = h2.events.ConnectionTerminated()
        event.error_code, event.last_stream_id = frame.error_code, frame.last_stream_id
        event.additional_data = frame.additional_data
        return [], [event]


class FrameClient:
    """What curl hides: the windows, the limits, the ends. It sends what it is told to and waits for frames."""

    def __init__(self, apple):
        self.apple = apple
        self.authorization = apple.provider_token()
        tls = ssl.create_default_context(cafile=apple.ready["ca"])
        tls.set_alpn_protocols(["h2"])
        # TLS on top of a plain socket, because Python's TLS sockets do not tell a reset from an end.
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = tls.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.socket = socket.create_connection(("127.0.0.1", apple.ready["port"]), timeout=30)
        try:
            self.shake_hands()
        except OSError:
            self.socket.close()
            raise
        self.client = PatientConnection(h2.config.H2Configuration(header_encoding="utf-8"))
        self.client.remote_settings = OwnLimitSettings(client=False)  # the limit is there to be broken
        self.client.initiate_connection()
        self.flush()
        self.waiting = []
        self.ids = []  # the apns-id of each request
        self.statuses = {}  # stream: status, in the order of arrival
        self.resets = {}  # stream: error code
        self.limits = []  # every MAX_CONCURRENT_STREAMS that was announced
        self.goaway = None
        self.end = None  # "fin" or "reset"

    def close(self):
        self.socket.close()

    def shake_hands(self):
        while True:
            try:
                self.tls.do_handshake()
                return
            except ssl.SSLWantReadError:
                self.socket.sendall(self.outgoing.read())
                octets = self.socket.recv(65536)
                if not octets:
                    raise ConnectionAbortedError("the connection ended during the TLS handshake") from None
                self.incoming.write(octets)

    def flush(self):
        octets = self.client.data_to_send()
        if octets:
            self.tls.write(octets)
        octets = self.outgoing.read()
        if octets:
            self.socket.sendall(octets)

    def decrypted(self):
        """What was received, or nothing at the end of the connection."""
        while True:
            try:
                octets = self.tls.read(65536)
                if octets:
                    return octets
            except ssl.SSLWantReadError:
                pass
            try:
                octets = self.socket.recv(65536)
            except ConnectionResetError:
                self.end = "reset"
                return b""
            except BrokenPipeError:  # something was sent after the FIN
                octets = b""
            if not octets:
                self.end = self.end or "fin"
                return b""
            self.incoming.write(octets)

    def begin(self, stream, token=TOKEN):
        self.ids.append(str(uuid.uuid4()))
        self.client.send_headers(stream, [
            (":method", "POST"), (":scheme", "https"), (":authority", "localhost"),
            (":path", "/3/device/" + token), ("authorization", self.authorization),
            ("apns-topic", "pixels.example.app"), ("apns-push-type", "alert"), ("apns-id", self.ids[-1])])

    def send(self, *streams, token=TOKEN):
        for stream in streams:
            self.begin(stream, token)
            self.client.send_data(stream, GOOD, end_stream=True)
        self.flush()

    def ask(self, count=1, token=TOKEN):
        """Sends some requests at once and gives their streams."""
        first = self.client.get_next_available_stream_id()
        streams = list(range(first, first + 2 * count, 2))
        self.send(*streams, token=token)
        return streams

    def read(self):
        """Reads once. False at the end of the connection."""
        octets = self.decrypted()
        if not octets:
            return False
        for event in self.client.receive_data(octets):
            self.waiting.append(event)
            if isinstance(event, h2.events.ResponseReceived):
                self.statuses[event.stream_id] = int(dict(event.headers)[":status"])
            elif isinstance(event, h2.events.StreamReset):
                self.resets[event.stream_id] = event.error_code
            elif isinstance(event, h2.events.RemoteSettingsChanged) and 3 in event.changed_settings:
                self.limits.append(event.changed_settings[3].new_value)
            elif isinstance(event, h2.events.ConnectionTerminated):
                self.goaway = event
        try:
            self.flush()
        except ConnectionResetError:
            self.end = "reset"  # the kernel says so once, and then only that there is nothing more to read
        except BrokenPipeError:
            pass  # after a FIN; there may be more to read
        return True

    def next(self, kind):
        while True:
            while self.waiting:
                event = self.waiting.pop(0)
                if isinstance(event, kind):
                    return event
            assert self.read(), f"the connection ended before {kind.__name__}"

    def until(self, condition):
        while not condition():
            assert self.read(), "the connection ended too early"

    def answers(self, streams):
        """The status, or what else became of each of these streams."""
        self.until(lambda: all(stream in self.statuses or stream in self.resets for stream in streams))
        return [self.statuses.get(stream) or f"reset {int(self.resets[stream])}" for stream in streams]

    def drain(self):
        """Reads up to the end of the connection, and says what the end was."""
        while self.read():
            pass
        return self.end

    def has_something_to_read(self):
        self.socket.settimeout(0)
        try:
            return bool(self.tls.pending() or self.incoming.pending or self.socket.recv(1))
        except BlockingIOError:
            return False
        finally:
            self.socket.settimeout(30)
