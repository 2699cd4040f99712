"""Apple's bad days, each a row of one table (ROWS), chosen for a run or by a device token.

`--scenario NAME` and the command `scenario NAME` choose a row for all connections and requests from then on; choosing
arms it anew. A device token fa17 + nn chooses row nn (--list-scenarios prints the prefixes) for the requests with this
very token alone. A row decides over whatever the token or the rules would have answered.

A fault that happens on one connection only takes the first that sends a request; should that one end before the fault,
the next takes its place. Requests are counted for each connection by itself, in the order in which they were begun.
"""

import functools
from collections import Counter
from dataclasses import dataclass, field, replace

from h2.errors import ErrorCodes

from apns_rules import Answer, refusal

NEVER = "never"
ONCE = "once, on the first connection"
FIRST = "on the first connection, until it ends"
EVERY = "on every connection"
ALWAYS = "on every request"
START = "from the start: cannot be chosen later, nor by a token"


class Scenario:
    """One use of a row, and what happened since; this one changes nothing."""

    def __init__(self, apple, row):
        self.apple = apple
        self.row = row
        self.victim = None
        self.struck = set()  # the numbers of the connections on which it happened
        self.begun = Counter()  # by the number of the connection
        self.complete = Counter()

    def concerns(self, connection):
        if self.row.fires in (EVERY, ALWAYS):
            return True
        if self.victim is None or self.victim.transport.is_closing() and not self.struck:
            self.victim = connection
        return self.victim is connection

    def strike(self, connection=None, **fields):
        number = connection.number if connection else None
        if number is None or number not in self.struck:
            self.struck.add(number)
            self.apple.emit("fault", scenario=self.row.name, connection=number, **fields)

    def accepting(self):
        """What to do with a new TCP connection instead of the TLS handshake: None, "cut" or "silent"."""

    def first_limit(self, usual):
        """How many streams a new connection announces, or None to leave that to the options."""
        return usual

    def place(self, connection, stream):
        """The place of a request that has just begun among those of its connection, from 1; 0: not concerned."""
        if not self.concerns(connection):
            return 0
        self.begun[connection.number] += 1
        return self.begun[connection.number]

    def decide(self, connection, request, answer):
        """The answer to a complete request in place of `answer`."""
        return answer

    def asked(self, connection, request):
        """After a request was written down and, unless it waits, answered."""

    def answered(self, connection, answer):
        """After an answer with a status has begun to leave."""


class Ambush(Scenario):
    """Answers a connection's first requests, keeps the next few waiting, and strikes when the last of them is there.

    A client that sends fewer than `kept` requests at the same time waits for its answers in vain.
    """

    def __init__(self, apple, row, strike, at=10, kept=5, left_out=0, fate="answered", answer=None,
                 code=ErrorCodes.NO_ERROR):
        super().__init__(apple, row)
        self.how, self.at, self.kept, self.left_out = strike, at, kept, left_out
        self.fate, self.answer, self.code = fate, answer, code
        self.covered = Counter()  # the last stream that the GOAWAY will name

    def place(self, connection, stream):
        place = super().place(connection, stream)
        if 0 < place <= self.at - self.left_out:
            self.covered[connection.number] = stream
        return place

    def decide(self, connection, request, answer):
        if request.place <= self.at - self.kept or connection.number in self.struck:
            return answer
        if self.left_out and request.place > self.at - self.left_out:
            return Answer(None, how="left-out")
        if self.fate != "answered":
            return replace(answer, how="lost") if self.fate == "taken" else Answer(None, how="lost")
        if self.answer:
            return replace(self.answer, how="late")
        return replace(answer, how="late") if answer.how == "answer" else answer

    def asked(self, connection, request):
        if not request.place or connection.number in self.struck:
            return
        self.complete[connection.number] += 1
        if self.complete[connection.number] < self.at:
            return
        self.strike(connection)
        if self.how == "goaway":
            connection.goaway(self.covered[connection.number] if self.left_out else None)
            connection.send_late()
        elif self.how == "goaway-and-close":
            connection.goaway(code=self.code)
            connection.hang_up()
        elif self.how == "reset":
            connection.reset()
        elif self.how == "fin":
            connection.hang_up()


class Idle(Scenario):
    """Ends a connection after an answer, as soon as no other request is waiting."""

    def __init__(self, apple, row, goaway):
        super().__init__(apple, row)
        self.goaway = goaway

    def answered(self, connection, answer):
        if self.concerns(connection) and not self.struck:
            connection.soon(self.end, connection)  # there may be more requests in what was just read

    def end(self, connection):
        if connection.streams or self.struck or connection.transport.is_closing():
            return
        self.strike(connection)
        if self.goaway:
            connection.goaway()
        else:
            connection.hang_up()


class Reset(Scenario):
    def __init__(self, apple, row, code, place=None):
        super().__init__(apple, row)
        self.code, self.which = code, place

    def decide(self, connection, request, answer):
        if request.place and self.which in (None, request.place):
            self.strike(connection, stream=request.stream)
            return Answer(None, how="reset", reset_code=self.code)
        return answer


class Silence(Scenario):
    """Not one octet leaves the connection any more, not even the answer to a PING; what comes in is still read."""

    def __init__(self, apple, row, after):
        super().__init__(apple, row)
        self.after = after

    def decide(self, connection, request, answer):
        if not request.place:
            return answer
        self.complete[connection.number] += 1
        if self.complete[connection.number] <= self.after:
            return answer
        self.strike(connection)
        connection.silent = True
        return Answer(None, how="hang")


class Slow(Scenario):
    def decide(self, connection, request, answer):
        self.strike(connection)
        return replace(answer, delay_ms=1500) if answer.how == "answer" else answer


class SameAnswer(Scenario):
    def __init__(self, apple, row, answer):
        super().__init__(apple, row)
        self.answer = answer

    def decide(self, connection, request, answer):
        if not request.place:
            return answer
        self.strike(connection)
        return self.answer()


class OneStreamFirst(Scenario):
    def first_limit(self, usual):
        return 1

    def answered(self, connection, answer):
        if answer.status == 200:
            connection.announce(1000)


class FlipOnRejection(Scenario):
    def answered(self, connection, answer):
        if answer.status == 200:
            connection.announce(1000)
        elif answer.status != 410:
            self.strike(connection)
            connection.announce(1)


class Handshake(Scenario):
    def __init__(self, apple, row, how):
        super().__init__(apple, row)
        self.how = how

    def accepting(self):
        if self.row.fires != EVERY and self.struck:
            return None
        self.strike()
        return self.how


@functools.cache
def ten_megabytes():
    return b'{"reason":"' + b"A" * 10_000_000 + b'"}'


@dataclass(frozen=True)
class Row:
    name: str
    fires: str
    does: str
    kind: type = Scenario
    parameters: dict = field(default_factory=dict)
    options: dict = field(default_factory=dict)  # what it stands for on the command line

    @property
    def by_token(self):
        return self.fires != START and not issubclass(self.kind, (Handshake, OneStreamFirst))

    def begin(self, apple):
        return self.kind(apple, self, **self.parameters)


# The position is the number in a fa17 token, so new rows go to the end.
ROWS = [
    Row("calm", NEVER, "every request is answered as its token asks"),
    Row("goaway-graceful", ONCE, "with the 10th request GOAWAY that covers all; it is answered and the connection "
        "closed once no request waits", Ambush, {"strike": "goaway", "kept": 1}),
    Row("goaway-graceful-always", EVERY, "goaway-graceful: no connection lives for more than 10 requests",
        Ambush, {"strike": "goaway", "kept": 1}),
    Row("goaway-mid-flight", ONCE, "requests 6 to 10 wait; with the 10th GOAWAY that covers all, then their answers, "
        "the latest first, then the end", Ambush, {"strike": "goaway"}),
    Row("goaway-lower", ONCE, "requests 6 to 10 wait; with the 10th GOAWAY that leaves out 8 and later, which are not "
        "taken; 6 and 7 are answered", Ambush, {"strike": "goaway", "left_out": 3}),
    Row("goaway-refused-always", EVERY, "GOAWAY that leaves out the very first request: nothing is ever taken",
        Ambush, {"strike": "goaway", "at": 1, "kept": 1, "left_out": 1}),
    Row("goaway-reason", ONCE, 'requests 6 to 10 wait; with the 10th GOAWAY {"reason":"Shutdown"} that covers all, '
        "and the end: they are not taken and not answered", Ambush, {"strike": "goaway-and-close", "fate": "lost"}),
    Row("goaway-calm", ONCE, "goaway-reason with the error ENHANCE_YOUR_CALM", Ambush,
        {"strike": "goaway-and-close", "fate": "lost", "code": ErrorCodes.ENHANCE_YOUR_CALM}),
    Row("goaway-idle", ONCE, "GOAWAY and the end after an answer, when no request waits", Idle, {"goaway": True}),
    Row("reset-internal", ONCE, "RST_STREAM INTERNAL_ERROR for the 5th request", Reset,
        {"code": ErrorCodes.INTERNAL_ERROR, "place": 5}),
    Row("reset-cancel", ONCE, "RST_STREAM CANCEL for the 5th request", Reset,
        {"code": ErrorCodes.CANCEL, "place": 5}),
    Row("reset-calm", ONCE, "RST_STREAM ENHANCE_YOUR_CALM for the 5th request", Reset,
        {"code": ErrorCodes.ENHANCE_YOUR_CALM, "place": 5}),
    Row("refused-once", ONCE, "RST_STREAM REFUSED_STREAM for the 5th request", Reset,
        {"code": ErrorCodes.REFUSED_STREAM, "place": 5}),
    Row("refused-always", ALWAYS, "RST_STREAM REFUSED_STREAM", Reset, {"code": ErrorCodes.REFUSED_STREAM}),
    Row("one-stream-first", EVERY, "one stream at a time until the first 200, then 1000; a stream too many is refused "
        "with REFUSED_STREAM (new connections only)", OneStreamFirst),
    Row("flip-on-rejection", EVERY, "after each status but 200 and 410 one stream at a time until the next 200, then "
        "1000; enforced once the client has acknowledged it", FlipOnRejection),
    Row("silent-after-10", FIRST, "10 requests are answered, then not an octet leaves any more", Silence,
        {"after": 10}),
    Row("silent-from-first", FIRST, "no request is answered and not an octet leaves any more", Silence, {"after": 0}),
    Row("silent-always", EVERY, "silent-from-first", Silence, {"after": 0}),
    Row("slow", ALWAYS, "each answer comes after 1.5 seconds, many at the same time", Slow),
    Row("tcp-reset-mid-flight", ONCE, "requests 5 to 10 wait; with the 10th a TCP reset: they are not taken "
        "(it may overtake answers to earlier ones, which were)",
        Ambush, {"strike": "reset", "kept": 6, "fate": "lost"}),
    Row("tcp-reset-answers-lost", ONCE, "tcp-reset-mid-flight, but 5 to 10 are taken: only their answers are lost",
        Ambush, {"strike": "reset", "kept": 6, "fate": "taken"}),
    Row("tcp-reset-always", EVERY, "a TCP reset for the very first request: nothing is ever taken", Ambush,
        {"strike": "reset", "at": 1, "kept": 1, "fate": "lost"}),
    Row("fin-mid-flight", ONCE, "requests 5 to 10 wait; with the 10th the end of the connection: they are not taken",
        Ambush, {"strike": "fin", "kept": 6, "fate": "lost"}),
    Row("fin-idle", ONCE, "the end of the connection after an answer, when no request waits", Idle,
        {"goaway": False}),
    Row("tls-cut", ONCE, "TCP is accepted and ended at the first octets of the TLS handshake", Handshake,
        {"how": "cut"}),
    Row("tls-cut-always", EVERY, "tls-cut", Handshake, {"how": "cut"}),
    Row("accept-then-silent", ONCE, "TCP is accepted, TLS never answered", Handshake, {"how": "silent"}),
    Row("accept-then-silent-always", EVERY, "accept-then-silent", Handshake, {"how": "silent"}),
    Row("endless-body", ALWAYS, "400 and a body that has no end, as fast as the client takes it", SameAnswer,
        {"answer": lambda: Answer(400, body=b" " * 16384, endless=True)}),
    Row("body-10mb", ALWAYS, "503 with 10 MB of JSON", SameAnswer,
        {"answer": lambda: Answer(503, body=ten_megabytes())}),
    Row("not-json", ALWAYS, "400 with a body that is no JSON, whatever its type says", SameAnswer,
        {"answer": lambda: Answer(400, body=b"BadDeviceToken")}),
    Row("wedge-expired", FIRST, "403 ExpiredProviderToken for everything", SameAnswer,
        {"answer": lambda: refusal(403, "ExpiredProviderToken")}),
    Row("wedge-internal", FIRST, "500 InternalServerError for everything", SameAnswer,
        {"answer": lambda: refusal(500, "InternalServerError")}),
    Row("shutdown-503", ONCE, "503 Shutdown for the first request, after a GOAWAY that covers all received", Ambush,
        {"strike": "goaway", "at": 1, "kept": 1, "answer": refusal(503, "Shutdown")}),
    Row("wrong-authority", START, "the certificate is not the announced authority's",
        options={"certificate": "wrong-authority"}),
    Row("wrong-host", START, "the certificate is for another host", options={"certificate": "wrong-host"}),
    Row("expired-certificate", START, "the certificate ended yesterday", options={"certificate": "expired"}),
    Row("http-1-1-only", START, "HTTP/1.1, which answers 200 to anything and takes nothing",
        options={"alpn": "http/1.1"}),
    Row("tls-1-1-only", START, "nothing newer than TLS 1.1", options={"tls": "1.1"}),
]
BY_NAME = {row.name: row for row in ROWS}
NO_SUCH_ROW = Row("no-such-row", ALWAYS, "501 NoSuchRow: a mistake of the test, in an answer that none expects",
                  SameAnswer, {"answer": lambda: Answer(501, "NoSuchRow")})


def row_of_token(token):
    """The row that a device token asks for, or None if it is no fa17 token."""
    if not token.startswith("fa17"):
        return None
    try:
        row = ROWS[int(token[4:6], 16)]
    except (ValueError, IndexError):
        return NO_SUCH_ROW
    return row if row.by_token else NO_SUCH_ROW


def listed():
    return [{"name": row.name, "fires": row.fires, "does": row.does,
             "token": f"fa17{number:02x}" if row.by_token else None,
             "options": [f"--{name}={value}" for name, value in row.options.items()]}
            for number, row in enumerate(ROWS)]
