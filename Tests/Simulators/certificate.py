"""Writes a certificate with its key for a TLS server of a test, such as openssl's commands cannot make: an expired one.

Into the directory: ca.pem, the authority to trust; fullchain.pem and privkey.pem, what the server shows.
"""

import argparse
import datetime
from pathlib import Path

from apns_identity import pem, write_private
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def certificate(subject, key, issuer, issuer_key, days, extensions):
    now = datetime.datetime.utcnow()
    builder = (x509.CertificateBuilder()
               .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, subject)]))
               .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)]))
               .public_key(key.public_key()).serial_number(x509.random_serial_number())
               .not_valid_before(now - datetime.timedelta(days=100))
               # Half a day more, so that the whole days that are left do not change under a slow test.
               .not_valid_after(now + datetime.timedelta(days=days, hours=12)))
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    return builder.sign(issuer_key, hashes.SHA256())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--host", default="push.example.org")
    parser.add_argument("--days", type=int, default=60, help="how long it is still valid; below 0 it has expired")
    parser.add_argument("--self-signed", action="store_true", help="by itself, and not by the authority")
    options = parser.parse_args()
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    is_authority = x509.BasicConstraints(ca=True, path_length=0)
    authority = certificate("Test authority", authority_key, "Test authority", authority_key, 3650, [is_authority])
    issuer = (options.host, key) if options.self_signed else ("Test authority", authority_key)
    names = x509.SubjectAlternativeName([x509.DNSName(options.host)])
    leaf = certificate(options.host, key, *issuer, options.days, [names])
    options.directory.joinpath("ca.pem").write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    options.directory.joinpath("fullchain.pem").write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
    write_private(options.directory / "privkey.pem", pem(key))


if __name__ == "__main__":
    main()
