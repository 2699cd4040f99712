#!/usr/bin/env python3
"""A simulated Apple Push Notification service: HTTP/2 over TLS on the loopback, for tests and the demonstration.

It speaks through Debian's python3-h2, which shares no code with the client under test, and holds every request to
Apple's rules (apns_rules.py, where the magic device tokens are listed) unless a scenario has it fail
(apns_scenarios.py, where those are). Nothing is ever delivered anywhere.

    apns_simulator.py --directory DIR [--port 0] [--scenario NAME]

Standard output is one JSON object a line: `ready` first, then `connection`, `request`, `cancelled`, `closed`, `goaway`,
`fault` (a scenario struck), `count`, `done`, `error`. Read it all the time: a full pipe stops the simulator. A
`request` line is written before its answer is sent, and for a request that waits before the wait; `accepted` in it says
whether the notification was taken. Standard input takes commands, each acknowledged by `done` or `error`:

    release TOKEN                       answer the oldest held request with this token
    answer TOKEN STATUS [REASON [N]]    the next N requests with this token (default: all) get this answer
    answer TOKEN -                      back to the token's own answer
    scenario NAME                       another scenario for the connections and requests from now on; counts anew
    count                               writes a `count` line; see Apple.counted
    goaway                              a graceful GOAWAY on every connection
    reset                               drop every connection with a TCP reset
    stop                                end; so does the end of the input, so that it dies with its parent
"""

import argparse
import asyncio
import json
import os
import socket
import ssl
import sys
import threading
import time
import warnings
from collections import defaultdict, deque
from email.utils import formatdate
from pathlib import Path

from apns_connection import Connection, OldConnection
from apns_identity import make_certificates, provider_key
from apns_rules import REASONS, USUAL_REASON, Answer, Provider, refusal, scripted
from apns_scenarios import BY_NAME, START, listed, row_of_token

# What is still written with --quiet.
NEEDED = {"ready", "done", "error", "count", "goaway", "fault"}


class Apple:
    """The service: its connections, the answers ordered for some tokens, the scenarios, and the held requests."""

    def __init__(self, options, provider):
        self.options = options
        self.provider = provider
        self.log = open(options.log, "a", encoding="ascii") if options.log else None
        self.connections = []
        self.sockets = self.entered = self.requests = self.accepted = self.over_limit = 0
        self.ids = set()
        self.accepted_ids = set()
        self.abandoned = []  # the sockets that will never be answered
        self.scenario = BY_NAME[options.scenario].begin(self)
        self.scenarios_by_token = {}
        self.ordered = {}  # token: [answer, how many more times or None]
        self.seen = defaultdict(int)
        self.held = defaultdict(deque)
        self.stopped = asyncio.Event()

    def emit(self, event, **fields):
        said = not self.options.quiet or event in NEEDED
        if not said and not self.log:
            return
        line = json.dumps({"event": event, **fields}) + "\n"
        if self.log:
            self.log.write(line)
            self.log.flush()
        if not said:
            return
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

    def take(self, connection, answer, message_id, taken=True, **record):
        """Counts a complete request and writes it down."""
        accepted = taken and answer.status == 200
        self.requests += 1
        self.ids.add(message_id)
        if accepted:
            self.accepted += 1
            self.accepted_ids.add(message_id)
        self.emit("request", connection=connection.number, **record, accepted=accepted, answer={
            "status": answer.status, "reason": answer.reason, "how": answer.how, "apns-id": message_id})

    def counted(self):
        """Lost: distinct_ids - accepted_ids. Delivered twice: accepted - accepted_ids."""
        return {
            "sockets": self.sockets,  # TCP connections
            "connections": self.entered,  # those that completed the TLS handshake
            "open": len(self.connections),
            "requests": self.requests, "accepted": self.accepted,
            "distinct_ids": len(self.ids), "accepted_ids": len(self.accepted_ids),
            "over_limit": self.over_limit,  # streams refused because there were too many
        }

    def date(self):
        return formatdate(time.time() + self.options.date_offset, usegmt=True)

    def scenario_for(self, headers):
        """What a request that has just begun is under: its token's own scenario, or the one of the run."""
        path = next((value for name, value in headers if name == b":path"), b"").decode("latin-1")
        token = path.rpartition("/")[2]
        row = row_of_token(token)
        if row is None:
            return self.scenario
        if token not in self.scenarios_by_token:
            self.scenarios_by_token[token] = row.begin(self)
        return self.scenarios_by_token[token]

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
            case ["scenario", name]:
                if BY_NAME[name].fires == START:
                    raise ValueError("this scenario can only be chosen at the start")
                self.scenario = BY_NAME[name].begin(self)
            case ["count"]:
                self.emit("count", **self.counted())
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


async def welcome(apple, accepted, tls):
    """One TCP connection, up to the end of its TLS handshake."""
    loop = asyncio.get_running_loop()
    apple.sockets += 1
    how = apple.scenario.accepting()
    protocol = Connection if apple.options.alpn == "h2" else OldConnection
    if how == "silent":
        apple.abandoned.append(accepted)
        return
    try:
        if how == "cut":
            with accepted:
                await loop.sock_recv(accepted, 65536)
        else:
            await loop.connect_accepted_socket(lambda: protocol(apple), accepted, ssl=tls)
    except OSError:  # the client ended it, or did not trust the certificate
        pass


async def accept(apple, listener, tls):
    tasks = set()
    while True:
        accepted, _ = await asyncio.get_running_loop().sock_accept(listener)
        task = asyncio.create_task(welcome(apple, accepted, tls))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


async def serve(options):
    directory = Path(options.directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    certificate, key_file = make_certificates(directory, options.certificate)
    key = directory / "AuthKey.p8"
    provider = Provider(options.key_id, options.team_id, options.topic, provider_key(key))
    apple = Apple(options, provider)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.minimum_version = ssl.TLSVersion.TLSv1_2
    if options.tls == "1.1":
        warnings.simplefilter("ignore", DeprecationWarning)  # that it is out of date is the point
        tls.minimum_version = tls.maximum_version = ssl.TLSVersion.TLSv1_1
        tls.set_ciphers("DEFAULT:@SECLEVEL=0")
    tls.load_cert_chain(certificate, key_file)
    tls.set_alpn_protocols([options.alpn])
    loop = asyncio.get_running_loop()
    listener = socket.create_server(("127.0.0.1", options.port), backlog=512)
    listener.setblocking(False)
    apple.emit("ready", port=listener.getsockname()[1], ca=str(directory / "ca.pem"), key=str(key),
               key_id=options.key_id, team_id=options.team_id, topic=options.topic)
    threading.Thread(target=apple.read_commands, args=(loop,), daemon=True).start()
    accepting = asyncio.create_task(accept(apple, listener, tls))
    stopped = asyncio.create_task(apple.stopped.wait())
    await asyncio.wait([accepting, stopped], return_when=asyncio.FIRST_COMPLETED)
    if accepting.done():
        accepting.result()  # it never ends but by an error
    accepting.cancel()
    listener.close()
    for abandoned in apple.abandoned:
        abandoned.close()
    for connection in list(apple.connections):
        connection.transport.abort()


def main():
    parser = argparse.ArgumentParser(description="A simulated Apple Push Notification service for tests.")
    parser.add_argument("--directory", help="where the certificates and AuthKey.p8 are kept, made if absent")
    parser.add_argument("--port", type=int, default=0, help="on 127.0.0.1; 0 (the default) takes a free one")
    parser.add_argument("--alpn", choices=["h2", "http/1.1"], default="h2")
    parser.add_argument("--certificate", choices=["good", "wrong-host", "expired", "wrong-authority"],
                        default="good")
    parser.add_argument("--tls", choices=["1.2", "1.1"], default="1.2", help="1.2 and later, or only 1.1")
    parser.add_argument("--key-id", default="ABC123DEFG")
    parser.add_argument("--team-id", default="DEF123GHIJ")
    parser.add_argument("--topic", default="pixels.example.app")
    parser.add_argument("--first-stream-limit", type=int, default=100,
                        help="concurrent streams until a valid provider token was seen; Apple's is 1")
    parser.add_argument("--streams", type=int, default=1000, help="concurrent streams from then on")
    parser.add_argument("--scenario", choices=BY_NAME, default="calm", metavar="NAME",
                        help="what goes wrong; --list-scenarios tells")
    parser.add_argument("--date-offset", type=int, default=0, metavar="SECONDS",
                        help="how far the date in the answers is ahead of the clock")
    parser.add_argument("--quiet", action="store_true", help="no lines for connections and requests")
    parser.add_argument("--log", help="append all lines to this file as well")
    parser.add_argument("--list-reasons", action="store_true", help="print the c0de tokens' table as JSON and end")
    parser.add_argument("--list-scenarios", action="store_true", help="print the scenarios as JSON and end")
    options = parser.parse_args()
    if options.list_scenarios:
        print(json.dumps(listed(), indent=1))
        return
    if options.list_reasons:
        print(json.dumps([{"prefix": f"c0de{row:02x}", "status": status, "reason": reason}
                          for row, (status, reason) in enumerate(REASONS)], indent=1))
        return
    for name, value in BY_NAME[options.scenario].options.items():
        setattr(options, name, value)
    if options.directory is None:
        parser.error("--directory is required")
    try:
        asyncio.run(serve(options))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
