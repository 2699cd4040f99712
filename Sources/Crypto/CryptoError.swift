/// Why a cryptographic operation gave no result; it never carries a secret.
package enum CryptoError: Error, Equatable {
    /// A private key that is not a P-256 key: another curve or algorithm, encrypted, out of range, or not a key at all.
    case notAP256PrivateKey
    /// A public key that is not an uncompressed point of P-256 (SEC 1, section 2.3.4).
    case notAPoint
    /// The authentication tag does not match: another key, or octets that were changed.
    case authentication
    /// OpenSSL refused a call that has no reason to fail; the name of that call.
    case library(StaticString)

    package static func == (left: CryptoError, right: CryptoError) -> Bool {
        switch (left, right) {
        case (.notAP256PrivateKey, .notAP256PrivateKey), (.notAPoint, .notAPoint), (.authentication, .authentication):
            true
        case (.library(let one), .library(let other)):
            one.description == other.description
        case (.notAP256PrivateKey, _), (.notAPoint, _), (.authentication, _), (.library, _):
            false
        }
    }
}
