"""What the simulated Apple knows: its reasons, its magic device tokens, and the rules a request has to obey.

Pure functions over values; sockets and time-outs are in apns_simulator.py. The rules follow Apple's pages "Sending
notification requests to APNs", "Handling notification responses from APNs" and "Establishing a token-based connection
to APNs". Where Apple is silent or tolerant and the relay should not rely on it, the simulator is the stricter one.
"""

import base64
import hashlib
import json
import re
import time
from dataclasses import dataclass, field

import jwt

# Every answer Apple documents for device pushes, then what it might add one day. The position is the row number of a
# `c0de` token, so new rows go to the end.
REASONS = [
    (200, None),
    (400, "BadCollapseId"), (400, "BadDeviceToken"), (400, "BadExpirationDate"), (400, "BadMessageId"),
    (400, "BadPriority"), (400, "BadTopic"), (400, "DeviceTokenNotForTopic"), (400, "DuplicateHeaders"),
    (400, "IdleTimeout"), (400, "InvalidPushType"), (400, "MissingDeviceToken"), (400, "MissingTopic"),
    (400, "PayloadEmpty"), (400, "TopicDisallowed"),
    (403, "BadCertificate"), (403, "BadCertificateEnvironment"), (403, "ExpiredProviderToken"), (403, "Forbidden"),
    (403, "InvalidProviderToken"), (403, "MissingProviderToken"), (403, "UnrelatedKeyIdInToken"),
    # Apple documents the first spelling and has been seen to send the second.
    (403, "BadEnvironmentKeyIdInToken"), (403, "BadEnvironmentKeyInToken"),
    (404, "BadPath"), (405, "MethodNotAllowed"), (410, "ExpiredToken"), (410, "Unregistered"),
    (413, "PayloadTooLarge"), (429, "TooManyProviderTokenUpdates"), (429, "TooManyRequests"),
    (500, "InternalServerError"), (503, "ServiceUnavailable"), (503, "Shutdown"),
    (400, "SomethingNew"), (403, "SomethingNew"), (410, "SomethingNew"), (429, "SomethingNew"),
    (500, "SomethingNew"), (503, "SomethingNew"), (418, "SomethingNew"),
]

# The reason that goes with a status where only the status was asked for.
USUAL_REASON = {
    400: "BadDeviceToken", 403: "InvalidProviderToken", 404: "BadPath", 405: "MethodNotAllowed", 410: "Unregistered",
    413: "PayloadTooLarge", 429: "TooManyRequests", 500: "InternalServerError", 503: "ServiceUnavailable",
}

# A device token that starts like one of these chooses its own answer, once the request has passed every check. Fill it
# up with any hex digits to the length you want. n = one hex digit, d = one decimal digit.
MAGIC_TOKENS = """
dead        410 Unregistered, timestamp now
01d         410 Unregistered, timestamp in 2020: before any registration of today
bad0        400 BadDeviceToken
all zeros   the same: no device has it, at Apple either
c0denn      row nn of REASONS (--list-reasons prints them with their prefixes)
fa11n       the first n requests with this very token: 503 ServiceUnavailable; later ones: 200
510edddd    200 after dddd milliseconds
0ff0        never answered
401dddd     401d + ddd: held until `release TOKEN`, then status ddd with its usual reason
c105        the TCP connection is closed instead of an answer
4e5ecn      RST_STREAM with error code c for the first n requests with this token (f: for all); later ones: 200
90a4        the first request: GOAWAY that leaves this stream out (safe to repeat elsewhere); later ones: 200
0badn       unreadable answers, see unreadable()
fa17nn      scenario nn, for the requests with this very token (--list-scenarios; apns_scenarios.py)
other       200
"""


@dataclass
class Answer:
    """What goes back. `how` is answer, hold, hang, close, reset or goaway; `body` replaces Apple's JSON.

    A scenario adds late (answered when it allows), lost (never answered) and left-out (by a GOAWAY). A status of 200
    means that the notification is taken, whether or not the answer reaches anyone.
    """

    status: int | None = 200
    reason: str | None = None
    how: str = "answer"
    timestamp: object = None
    body: bytes | None = None
    headers: list = field(default_factory=list)
    delay_ms: int = 0
    reset_code: int = 0
    endless: bool = False  # the body begins anew at its end

    def octets(self):
        if self.body is not None:
            return self.body
        if self.reason is None:
            return b""
        body = {"reason": self.reason}
        if self.timestamp is not None:
            body["timestamp"] = self.timestamp
        return json.dumps(body).encode()


def milliseconds():
    return int(time.time() * 1000)


def refusal(status, reason):
    """An answer as Apple words it: only 410 carries a timestamp, in milliseconds."""
    return Answer(status, reason, timestamp=milliseconds() if status == 410 else None)


def unreadable(digit):
    """Answers that Apple should never give, and that must not trap, confuse or delay its client."""
    now = milliseconds()
    return {
        "0": Answer(500, body=b"<html><body><h1>500 Internal Server Error</h1></body></html>",
                    headers=[("content-type", "text/html")]),
        "1": Answer(400, body=b""),
        "2": Answer(403, body=b'{"reason":"\xff\xfe\x80"}'),
        "3": Answer(410, body=b""),
        "4": Answer(410, "Unregistered", timestamp=now // 1000),
        "5": Answer(400, body=b'{"reason":"' + b"A" * (1 << 20) + b'"}'),
        "6": Answer(410, "Unregistered", timestamp=-1),
        "7": Answer(410, "Unregistered", timestamp=str(now)),
        "8": Answer(410, "Unregistered", timestamp=1 << 63),
        "9": Answer(400, body=b'{"reason":"BadDevi'),
        "a": Answer(400, body=b'{"reason":7}'),
        "b": Answer(301, body=b"", headers=[("location", "https://localhost:1/3/device/elsewhere")]),
        "c": Answer(400, "baddevicetoken"),
        "d": Answer(200, body=b'{"reason":"BadDeviceToken"}'),
        "e": Answer(410, "Unregistered", timestamp=now + 0.5),
        "f": Answer(503, "ServiceUnavailable", headers=[("retry-after", "120")]),
    }[digit]


def scripted(token, seen):
    """The answer a magic token asks for. `seen` counts the earlier accepted requests with the same token."""
    if token.startswith("dead"):
        return refusal(410, "Unregistered")
    if token.startswith("01d"):
        return Answer(410, "Unregistered", timestamp=1_577_836_800_000)
    if token.startswith("bad0") or not token.strip("0"):
        return refusal(400, "BadDeviceToken")
    if token.startswith("c0de"):
        row = int(token[4:6], 16)
        # A row that does not exist is a mistake of the test: an answer that no test expects makes it visible.
        return refusal(*REASONS[row]) if row < len(REASONS) else Answer(501, "NoSuchRow")
    if token.startswith("fa11"):
        return refusal(503, "ServiceUnavailable") if seen < int(token[4], 16) else Answer()
    if token.startswith("510e") and token[4:8].isdigit():
        return Answer(delay_ms=int(token[4:8]))
    if token.startswith("0ff0"):
        return Answer(None, how="hang")
    if token.startswith("401d") and token[4:7].isdigit():
        answer = refusal(int(token[4:7]), USUAL_REASON.get(int(token[4:7])))
        answer.how = "hold"
        return answer
    if token.startswith("c105"):
        return Answer(None, how="close")
    if token.startswith("4e5e"):
        if token[5] == "f" or seen < int(token[5], 16):
            return Answer(None, how="reset", reset_code=int(token[4], 16))
        return Answer()
    if token.startswith("90a4"):
        return Answer(None, how="goaway") if seen == 0 else Answer()
    if token.startswith("0bad"):
        return unreadable(token[4])
    return Answer()


@dataclass
class Provider:
    """The one team, key and app that this Apple knows."""

    key_id: str
    team_id: str
    topic: str
    public_key: object


def part_of_jwt(text):
    # Python's decoder skips characters outside the alphabet and accepts padding; JOSE (RFC 7515, 2) knows neither.
    if not re.fullmatch(r"[A-Za-z0-9_-]+", text):
        raise ValueError("not base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def check_provider_token(authorization, provider, now):
    """(reason or None, what the token says or None, remarks). PyJWT checks the signature: not the relay's own code."""
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token:
        return "InvalidProviderToken", None, []
    try:
        parts = token.split(".")
        header, claims, signature = (part_of_jwt(part) for part in parts)
        header, claims = json.loads(header), json.loads(claims)
    except (ValueError, RecursionError):
        return "InvalidProviderToken", None, []
    said = {
        "header": header, "claims": claims, "signature_octets": len(signature),
        # Tells one token from the next without giving it away.
        "digest": hashlib.sha256(token.encode()).hexdigest()[:16],
    }
    if not isinstance(header, dict) or not isinstance(claims, dict):
        return "InvalidProviderToken", said, []
    remarks = [f"JWT header has {name!r}" for name in header if name not in ("alg", "kid")]
    remarks += [f"JWT claims have {name!r}" for name in claims if name not in ("iss", "iat")]
    # Apple has been seen to accept DER signatures and `iat` as text. Nothing promises that it will tomorrow.
    issued = claims.get("iat")
    sound = (
        header.get("alg") == "ES256" and header.get("kid") == provider.key_id
        and claims.get("iss") == provider.team_id and type(issued) is int and len(signature) == 64
    )
    try:
        # Apple's rules for the age differ from PyJWT's, so only the signature is left to it.
        jwt.decode(token, provider.public_key, algorithms=["ES256"], options={
            "verify_iat": False, "verify_exp": False, "verify_nbf": False, "verify_aud": False})
    except jwt.InvalidTokenError:
        sound = False
    if not sound or issued > now + 3600:
        return "InvalidProviderToken", said, remarks
    return ("ExpiredProviderToken" if issued < now - 3600 else None), said, remarks


APS_KEYS = {
    "alert", "badge", "sound", "thread-id", "category", "content-available", "mutable-content", "target-content-id",
    "interruption-level", "relevance-score", "filter-criteria", "stale-date", "content-state", "timestamp", "event",
    "dismissal-date", "attributes-type", "attributes",
}
ALERT_KEYS = {
    "title", "subtitle", "body", "launch-image", "title-loc-key", "title-loc-args", "subtitle-loc-key",
    "subtitle-loc-args", "loc-key", "loc-args",
}


def read_payload(body):
    """(parsed JSON or None, remarks). Apple accepts nearly any JSON and then shows nothing, so these are remarks."""
    remarks = []

    def unique(pairs):
        if len({name for name, _ in pairs}) != len(pairs):
            remarks.append("a JSON object names a key twice")
        return dict(pairs)

    def constant(name):
        raise ValueError(f"{name} is not JSON")

    try:
        payload = json.loads(body.decode(), object_pairs_hook=unique, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        return None, [f"the payload is not JSON in UTF-8: {error}"]
    aps = payload.get("aps") if isinstance(payload, dict) else None
    if not isinstance(aps, dict):
        return payload, remarks + ["the payload has no aps object"]
    remarks += [f"aps has {name!r}, which Apple ignores there" for name in aps if name not in APS_KEYS]
    alert = aps.get("alert")
    if isinstance(alert, dict):
        remarks += [f"alert has {name!r}" for name in alert if name not in ALERT_KEYS]
        remarks += [f"alert.{name} is not a string" for name in ("title", "body") if type(alert.get(name)) is not str]
    else:
        remarks.append("aps.alert is not an object")
    badge = aps.get("badge", 0)
    if type(badge) is not int or badge < 0:
        remarks.append("aps.badge is not a non-negative integer")
    if not isinstance(aps.get("sound", ""), (str, dict)):
        remarks.append("aps.sound is neither a string nor an object")
    return payload, remarks


KNOWN_HEADERS = {"apns-id", "apns-topic", "apns-push-type", "apns-priority", "apns-expiration", "apns-collapse-id"}


def judge(pairs, body, provider, now):
    """The record of one request and the first refusal it earns, or None. `pairs` are the header octets as received."""
    pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in pairs]
    every = {}
    for name, value in pairs:
        every.setdefault(name, []).append(value)
    first = {name: values[0] for name, values in every.items()}
    path = first.get(":path", "")
    token = path[len("/3/device/"):] if path.startswith("/3/device/") else None
    payload, remarks = read_payload(body) if body else (None, [])
    shown = {name: values[0] if len(values) == 1 else values for name, values in every.items()
             if name.startswith("apns-") or name == "content-type"}
    remarks += [f"unknown header {name}" for name in shown if name not in KNOWN_HEADERS and name != "content-type"]
    if "content-encoding" in first:
        remarks.append("content-encoding is present: Apple takes plain JSON only")
    reason, said = "MissingProviderToken", None
    if "authorization" in first:
        reason, said, more = check_provider_token(first["authorization"], provider, now)
        remarks += more
    shown["authorization"] = reason or "valid"
    record = {
        "method": first.get(":method"), "path": path, "token": token, "headers": shown, "payload": payload,
        "payload_octets": len(body), "jwt": said, "remarks": remarks,
    }
    duplicated = any(len(values) > 1 for name, values in every.items()
                     if name.startswith("apns-") or name == "authorization")
    refused = first_refusal(first, duplicated, path, token, reason, len(body), provider, now)
    return record, refusal(*refused) if refused else None


def first_refusal(headers, duplicated, path, token, provider_token_reason, octets, provider, now):
    """The first thing wrong, as (status, reason): the envelope first, then who asks, then what for."""
    if headers.get(":method") != "POST":
        return 405, "MethodNotAllowed"
    if path in ("/3/device", "/3/device/"):
        return 400, "MissingDeviceToken"
    if token is None or "/" in token:
        return 404, "BadPath"
    # The length varies and Apple asks not to rely on it: 16 to 400 digits is what the relay takes.
    if not re.fullmatch(r"(?:[0-9a-f]{2}){8,200}", token):
        return 400, "BadDeviceToken"
    if duplicated:
        return 400, "DuplicateHeaders"
    if provider_token_reason is not None:
        return 403, provider_token_reason
    topic = headers.get("apns-topic", "")
    if not topic:
        return 400, "MissingTopic"
    if not re.fullmatch(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+", topic):
        return 400, "BadTopic"
    if topic != provider.topic:
        return 400, "DeviceTokenNotForTopic"
    if headers.get("apns-push-type") != "alert":
        return 400, "InvalidPushType"
    if headers.get("apns-priority", "10") not in ("10", "5", "1"):
        return 400, "BadPriority"
    expiration = headers.get("apns-expiration", "0")
    # Seconds since 1970, not a lifetime: 300 is five minutes past midnight in 1970, which Apple takes for long
    # expired and drops in silence. Milliseconds would be the year 50000. Both are bugs of the sender, so they fail.
    if not re.fullmatch(r"[0-9]{1,15}", expiration) or not (
            expiration == "0" or now - 366 * 86400 < int(expiration) < now + 366 * 86400):
        return 400, "BadExpirationDate"
    if not 1 <= len(headers.get("apns-collapse-id", "-")) <= 64:
        return 400, "BadCollapseId"
    if "apns-id" in headers and not re.fullmatch(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", headers["apns-id"]):
        return 400, "BadMessageId"
    if octets == 0:
        return 400, "PayloadEmpty"
    if octets > 4096:
        return 413, "PayloadTooLarge"
    return None
