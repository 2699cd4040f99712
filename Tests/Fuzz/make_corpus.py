#!/usr/bin/env python3
"""Writes what the fuzzers begin with: the test vectors in the fuzzers' own form, and texts thought of by hand.

    Tests/Fuzz/make_corpus.py            writes Tests/Fuzz/Corpus anew
    Tests/Fuzz/make_corpus.py --check    says whether it is what would be written
"""

import base64
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE / "Corpus"
VECTORS = HERE.parent / "Vectors"
#: Longer ones are long only in the middle, and slow every input that is made of them.
LONGEST = 3_000


def vectors(name):
    return json.loads((VECTORS / f"{name}.json").read_text())


def octets(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def requests():
    for case in vectors("h1_requests")["cases"]:
        yield case["id"], base64.b64decode(case["raw_base64"])
    head = b"POST /wp/0123456789abcdef HTTP/1.1\r\nHost: push.example\r\n"
    yield "three", (
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
        + head + b"TTL: 60\r\nContent-Encoding: aes128gcm\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"3;a=b\r\nabc\r\n00A\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n"
        + b"DELETE /subscribe/0123456789abcdef HTTP/1.0\r\n\r\n"
    )
    yield "literal", b"GET / HTTP/1.1\r\nHost: [::1]:8080\r\nConnection: keep-alive, close\r\n\r\n"
    yield "escaped", b"GET /%41?a=b HTTP/1.1\r\nHost: a%2db.example:80\r\nExpect: 100-continue\r\n\r\n"


def bodies():
    vector = vectors("aes128gcm_bodies")
    for case in vector["cases"]:
        yield case["id"], b"b" + octets(case["body"])
    legacy = vectors("aesgcm_http_ece")
    fields = b"salt=" + legacy["salt"].encode() + b"\ndh=" + legacy["as_public"].encode() + b";p256ecdsa=AA\n"
    for number, case in enumerate(legacy["cases"]):
        yield f"legacy-{number}", b"l" + fields + octets(case["body"])
    yield "legacy-sizes", b'l"keyid="a";salt="' + legacy["salt"].encode() + b'";rs=4096\nkeyid="a";dh=AA==\n'
    text = b'{"title":"New like"}'
    for name, size, record in [
        ("plain", 4096, text + b"\2"), ("padded", 4096, text + b"\2" + bytes(40)), ("tight", 37, text + b"\2"),
        ("exceeded", 36, text + b"\2"), ("small", 17, b"\2"), ("smallest", 18, b"\2\0"), ("zeros", 4096, bytes(9)),
        ("first", 4096, text + b"\1"), ("twice", 0xffffffff, b"\2\2\0"), ("none", 18, b""),
    ]:
        yield f"record-{name}", b"r" + struct.pack(">I", size) + record
    for name, size, record in [
        ("plain", b"", b"\0\0" + text), ("padded", b"4096", b"\0\4" + bytes(4) + text), ("beyond", b"", b"\0\4\0\0"),
        ("stained", b"", b"\0\2\0\1x"), ("wide", b"9999999999", b"\1\0" + bytes(256)), ("tight", b"3", b"\0\0"),
    ]:
        yield f"padding-{name}", b"p" + size + b"\n" + record
    for place in [0, 16, 19, 20, 21, 22, 85, 86, 106, 107, 122]:
        yield f"changed-{place}", b"x" + struct.pack(">HB", place, 1) + text


def senders():
    vector = vectors("vapid_headers")
    for case in vector["cases"]:
        yield case["id"], b"a" + (case["authorization"] or "").encode() + b"\n"
    key = vector["pinned_k"]
    token = vector["cases"][0]["authorization"].split("t=")[1].split(",")[0]
    yield "older", f"aWebPush {token}\ndh=AA\np256ecdsa={key}".encode()
    yield "quoted", f'avapid k="{key}=" ; t={token}\n'.encode()
    header = '{"typ":"JWT","alg":"ES256"}'
    audience = '"aud":"https://push.example.org"'
    for name, header, claims in [
        ("good", header, '{%s,"exp":1800000060,"sub":"mailto:a@b.example"}' % audience),
        ("list", header, '{"aud":["x","HTTPS://PUSH.EXAMPLE.ORG:443"],"exp":1800000060.5}'),
        ("twice", header, '{%s,"exp":1800000060,"exp":1}' % audience),
        ("exponent", header, '{%s,"exp":1.8000000601e9}' % audience),
        ("huge", header, '{%s,"exp":1e400}' % audience),
        ("most", header, '{%s,"exp":9223372036854775807}' % audience),
        ("least", header, '{%s,"exp":-9223372036854775809}' % audience),
        ("text", header, '{%s,"exp":"1800000060"}' % audience),
        ("number", header, '{"aud":1,"exp":1800000060}'),
        ("deep", header, '{"x":' + "[" * 40 + "]" * 40 + "}"),
        ("none", '{"alg":"none"}', "{}"),
        ("critical", '{"alg":"ES256","crit":["exp"],"exp":1}', "{}"),
        ("empty", "", ""),
    ]:
        yield f"signed-{name}", f"s{header}\n{claims}".encode()
    for name, moment, audience in [
        ("now", 1_800_000_000, b"https://push.example.org"), ("past", 1_799_999_999, b"https://push.example.org:443"),
        ("day", 1_800_086_460, b"https://push.example.org"), ("more", 1_800_086_461, b"https://push.example.org"),
        ("most", 2**63 - 1, b"https://push.example.org"), ("least", -(2**63), b"https://push.example.org"),
        ("other", 1_800_000_001, b"x"),
    ]:
        yield f"expiration-{name}", b"e" + struct.pack(">q", moment) + audience
    for place in [0, 3, 35, 36, 37, 60, 120, 140, 200, 230]:
        yield f"changed-{place}", b"x" + struct.pack(">HBB", place, 1, place % 2)


def payloads():
    texts = {
        "pixelfed": '{"notification_type":"like","title":"New Like","body":"vinz liked your post",'
        '"status_id":"988149955134320972","account_id":"961576165188272129"}',
        "mastodon": '{"access_token":"t","preferred_locale":"en","notification_id":42,"notification_type":"mention",'
        '"icon":"https://x.example/a.png","title":"T","body":"B"}',
        "misskey": '{"type":"notification","userId":"a","dateTime":1,"body":{"type":"reaction","id":"n",'
        '"user":{"id":"u","name":null,"username":"bob"},"note":{"id":9007199254740993}}}',
        "misskey-bare": '{"body":{"type":"app"}}',
        "foreign": '{"title":"x","aps":{"badge":9},"account":"mallory","badge":1,"sound":"x"}',
        "numbers": '{"title":"x","status_id":988149955134320972,"account_id":1e3}',
        "digits": '{"title":"x","status_id":' + "9" * 39 + ',"account_id":-1.5}',
        "null": '{"title":null,"body":"b","status_id":null,"notification_type":null}',
        "escapes": r'{"title":"\"\\\/\b\f\n\r\t\u0000\u001f\u2028","body":"\ud83d\ude00"}',
        "lone": r'{"title":"\ud800","body":"\udc00\ud800"}',
        "name": r'{"\u0074itle":"x","Title":"y","title":"z"}',
        "types": '{"title":5,"body":[]}',
        "comma": '{"title":"x",}',
        "array": '["title"]',
        "deep": '{"title":"x","y":' + "[" * 60 + "]" * 60 + "}",
        "long": '{"title":"' + "\u00e9" * 260 + '","body":"' + '\\"' * 300 + '"}',
        "marks": '{"title":"e\u0301\u0323\u0301","body":"\U0001f468\u200d\U0001f469\u200d\U0001f467\U0001f1e9\U0001f1ea"}',
        "controls": '{"body":"' + "\\u0001" * 60 + '","notification_type":"mention"}',
        "empty": "{}",
        "words": "nul",
        "space": ' \t\r\n{ "title" : "x" , "body" : "y" } ',
        "float": '{"title":"x","y":[1e400,-0,0.1e-9,01]}',
    }
    for name, text in texts.items():
        yield name, text.encode()
    # Beside the longest account, these have to be cut.
    for name, title, body in [("title", 2_800, 9), ("body", 9, 2_800), ("both", 1_400, 1_400)]:
        text = '{"title":"' + "\u00e9" * (title // 2) + '","body":"' + '\\"' * (body // 2) + '"}'
        yield f"cut-{name}", text.encode()
    yield "mark", b"\xef\xbb\xbf{}"
    yield "wide", '{"title":"x"}'.encode("utf-16-le")
    yield "invalid", b'{"title":"\xc0\xaf\xed\xa0\x80"}'


def corpus():
    for folder in [requests, bodies, senders, payloads]:
        for name, text in folder():
            if len(text) <= LONGEST:
                yield CORPUS / folder.__name__ / name, text


def main():
    wanted = dict(corpus())
    present = {path for path in CORPUS.rglob("*") if path.is_file()}
    if sys.argv[1:] == ["--check"]:
        if present == set(wanted) and all(path.read_bytes() == text for path, text in wanted.items()):
            return
        sys.exit("Tests/Fuzz/Corpus is not what Tests/Fuzz/make_corpus.py writes: run it and commit what it wrote")
    for path in present - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)


main()
