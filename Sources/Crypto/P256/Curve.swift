import COpenSSL

/// The group of P-256, for what has no need of an `EVP_PKEY`.
///
/// Made once for the process: to make it, as each key made of octets does, costs as much as to multiply a point.
/// Unchecked, since OpenSSL has every function below take it as `const`: once it is made, threads only read it.
struct Curve: @unchecked Sendable {
    private let group: OpaquePointer

    private static let p256 = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1).map(Curve.init(group:))

    private init(group: OpaquePointer) { self.group = group }

    static func get() throws(CryptoError) -> Curve {
        guard let p256 else { throw .library("EC_GROUP_new") }
        return p256
    }

    /// Whether a number is in the range that SEC 1, section 3.2.1 gives to private keys.
    func hasScalar(_ scalar: [UInt8]) throws(CryptoError) -> Bool {
        let number = try BigNumber(bigEndian: scalar)
        guard let order = EC_GROUP_get0_order(group) else { throw .library("EC_GROUP_get0_order") }
        return BN_is_zero(number.raw) == 0 && BN_cmp(number.raw, order) < 0
    }

    /// The uncompressed point of a private scalar that ``hasScalar(_:)`` has looked at.
    func publicPoint(of scalar: [UInt8]) throws(CryptoError) -> [UInt8] {
        let number = try BigNumber(bigEndian: scalar)
        let point = try Point(on: group)
        var octets = [UInt8](repeating: 0, count: P256PrivateKey.pointLength)
        guard
            EC_POINT_mul(group, point.raw, number.raw, nil, nil, nil) == 1,
            EC_POINT_point2oct(group, point.raw, POINT_CONVERSION_UNCOMPRESSED, &octets, octets.count, nil)
                == octets.count
        else { throw .library("EC_POINT_mul") }
        return octets
    }

    /// The x coordinate of a peer's point times a scalar, 32 octets.
    ///
    /// - Throws: `notAPoint` for one that OpenSSL does not find on the curve, which is all that has to be looked at: the
    ///   cofactor is 1, so that there are no points of small order.
    func sharedSecret(_ scalar: [UInt8], with peer: [UInt8]) throws(CryptoError) -> [UInt8] {
        let room = try Room()
        let number = try BigNumber(bigEndian: scalar)
        let point = try Point(on: group)
        guard EC_POINT_oct2point(group, point.raw, peer, peer.count, room.raw) == 1 else {
            ERR_clear_error()
            throw .notAPoint
        }
        let product = try Point(on: group)
        let x = try BigNumber()
        guard
            EC_POINT_mul(group, product.raw, nil, point.raw, number.raw, room.raw) == 1,
            EC_POINT_get_affine_coordinates(group, product.raw, x.raw, nil, room.raw) == 1
        else { throw .library("EC_POINT_mul") }
        return try bigEndian(x.raw)
    }
}

/// An `EC_POINT` that is wiped when it goes out of scope: a product is a secret.
private struct Point: ~Copyable {
    let raw: OpaquePointer

    init(on group: OpaquePointer) throws(CryptoError) {
        guard let raw = EC_POINT_new(group) else { throw .library("EC_POINT_new") }
        self.raw = raw
    }

    deinit { EC_POINT_clear_free(raw) }
}

/// What a calculation keeps its steps in; each function would make its own.
private struct Room: ~Copyable {
    let raw: OpaquePointer

    init() throws(CryptoError) {
        guard let raw = BN_CTX_secure_new() else { throw .library("BN_CTX_secure_new") }
        self.raw = raw
    }

    deinit { BN_CTX_free(raw) }
}

/// A `BIGNUM` that is wiped when it goes out of scope.
private struct BigNumber: ~Copyable {
    let raw: OpaquePointer

    init() throws(CryptoError) {
        guard let raw = BN_new() else { throw .library("BN_new") }
        self.raw = raw
    }

    init(bigEndian octets: [UInt8]) throws(CryptoError) {
        guard let length = Int32(exactly: octets.count), let raw = BN_bin2bn(octets, length, nil) else {
            throw .library("BN_bin2bn")
        }
        self.raw = raw
    }

    deinit { BN_clear_free(raw) }
}
