"""The keys and certificates of the simulated Apple, kept in one directory so that a restart is the same Apple.

One directory belongs to one simulator at a time: two that start in an empty one would overwrite each other's authority.
"""

import datetime
import ipaddress
import os

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption())


def write_private(path, octets):
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(octets)


def make_certificates(directory, kind):
    """A certificate authority and a server certificate signed by it, made once per directory and kind.

    `kind` spoils the certificate in one way, for a client that has to notice: "wrong-host", "expired" or
    "wrong-authority".
    """
    authority, certificate, key_file = (
        directory / name for name in ("ca.pem", f"server-{kind}.pem", f"server-{kind}.key"))
    if all(path.exists() for path in (authority, certificate, key_file)):
        return certificate, key_file
    now, day = datetime.datetime.utcnow(), datetime.timedelta(days=1)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Simulated Apple CA")])
    authority_key_file = directory / "ca.key"
    if authority.exists() and authority_key_file.exists():
        authority_key = serialization.load_pem_private_key(authority_key_file.read_bytes(), None)
    else:
        authority_key = ec.generate_private_key(ec.SECP256R1())
        usage = x509.KeyUsage(key_cert_sign=True, crl_sign=True, digital_signature=False, content_commitment=False,
                              key_encipherment=False, data_encipherment=False, key_agreement=False,
                              encipher_only=False, decipher_only=False)
        root = (x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(authority_key.public_key())
                .serial_number(x509.random_serial_number())
                .not_valid_before(now - 30 * day).not_valid_after(now + 3650 * day)
                .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
                .add_extension(usage, critical=True)
                .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key()), critical=False)
                .sign(authority_key, hashes.SHA256()))
        write_private(authority_key_file, pem(authority_key))
        authority.write_bytes(root.public_bytes(serialization.Encoding.PEM))
    if kind == "wrong-authority":  # another one, which nobody keeps
        authority_key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Another CA")])
    key = ec.generate_private_key(ec.SECP256R1())
    host = "elsewhere.example" if kind == "wrong-host" else "localhost"
    names = [x509.DNSName(host)]
    if kind != "wrong-host":
        # For who needs a name that no library has an address for of its own, as they do for localhost.
        names.append(x509.DNSName("apple.test"))
        names.append(x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    leaf = (x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])).issuer_name(name)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - 20 * day).not_valid_after(now - day if kind == "expired" else now + 3650 * day)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([x509.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority_key.public_key()),
                           critical=False)
            .sign(authority_key, hashes.SHA256()))
    write_private(key_file, pem(key))
    certificate.write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
    return certificate, key_file


def provider_key(path):
    """Apple's side of the key pair whose private half it hands out once, as AuthKey_<key id>.p8."""
    if not path.exists():
        write_private(path, pem(ec.generate_private_key(ec.SECP256R1())))
    return serialization.load_pem_private_key(path.read_bytes(), None).public_key()
