"""How the simulated Pixelfed sends: as minishlink/web-push does for pixelfed#6974, after RFC 8291 and RFC 8292."""

import base64
import http.client
import json
import os
import time
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

PADDED_LENGTH = 2820
RECORD_SIZE = 4096
TIME_TO_LIVE = 2_419_200  # 28 days
TIMEOUT = 10
# What a notification says, by its type.
TEXTS = {
    "like": ("New Like", "{} liked your post"),
    "follow": ("New Follower", "{} started following you"),
    "follow_request": ("New Follow Request", "{} requested to follow you"),
    "mention": ("New Mention", "{} mentioned you"),
    "comment": ("New Comment", "{} commented on your post"),
}
OTHER_TEXT = ("New notification", "{} sent you a notification")


def encode(octets):
    return base64.urlsafe_b64encode(octets).decode().rstrip("=")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def point(key):
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def derived(salt, secret, info, length):
    return HKDF(SHA256(), length, salt, info).derive(secret)


def encrypted(plaintext, p256dh, auth):
    """The body of a request (RFC 8291, section 3.4): one record, with zeros behind its delimiter."""
    receiver = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), p256dh)
    own, salt = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
    info = b"WebPush: info\0" + p256dh + point(own)
    secret = derived(auth, own.exchange(ec.ECDH(), receiver), info, 32)
    key = derived(salt, secret, b"Content-Encoding: aes128gcm\0", 16)
    nonce = derived(salt, secret, b"Content-Encoding: nonce\0", 12)
    record = AESGCM(key).encrypt(nonce, (plaintext + b"\x02").ljust(PADDED_LENGTH, b"\0"), None)
    return salt + RECORD_SIZE.to_bytes(4, "big") + bytes([len(point(own))]) + point(own) + record


class Sender:
    """The part of an instance that has the VAPID key."""

    def __init__(self, domain):
        self.contact = f"https://{domain}"
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.public_key = encode(point(self.key))

    def message(self, kind, actor, account, status):
        title, body = TEXTS.get(kind, OTHER_TEXT)
        # With \u escapes and a backslash before each slash, as PHP writes JSON.
        return json.dumps({"notification_type": kind, "title": title, "body": body.format(actor),
                           "account_id": account, "status_id": status}).replace("/", "\\/").encode()

    def authorization(self, endpoint):
        """RFC 8292, section 3; the audience is without a port."""
        parts = urlsplit(endpoint)
        claims = {"aud": f"{parts.scheme}://{parts.hostname}", "exp": int(time.time()) + 12 * 3600,
                  "sub": self.contact}
        return f"vapid t={jwt.encode(claims, self.key, algorithm='ES256')}, k={self.public_key}"

    def post(self, message, subscription, address):
        """Posts to where the endpoint's host resolves to, and gives the status; a redirection is not followed."""
        endpoint = urlsplit(subscription.endpoint)
        body = encrypted(message, decode(subscription.p256dh), decode(subscription.auth))
        connection = http.client.HTTPConnection(address, timeout=TIMEOUT)
        try:
            connection.request("POST", endpoint.path, body, {
                "Host": endpoint.netloc, "User-Agent": "GuzzleHttp/7", "Content-Type": "application/octet-stream",
                "Content-Encoding": "aes128gcm", "TTL": str(TIME_TO_LIVE),
                "Authorization": self.authorization(subscription.endpoint)})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        except http.client.HTTPException as error:
            raise OSError(f"no answer: {error!r}") from error
        finally:
            connection.close()
