#!/usr/bin/env python3
"""A simulated Apple Push Notification service: HTTP/2 over TLS on the loopback, for tests and the demonstration.

It speaks through Debian's python3-h2, which shares no code with the client under test, and holds every request to
Apple's rules (apns_rules.py, where the magic device tokens are listed). Nothing is ever delivered anywhere.

    apns_simulator.py --directory DIR [--port 0]

Standard output is one JSON object a line: `ready` first, then `connection`, `request`, `cancelled`, `closed`, `done`,
`error`. Read it all the time: a full pipe stops the simulator. A `request` line is written before its answer is sent,
and for a held request before the wait. Standard input takes commands, each acknowledged by `done` or `error`:

    release TOKEN                       answer the oldest held request with this token
    answer TOKEN STATUS [REASON [N]]    the next N requests with this token (default: all) get this answer
    answer TOKEN -                      back to the token's own answer
    goaway                              a graceful GOAWAY on every connection
    reset                               drop every connection with a TCP reset
    stop                                end; so does the end of the input, so that it dies with its parent
"""

import argparse
import asyncio
import functools
import json
import os
import re
import socket
import ssl
import struct
import sys
import threading
import time
import uuid
from collections import defaultdict, deque
from pathlib import Path

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import (
    DataReceived, RemoteSettingsChanged, RequestReceived, StreamEnded, StreamReset, WindowUpdated)
from h2.errors import ErrorCodes
from h2.exceptions import ProtocolError
from h2.settings import SettingCodes, Settings
from hyperframe.frame import GoAwayFrame

from apns_identity import make_certificates, provider_key
from apns_rules import REASONS, USUAL_REASON, Answer, Provider, judge, refusal, scripted


class OwnLimitSettings(Settings):
    """Settings whose stream limit is announced but not enforced by h2.

    h2 would end the connection over one stream too many, even one sent before the client could know the limit. Apple
    refuses the stream; so does Connection.opened.
    """

    @property
    def max_concurrent_streams(self):
        return 2**31 - 1


class Connection(asyncio.Protocol):
    """One HTTP/2 connection. All of them share the event loop's thread, so nothing here needs a lock."""

    def __init__(self, apple):
        self.apple = apple
        self.streams = {}  # stream id: (header pairs, body), from HEADERS to the last octet of the answer
        self.unsent = {}  # stream id: what flow control has not yet let out
        self.last_stream = 0
        self.limit = apple.options.first_stream_limit
        self.trusted = False
        self.closing_after = None  # the last stream id promised in a GOAWAY

    def connection_made(self, transport):
        self.transport = transport
        self.number = self.apple.enter(self)
        if transport.get_extra_info("ssl_object").selected_alpn_protocol() != "h2":
            self.apple.emit("error", connection=self.number, message="the client did not negotiate h2")
            transport.abort()
            return
        self.h2 = H2Connection(H2Configuration(client_side=False, header_encoding=None))
        # The values observed from Apple in production.
        self.h2.local_settings = OwnLimitSettings(client=False, initial_values={
            SettingCodes.HEADER_TABLE_SIZE: 4096, SettingCodes.MAX_CONCURRENT_STREAMS: self.limit,
            SettingCodes.INITIAL_WINDOW_SIZE: 65535, SettingCodes.MAX_FRAME_SIZE: 16384,
            SettingCodes.MAX_HEADER_LIST_SIZE: 8000})
        self.h2.initiate_connection()
        self.flush()

    def connection_lost(self, error):
        self.streams.clear()
        self.unsent.clear()
        self.apple.leave(self)

    def flush(self):
        octets = self.h2.data_to_send()
        if octets and not self.transport.is_closing():
            self.transport.write(octets)

    def data_received(self, octets):
        try:
            events = self.h2.receive_data(octets)
            for event in events:
                self.handle(event)
        except ProtocolError as error:
            self.apple.emit("error", connection=self.number, message=f"{type(error).__name__}: {error}")
            self.flush()  # the GOAWAY that h2 wrote
            self.transport.close()
            return
        self.flush()

    def handle(self, event):
        if isinstance(event, RequestReceived):
            self.opened(event.stream_id, event.headers)
        elif isinstance(event, DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            stream = self.streams.get(event.stream_id)
            if stream is not None and len(stream[1]) < 1 << 20:  # enough to see that it is too large
                stream[1].extend(event.data)
        elif isinstance(event, StreamEnded):
            if event.stream_id in self.streams:
                self.asked(event.stream_id)
        elif isinstance(event, StreamReset):
            if self.streams.pop(event.stream_id, None) is not None:
                self.apple.emit("cancelled", connection=self.number, stream=event.stream_id)
            self.unsent.pop(event.stream_id, None)
            self.close_if_done()
        elif isinstance(event, (WindowUpdated, RemoteSettingsChanged)):
            for stream in list(self.unsent):
                self.pump(stream)

    def opened(self, stream, headers):
        if self.closing_after is not None and stream > self.closing_after:
            return  # named in the GOAWAY as not processed: the client sends it again elsewhere
        self.last_stream = stream
        if len(self.streams) >= self.limit:
            self.h2.reset_stream(stream, ErrorCodes.REFUSED_STREAM)
            return
        self.streams[stream] = (headers, bytearray())

    def asked(self, stream):
        headers, body = self.streams[stream]
        record, answer = judge(headers, bytes(body), self.apple.provider, time.time())
        if record["headers"]["authorization"] == "valid" and not self.trusted:
            self.trusted = True
            if self.limit != self.apple.options.streams:
                self.limit = self.apple.options.streams
                self.h2.update_settings({SettingCodes.MAX_CONCURRENT_STREAMS: self.limit})
        if answer is None:
            answer = self.apple.answer_for(record["token"])
        message_id = record["headers"].get("apns-id")
        if not isinstance(message_id, str) or answer.reason == "BadMessageId":
            message_id = str(uuid.uuid4())
        send = functools.partial(self.send, stream, answer, message_id)
        if answer.how == "hold":  # before the line is written, so that whoever reads it may release at once
            self.apple.held[record["token"]].append((self, stream, send))
        self.apple.emit("request", connection=self.number, stream=stream, **record, answer={
            "status": answer.status, "reason": answer.reason, "how": answer.how, "apns-id": message_id})
        if answer.how == "close":
            self.transport.abort()
        elif answer.how == "reset":
            self.h2.reset_stream(stream, answer.reset_code)
            self.streams.pop(stream)
            self.close_if_done()
        elif answer.how == "goaway":
            self.streams.pop(stream)
            self.goaway(max(stream - 2, 0))
        elif answer.delay_ms:
            asyncio.get_running_loop().call_later(answer.delay_ms / 1000, send)
        elif answer.how == "answer":
            send()

    def send(self, stream, answer, message_id):
        if stream not in self.streams:
            return  # cancelled, or the connection is gone
        body = answer.octets()
        headers = [(":status", str(answer.status)), ("apns-id", message_id), *answer.headers]
        if body and not any(name == "content-type" for name, _ in headers):
            headers.append(("content-type", "application/json"))
        self.h2.send_headers(stream, headers, end_stream=not body)
        if body:
            self.unsent[stream] = memoryview(body)
            self.pump(stream)
        else:
            self.streams.pop(stream)
        self.flush()
        self.close_if_done()

    def pump(self, stream):
        """Sends what the client's window allows; a WINDOW_UPDATE calls again."""
        rest = self.unsent[stream]
        while rest:
            size = min(len(rest), self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size)
            if size <= 0:
                self.unsent[stream] = rest
                return
            self.h2.send_data(stream, bytes(rest[:size]), end_stream=size == len(rest))
            rest = rest[size:]
        self.unsent.pop(stream)
        self.streams.pop(stream, None)
        self.close_if_done()

    def goaway(self, last_stream=None):
        """Announces the end as Apple does before maintenance: requests up to `last_stream` are still answered.

        Written by hand because h2's own close_connection would refuse to send those answers.
        """
        if self.transport.is_closing():
            return
        self.closing_after = self.last_stream if last_stream is None else last_stream
        frame = GoAwayFrame(0)
        frame.last_stream_id = self.closing_after
        frame.error_code = ErrorCodes.NO_ERROR
        frame.additional_data = b'{"reason":"Shutdown"}'
        self.flush()
        self.transport.write(frame.serialize())
        for stream in [stream for stream in self.streams if stream > self.closing_after]:
            self.streams.pop(stream)
        self.close_if_done()

    def close_if_done(self):
        if self.closing_after is not None and not self.streams:
            self.flush()
            self.transport.close()

    def reset(self):
        # Lingering for 0 seconds turns the close into a TCP RST.
        raw = self.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


class OldConnection(asyncio.Protocol):
    """A server that negotiates HTTP/1.1 and answers 200 to anything; a client that believes it delivers nothing."""

    def __init__(self, apple):
        self.apple = apple
        self.received = b""

    def connection_made(self, transport):
        self.transport = transport
        self.number = self.apple.enter(self)

    def connection_lost(self, error):
        self.apple.leave(self)

    def goaway(self):
        self.transport.close()

    def reset(self):
        self.transport.abort()

    def data_received(self, octets):
        self.received += octets
        while b"\r\n\r\n" in self.received:
            head, rest = self.received.split(b"\r\n\r\n", 1)
            request_line = head.split(b"\r\n")[0].decode("latin-1")
            length = re.search(rb"(?im)^content-length:\s*(\d+)", head)
            size = int(length[1]) if length else 0
            if not request_line.endswith(" HTTP/1.1"):  # the preface of HTTP/2, for one
                self.transport.close()
                return
            if len(rest) < size:
                return
            self.received = rest[size:]
            self.apple.emit("request", connection=self.number, protocol="http/1.1", request_line=request_line,
                            payload_octets=size, answer={"status": 200, "reason": None, "how": "answer"})
            self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")


class Apple:
    """The service: its connections, the answers ordered for some tokens, and the held requests."""

    def __init__(self, options, provider):
        self.options = options
        self.provider = provider
        self.log = open(options.log, "a", encoding="ascii") if options.log else None
        self.connections = []
        self.entered = 0
        self.ordered = {}  # token: [answer, how many more times or None]
        self.seen = defaultdict(int)
        self.held = defaultdict(deque)
        self.stopped = asyncio.Event()

    def emit(self, event, **fields):
        line = json.dumps({"event": event, **fields}) + "\n"
        if self.log:
            self.log.write(line)
            self.log.flush()
        try:
            sys.stdout.write(line)
            sys.stdout.flush()
        except BrokenPipeError:  # nobody is listening any more
            self.stopped.set()

    def enter(self, connection):
        self.entered += 1
        self.connections.append(connection)
        self.emit("connection", connection=self.entered)
        return self.entered

    def leave(self, connection):
        self.connections.remove(connection)
        self.emit("closed", connection=connection.number)

    def answer_for(self, token):
        ordered = self.ordered.get(token)
        if ordered:
            if ordered[1] is not None:
                ordered[1] -= 1
                if ordered[1] == 0:
                    del self.ordered[token]
            return ordered[0]
        self.seen[token] += 1
        return scripted(token, self.seen[token] - 1)

    def command(self, line):
        try:
            self.obey(line.split())
            self.emit("done", command=line)
        except (ValueError, LookupError) as error:
            self.emit("error", command=line, message=str(error))

    def obey(self, words):
        match words:
            case ["release", token]:
                waiting = self.held[token]
                while waiting:
                    connection, stream, send = waiting.popleft()
                    if stream in connection.streams:
                        return send()
                raise LookupError("no request with this token is held")
            case ["answer", token, "-"]:
                self.ordered.pop(token, None)
            case ["answer", token, status, *rest] if len(rest) <= 2:
                status = int(status)
                reason = rest[0] if rest else USUAL_REASON.get(status)
                times = int(rest[1]) if len(rest) == 2 else None
                if times is not None and times < 1 or not 200 <= status <= 599:
                    raise ValueError("STATUS is 200 to 599, N at least 1")
                self.ordered[token] = [Answer() if status == 200 else refusal(status, reason), times]
            case ["goaway"]:
                for connection in list(self.connections):
                    connection.goaway()
            case ["reset"]:
                for connection in list(self.connections):
                    connection.reset()
            case ["stop"]:
                self.stopped.set()
            case _:
                raise ValueError("unknown command")

    def read_commands(self, loop):
        # Unbuffered: a thread that waits inside Python's buffered reader would hold its lock while the program ends.
        with os.fdopen(0, "rb", buffering=0, closefd=False) as commands:
            for line in commands:
                loop.call_soon_threadsafe(self.command, line.decode(errors="replace").strip())
        loop.call_soon_threadsafe(self.stopped.set)


async def serve(options):
    directory = Path(options.directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    certificate, key_file = make_certificates(directory, options.certificate)
    key = directory / "AuthKey.p8"
    provider = Provider(options.key_id, options.team_id, options.topic, provider_key(key))
    apple = Apple(options, provider)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.minimum_version = ssl.TLSVersion.TLSv1_2
    tls.load_cert_chain(certificate, key_file)
    tls.set_alpn_protocols([options.alpn])
    protocol = Connection if options.alpn == "h2" else OldConnection
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: protocol(apple), "127.0.0.1", options.port, ssl=tls, backlog=512)
    apple.emit("ready", port=server.sockets[0].getsockname()[1], ca=str(directory / "ca.pem"), key=str(key),
               key_id=options.key_id, team_id=options.team_id, topic=options.topic)
    threading.Thread(target=apple.read_commands, args=(loop,), daemon=True).start()
    await apple.stopped.wait()
    server.close()
    for connection in list(apple.connections):
        connection.transport.abort()


def main():
    parser = argparse.ArgumentParser(description="A simulated Apple Push Notification service for tests.")
    parser.add_argument("--directory", help="where the certificates and AuthKey.p8 are kept, made if absent")
    parser.add_argument("--port", type=int, default=0, help="on 127.0.0.1; 0 (the default) takes a free one")
    parser.add_argument("--alpn", choices=["h2", "http/1.1"], default="h2")
    parser.add_argument("--certificate", choices=["good", "wrong-host", "expired"], default="good")
    parser.add_argument("--key-id", default="ABC123DEFG")
    parser.add_argument("--team-id", default="DEF123GHIJ")
    parser.add_argument("--topic", default="pixels.example.app")
    parser.add_argument("--first-stream-limit", type=int, default=100,
                        help="concurrent streams until a valid provider token was seen; Apple's is 1")
    parser.add_argument("--streams", type=int, default=1000, help="concurrent streams from then on")
    parser.add_argument("--log", help="append the lines of standard output to this file as well")
    parser.add_argument("--list-reasons", action="store_true", help="print the c0de tokens' table as JSON and end")
    options = parser.parse_args()
    if options.list_reasons:
        print(json.dumps([{"prefix": f"c0de{row:02x}", "status": status, "reason": reason}
                          for row, (status, reason) in enumerate(REASONS)], indent=1))
        return
    if options.directory is None:
        parser.error("--directory is required")
    try:
        asyncio.run(serve(options))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
