/// A private key on the curve P-256 (FIPS 186-4, D.1.2.3) with its public point.
///
/// It is plain octets, so it can be stored and sent between tasks; of OpenSSL's own objects only the curve outlives a call.
package struct P256PrivateKey: Sendable {
    /// The private scalar, big-endian: 32 octets, 1 up to the order of the curve.
    package let scalar: [UInt8]
    /// The public key as an uncompressed point (SEC 1, section 2.3.3): 0x04, then x and y of 32 octets each.
    package let publicPoint: [UInt8]

    package static let scalarLength = 32
    package static let pointLength = 65

    /// A fresh key from OpenSSL's generator.
    package init() throws(CryptoError) {
        try self.init(Key.generate())
    }

    /// The key of a stored scalar; throws `notAP256PrivateKey` unless it is 32 octets within the curve's range.
    ///
    /// - Parameter publicPoint: the point that belongs to it, where that was stored as well. Not so much as whether it is
    ///   on the curve is looked at: to make it anew, which nil does, is a quarter of what opening a message takes.
    package init(scalar: [UInt8], publicPoint: [UInt8]? = nil) throws(CryptoError) {
        guard scalar.count == Self.scalarLength, try Curve.get().hasScalar(scalar) else { throw .notAP256PrivateKey }
        self.scalar = scalar
        if let publicPoint {
            guard publicPoint.count == Self.pointLength else { throw .notAPoint }
            self.publicPoint = publicPoint
        } else {
            self.publicPoint = try Curve.get().publicPoint(of: scalar)
        }
    }

    /// The key in a PEM file (PKCS #8 or SEC 1); an encrypted one is refused, since nobody is there to type the password.
    package init(pem: [UInt8]) throws(CryptoError) {
        try self.init(Key.read(pem: pem))
    }

    private init(_ key: consuming Key) throws(CryptoError) {
        scalar = try key.scalar()
        publicPoint = try Curve.get().publicPoint(of: scalar)
    }

    /// The x coordinate that both sides of ECDH arrive at (SEC 1, section 3.3.1): 32 octets.
    ///
    /// - Throws: `notAPoint` unless `point` is an uncompressed point on the curve. OpenSSL alone would also take the
    ///   compressed and hybrid forms and infinity, which RFC 8291, section 4 does not allow.
    package func sharedSecret(with point: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard point.count == Self.pointLength, point.first == 0x04 else { throw .notAPoint }
        return try Curve.get().sharedSecret(scalar, with: point)
    }

    /// The ES256 signature of `message` as JOSE writes it (RFC 7518, section 3.4): r then s, 32 octets each.
    package func signature(of message: [UInt8]) throws(CryptoError) -> [UInt8] {
        try Key(publicPoint: publicPoint, scalar: scalar).sign(message)
    }
}
