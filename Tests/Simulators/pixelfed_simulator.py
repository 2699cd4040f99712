#!/usr/bin/env python3
"""A simulated Pixelfed on the loopback, for tests: registers subscriptions and sends Web Push as pixelfed#6974 does.

Its routes are those that an app calls; pixelfed_rules.py has what it takes and how it words a refusal, and
pixelfed_sender.py what it posts to an endpoint. A user's notification goes to all of the user's subscriptions, three
times in all if one of them failed, and only 404 and 410 make it forget one. It does not wait between the tries.

    pixelfed_simulator.py [--port 0] [--domain NAME] [--without-vapid]

Standard output is one JSON object a line, `ready` with its address first. Standard input takes commands, each
acknowledged by `done`, which carries what it came to, or by `error`:

    route ORIGIN [ADDRESS]      what the host of a push service resolves to: 127.0.0.1:8080, or nothing
    sign-in USER [SCOPE...]     an access token; with push among the scopes it can register
    revoke TOKEN                the access token is none any more
    notify USER TYPE ACTOR [ACCOUNT [STATUS]]
                                tells of what ACTOR did, with the ids or - for none; see Pixelfed.notify
    subscriptions USER          the endpoints, the oldest first
    answer STATUS [N]           the next N requests of apps (default: 1) get this status instead; 0 for none
    stop                        end; so does the end of the input, so that it dies with its parent
"""

import argparse
import json
import secrets
import sys
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from pixelfed_rules import (INSTANCE, METHODS, PUSH, Refusal, fields_of, origin, resource, validated,
                            wants_json)
from pixelfed_sender import Sender

MOST_SUBSCRIPTIONS = 10
TRIES = 3
FORGETTING = {404, 410}


@dataclass
class Subscription:
    id: int
    user: str
    access_token: str
    endpoint: str
    p256dh: str
    auth: str

    @property
    def origin(self):
        return origin(self.endpoint)


class Pixelfed:
    """An instance: who is signed in, the subscriptions, the names it can resolve, and its VAPID key."""

    def __init__(self, domain, has_vapid):
        self.sender = Sender(domain)
        self.domain = domain
        self.public_key = self.sender.public_key if has_vapid else None
        self.lock = threading.Lock()
        self.routes = {}  # origin: address
        self.scopes = {}  # access token: (user, scopes)
        self.rows = []
        self.registrations = 0
        self.ordered = []

    # What apps call.

    def answer(self, method, path, headers, body):
        """The status of the answer and its JSON."""
        try:
            with self.lock:
                return 200, self.result(method, path.partition("?")[0], headers, body)
        except Refusal as refusal:
            return refusal.status, refusal.body(wants_json(headers.get("Accept", "")))

    def result(self, method, path, headers, body):
        if self.ordered:
            raise Refusal(self.ordered.pop(0), "Service Unavailable")
        if path not in METHODS:
            raise Refusal(404, f"The route {path[1:]} could not be found.")
        if method not in METHODS[path]:
            raise Refusal(405, f"The {method} method is not supported for route {path[1:]}. "
                               f"Supported methods: {', '.join(METHODS[path])}.")
        if path == INSTANCE:
            return {"domain": self.domain, "title": "Pixelfed", "version": "4.2.0 (compatible; Pixelfed 0.12.7)",
                    "configuration": {"vapid": {"public_key": self.public_key}}}
        token = headers.get("Authorization", "").removeprefix("Bearer ")
        if token not in self.scopes:
            raise Refusal(401, "Unauthenticated.")
        user, scopes = self.scopes[token]
        if PUSH not in scopes:
            raise Refusal(403, "")
        if method == "DELETE":
            self.rows = [row for row in self.rows if (row.user, row.access_token) != (user, token)]
            return []  # not an object
        if not self.public_key:
            raise Refusal(404, "Push notifications are not supported on this server.")
        return self.register(user, token, *validated(fields_of(headers.get("Content-Type", ""), body), self.routes))

    def register(self, user, token, endpoint, p256dh, auth):
        own = [row for row in self.rows if row.user == user]
        row = next((row for row in own if row.endpoint == endpoint), None)
        if row is None:
            excess = own[:max(0, len(own) - (MOST_SUBSCRIPTIONS - 1))]
            # An endpoint is one user's alone: whoever had it loses it.
            self.rows = [row for row in self.rows if row not in excess and row.endpoint != endpoint]
            self.registrations += 1
            row = Subscription(self.registrations, user, token, endpoint, p256dh, auth)
            self.rows.append(row)
        row.access_token, row.p256dh, row.auth = token, p256dh, auth
        return resource(row, self.public_key)

    # What the test says.

    def notify(self, user, kind, actor, account=None, status=None):
        """Runs the job, and says how: how often it was tried, whether it was given up, and each post.

        A post has the number of its try, the endpoint, and the status of the answer; without one the reason.
        """
        message = self.sender.message(kind, actor, account, status)
        posts = []
        for attempt in range(1, TRIES + 1):
            failed = False
            for row in self.of(user):
                if row.origin not in self.routes:
                    continue  # a name that does not resolve is skipped with a line in the log, and not tried again
                post = {"try": attempt, "endpoint": row.endpoint}
                try:
                    post["status"] = self.sender.post(message, row, self.routes[row.origin])
                except (OSError, ValueError) as error:
                    post["reason"] = str(error) or type(error).__name__
                posts.append(post)
                status_code = post.get("status", 0)
                if status_code in FORGETTING:
                    with self.lock:
                        self.rows = [other for other in self.rows if other.id != row.id]
                elif not 200 <= status_code < 400:
                    failed = True
            if not failed:
                break
        return {"tries": attempt, "given_up": failed, "posts": posts}

    def of(self, user):
        with self.lock:
            return [row for row in self.rows if row.user == user]

    def obey(self, words):
        match words:
            case ["route", origin]:
                self.routes.pop(origin, None)
            case ["route", origin, address]:
                self.routes[origin] = address
            case ["sign-in", user, *scopes]:
                token = secrets.token_urlsafe(24)
                with self.lock:
                    self.scopes[token] = (user, scopes)
                return {"token": token}
            case ["revoke", token]:
                with self.lock:
                    del self.scopes[token]
            case ["notify", user, kind, actor, *ids] if len(ids) <= 2:
                return self.notify(user, kind, actor, *(None if id == "-" else id for id in ids))
            case ["subscriptions", user]:
                return {"endpoints": [row.endpoint for row in self.of(user)]}
            case ["answer", status, *times] if len(times) <= 1:
                with self.lock:
                    self.ordered = [int(status)] * int(times[0] if times else 1)
            case _:
                raise ValueError("unknown command")
        return {}


def handler(pixelfed):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # an answer is written at once

        def respond(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, result = pixelfed.answer(self.command, self.path, self.headers, body)
            octets = json.dumps(result).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(octets)))
            self.end_headers()
            self.wfile.write(octets)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = respond

        def log_message(self, *_):
            pass

    return Handler


def emit(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


def main():
    parser = argparse.ArgumentParser(description="A simulated Pixelfed for tests.")
    parser.add_argument("--port", type=int, default=0, help="on 127.0.0.1; 0 (the default) takes a free one")
    parser.add_argument("--domain", default="pixels.example", help="its name")
    parser.add_argument("--without-vapid", action="store_true", help="its administrator has made no keys")
    options = parser.parse_args()
    pixelfed = Pixelfed(options.domain, not options.without_vapid)
    server = ThreadingHTTPServer(("127.0.0.1", options.port), handler(pixelfed))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    emit("ready", address=f"http://127.0.0.1:{server.server_port}", vapid=pixelfed.public_key)
    for line in sys.stdin:
        command = line.strip()
        if command == "stop":
            break
        try:
            emit("done", command=command, **pixelfed.obey(command.split()))
        except (ValueError, LookupError) as error:
            emit("error", command=command, message=str(error))


if __name__ == "__main__":
    main()
