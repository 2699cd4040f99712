import Crypto

extension CheckLine {
    static let keyFileName = "key file"

    /// Apple's signing key: whether it is one, whose file it is, and whether its name agrees with `APNS_KEY_ID`.
    static func keyFile(_ path: String, _ file: Result<File, FileError>, keyID: String?) -> CheckLine {
        let octets: [UInt8]
        let mode: UInt32
        switch file {
        case .failure(let error):
            return CheckLine(keyFileName, .failed, sentence: "is a file that \(error)")
        case .success(let file): (octets, mode) = (file.octets, file.mode)
        }
        guard (try? P256PrivateKey(pem: octets)) != nil else {
            let remedy = "download the .p8 file from developer.apple.com again"
            return CheckLine(keyFileName, .failed, "is no P-256 private key (\(path))", remedy: remedy)
        }
        let bits = String(mode, radix: 8)
        if mode & 0o007 != 0 {
            let text = "can be read by every user of this machine (mode \(bits))"
            return CheckLine(keyFileName, .warning, text, remedy: "run `chmod 600` on it")
        }
        // A credential of systemd's looks as if a group could read it, since its access list does.
        if mode & 0o070 != 0, !path.hasPrefix("/run/credentials/") {
            let text = "can be read by its group (mode \(bits))"
            return CheckLine(keyFileName, .warning, text, remedy: "run `chmod 600` on it")
        }
        if let named = idInName(of: path), let keyID, named != keyID {
            let text = "is named for key \(named), and APNS_KEY_ID is \(keyID)"
            return CheckLine(keyFileName, .warning, text, remedy: "set APNS_KEY_ID to the id of this very key")
        }
        return CheckLine(keyFileName, .ok, "P-256, mode \(bits)")
    }

    /// Apple hands a key out as `AuthKey_<key id>.p8`.
    private static func idInName(of path: String) -> String? {
        guard let name = path.split(separator: "/").last, name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else {
            return nil
        }
        return try? parseAppleID(String(name.dropFirst("AuthKey_".count).dropLast(".p8".count)))
    }
}
