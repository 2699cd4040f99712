import COpenSSL

/// An `EVP_PKEY` on P-256, freed when it goes out of scope.
struct Key: ~Copyable {
    private let raw: OpaquePointer

    private init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { EVP_PKEY_free(raw) }

    static func generate() throws(CryptoError) -> Key {
        guard let raw = relay_EVP_P256_generate() else { throw .library("EVP_EC_gen") }
        return Key(raw)
    }

    /// A key pair, or without `scalar` a public key; OpenSSL checks here that the point is on the curve.
    init(publicPoint: [UInt8], scalar: [UInt8]? = nil) throws(CryptoError) {
        // The C side reads 65 and 32 octets.
        guard
            publicPoint.count == P256PrivateKey.pointLength,
            scalar == nil || scalar?.count == P256PrivateKey.scalarLength,
            let raw = relay_EVP_P256_make(publicPoint, scalar)
        else {
            ERR_clear_error()
            throw .notAPoint
        }
        self.raw = raw
    }

    static func read(pem: [UInt8]) throws(CryptoError) -> Key {
        defer { ERR_clear_error() }
        guard let length = Int32(exactly: pem.count), let source = BIO_new_mem_buf(pem, length) else {
            throw .library("BIO_new_mem_buf")
        }
        defer { BIO_free(source) }
        guard let raw = PEM_read_bio_PrivateKey(source, nil, refusePassword, nil) else { throw .notAP256PrivateKey }
        let key = Key(raw)
        var name = [CChar](repeating: 0, count: 32)
        var nameLength = 0
        guard
            EVP_PKEY_get_base_id(raw) == EVP_PKEY_EC,
            EVP_PKEY_get_group_name(raw, &name, name.count, &nameLength) == 1,
            OBJ_sn2nid(name) == NID_X9_62_prime256v1
        else { throw .notAP256PrivateKey }
        return key
    }

    borrowing func scalar() throws(CryptoError) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(raw, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1, let number else {
            throw .library("EVP_PKEY_get_bn_param")
        }
        defer { BN_clear_free(number) }
        return try bigEndian(number)
    }

    borrowing func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        // A DER signature of two 32-octet integers is at most 72 octets.
        var der = [UInt8](repeating: 0, count: 72)
        var length = der.count
        guard
            EVP_DigestSignInit(context, nil, EVP_sha256(), nil, raw) == 1,
            EVP_DigestSign(context, &der, &length, message, message.count) == 1
        else { throw .library("EVP_DigestSign") }
        return try joseSignature(der: der, length: length)
    }

    /// Whether a signature in JOSE's form, 64 octets, is one of `message` by this key.
    borrowing func verify(_ signature: [UInt8], of message: [UInt8]) throws(CryptoError) -> Bool {
        let der = try derSignature(jose: signature)
        guard let context = EVP_MD_CTX_new() else { throw .library("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, raw) == 1 else {
            throw .library("EVP_DigestVerifyInit")
        }
        defer { ERR_clear_error() }
        return EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }
}

/// Answers OpenSSL's question for a password with none, so that an encrypted key is an error and not a prompt.
private func refusePassword(
    buffer: UnsafeMutablePointer<CChar>?,
    size: Int32,
    writing: Int32,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    -1
}

/// 32 octets, with zeros in front of a short number.
func bigEndian(_ number: OpaquePointer) throws(CryptoError) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: 32)
    guard BN_bn2binpad(number, &octets, 32) == 32 else { throw .library("BN_bn2binpad") }
    return octets
}

/// Turns OpenSSL's DER form of an ECDSA signature into the fixed-width form of RFC 7518, section 3.4.
private func joseSignature(der: [UInt8], length: Int) throws(CryptoError) -> [UInt8] {
    let signature = der.withUnsafeBufferPointer { buffer in
        var start = buffer.baseAddress
        return d2i_ECDSA_SIG(nil, &start, length)
    }
    guard let signature else { throw .library("d2i_ECDSA_SIG") }
    defer { ECDSA_SIG_free(signature) }
    guard let r = ECDSA_SIG_get0_r(signature), let s = ECDSA_SIG_get0_s(signature) else {
        throw .library("ECDSA_SIG_get0")
    }
    return try bigEndian(r) + bigEndian(s)
}

/// The way back: r and s of 32 octets each, as the DER that OpenSSL reads.
private func derSignature(jose: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard jose.count == 64, let signature = ECDSA_SIG_new() else { throw .authentication }
    defer { ECDSA_SIG_free(signature) }
    guard let r = BN_bin2bn(Array(jose[..<32]), 32, nil), let s = BN_bin2bn(Array(jose[32...]), 32, nil) else {
        throw .library("BN_bin2bn")
    }
    // From here on the signature owns both numbers.
    guard ECDSA_SIG_set0(signature, r, s) == 1 else { throw .library("ECDSA_SIG_set0") }
    var der = [UInt8](repeating: 0, count: 72)
    let length = der.withUnsafeMutableBufferPointer { buffer in
        var start = buffer.baseAddress
        return i2d_ECDSA_SIG(signature, &start)
    }
    guard (1...72).contains(length) else { throw .library("i2d_ECDSA_SIG") }
    return Array(der[..<Int(length)])
}
