#!/usr/bin/env python3
"""Sends one Web Push message through pywebpush, a sender that shares no code with the relay, and prints the status.

    send_webpush.py ENDPOINT P256DH AUTH < message.json

The message is the first line of standard input, sent as aes128gcm with a VAPID token of a key of its own.
"""

import sys

from py_vapid import Vapid02
from pywebpush import WebPushException, webpush


def main():
    endpoint, p256dh, auth = sys.argv[1:]
    message = sys.stdin.readline().rstrip("\n")
    vapid = Vapid02()
    vapid.generate_keys()
    try:
        answer = webpush(
            {"endpoint": endpoint, "keys": {"p256dh": p256dh, "auth": auth}},
            message,
            vapid_private_key=vapid,
            vapid_claims={"sub": "mailto:admin@pixels.example"},
            content_encoding="aes128gcm",
            ttl=2419200,
            timeout=60,
        )
    except WebPushException as error:
        answer = error.response
        if answer is None:
            raise
    print(answer.status_code)


if __name__ == "__main__":
    main()
