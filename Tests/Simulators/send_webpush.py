#!/usr/bin/env python3
"""Sends one Web Push message through a library that shares no code with the relay, and prints status and error word.

    send_webpush.py [--library pywebpush|http-ece] [--coding aes128gcm|aesgcm] [--scheme vapid|webpush]
                    [--key=SCALAR] [--audience ORIGIN] -- ENDPOINT P256DH AUTH < message.json

The message is the first line of standard input. It is signed (RFC 8292) for AUDIENCE with the key of the private SCALAR
(base64url), or with a key of its own; `webpush` is the scheme before RFC 8292.

pywebpush makes the whole request, and signs for the endpoint's origin where no AUDIENCE is given. http-ece only
encrypts: the fields are written here, with all parameters that the drafts have, and without an AUDIENCE nothing is signed.
"""

import argparse
import base64
import os
import sys

import http_ece
import requests
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid01, Vapid02
from pywebpush import WebPushException, webpush

TIMEOUT = 60
TTL = 2419200


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(octets):
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")


def signer(options):
    kind = Vapid02 if options.scheme == "vapid" else Vapid01
    if options.key:
        return kind.from_raw(options.key.encode())
    vapid = kind()
    vapid.generate_keys()
    return vapid


def claims(options):
    claims = {"sub": "mailto:admin@pixels.example"}
    if options.audience:
        claims["aud"] = options.audience
    return claims


def send_with_pywebpush(options, message):
    try:
        return webpush(
            {"endpoint": options.endpoint, "keys": {"p256dh": options.p256dh, "auth": options.auth}},
            message,
            vapid_private_key=signer(options),
            vapid_claims=claims(options),
            content_encoding=options.coding,
            ttl=TTL,
            timeout=TIMEOUT,
        )
    except WebPushException as error:
        if error.response is None:
            raise
        return error.response


def send_with_http_ece(options, message):
    key = ec.generate_private_key(ec.SECP256R1())
    point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    salt = os.urandom(16)
    body = http_ece.encrypt(
        message.encode(),
        salt=salt,
        private_key=key,
        dh=decode(options.p256dh),
        auth_secret=decode(options.auth),
        version=options.coding,
    )
    headers = {"TTL": str(TTL), "Content-Encoding": options.coding, "Content-Type": "application/octet-stream"}
    if options.audience:
        headers |= signer(options).sign(claims(options))
    if options.coding == "aesgcm":
        headers["Encryption"] = f'keyid="p256dh";salt="{encode(salt)}";rs=4096'
        own = f'keyid="p256dh";dh="{encode(point)}"'
        headers["Crypto-Key"] = ", ".join(filter(None, [own, headers.get("Crypto-Key")]))
    return requests.post(options.endpoint, data=body, headers=headers, timeout=TIMEOUT)


LIBRARIES = {"pywebpush": send_with_pywebpush, "http-ece": send_with_http_ece}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--library", choices=LIBRARIES, default="pywebpush")
    parser.add_argument("--coding", choices=["aes128gcm", "aesgcm"], default="aes128gcm")
    parser.add_argument("--scheme", choices=["vapid", "webpush"], default="vapid")
    parser.add_argument("--key")
    parser.add_argument("--audience")
    for name in ["endpoint", "p256dh", "auth"]:
        parser.add_argument(name)
    options = parser.parse_args()
    message = sys.stdin.readline().rstrip("\n")
    answer = LIBRARIES[options.library](options, message)
    print(answer.status_code, *([answer.json()["error"]] if answer.text else []))


if __name__ == "__main__":
    main()
