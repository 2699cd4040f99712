import APNs
import Crypto
import FoundationEssentials
import HTTPServer

/// The origin of the endpoints: https, which is all that Pixelfed takes, or plain http on loopback to try things out.
func parsePublicURL(_ text: String) throws(Fault) -> String {
    let origin = try parseOrigin(text, allowsPlainHTTP: true)
    // Pixelfed stores endpoints of up to 500 characters; "/wp/" and an id take less than 60 of them.
    guard origin.utf8.count <= 440 else { throw Fault("is longer than 440 characters: use a shorter host name") }
    return origin
}

/// An URL that is a scheme, a host and perhaps a port, given back without the slash at its end.
func parseOrigin(_ text: String, allowsPlainHTTP: Bool) throws(Fault) -> String {
    let text = text.hasSuffix("/") ? String(text.dropLast()) : text
    guard
        text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
        let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), let host = url.host, !host.isEmpty
    else { throw Fault("is not a URL: write it as https://push.example.org") }
    let isLoopback = ["localhost", "[::1]", "::1"].contains(host) || host.hasPrefix("127.")
    guard scheme == "https" || (scheme == "http" && allowsPlainHTTP && isLoopback) else {
        throw Fault("does not begin with https://: Pixelfed and Apple are spoken to over TLS only")
    }
    guard url.path.isEmpty, url.query == nil, url.fragment == nil, url.user == nil, url.password == nil else {
        throw Fault("has more than a host and a port: leave out path, query and user name")
    }
    guard url.port.map({ (1...65_535).contains($0) }) ?? true else {
        throw Fault("has a port that does not exist: use 1 to 65535, or none")
    }
    return text
}

/// A path as the operating system takes it.
func parsePath(_ text: String) throws(Fault) -> String {
    guard !text.utf8.contains(0) else { throw Fault("holds a NUL: set a path") }
    return text
}

/// How many there may be of something.
func parseCount(_ text: String, most: Int = 1_000_000) throws(Fault) -> Int {
    let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard isDecimal, let count = Int(text), (1...most).contains(count) else {
        throw Fault("is not a whole number from 1 to \(most): set one, or leave the variable out")
    }
    return count
}

/// A time from a minute to 30 days, such as `90m`, `24h` or `7d`.
func parseInterval(_ text: String) throws(Fault) -> Duration {
    let fault = Fault("is not a time from 1m to 30d: write it as 90m, 24h or 7d, or leave the variable out")
    let minutes: [Character: Int] = ["m": 1, "h": 60, "d": 1_440]
    guard let unit = text.last.flatMap({ minutes[$0] }) else { throw fault }
    let digits = text.dropLast()
    guard
        digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(digits), (1...43_200).contains(count),
        count * unit <= 43_200
    else { throw fault }
    return .seconds(count * unit * 60)
}

/// A path from the root; nothing is none.
func parseAbsolutePath(_ text: String) throws(Fault) -> String? {
    guard !text.isEmpty else { return nil }
    guard text.hasPrefix("/") else { throw Fault("is not an absolute path: begin it with a slash") }
    return try parsePath(text)
}

/// Where to listen.
func parseListenAddress(_ text: String) throws(Fault) -> ListenAddress {
    do throws(ListenAddressError) { return try ListenAddress(parsing: text) } catch {
        throw Fault("cannot be used: \(error)")
    }
}

/// Where to serve numbers, a port alone being one on loopback; nothing is nowhere.
func parseMetricsAddress(_ text: String) throws(Fault) -> ListenAddress? {
    guard !text.isEmpty else { return nil }
    let isPort = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return try parseListenAddress(isPort ? "127.0.0.1:\(text)" : text)
}

/// A Key ID or a Team ID.
func parseAppleID(_ text: String) throws(Fault) -> String {
    let isUpperCaseOrDigit = { (octet: UInt8) in (0x41...0x5a).contains(octet) || (0x30...0x39).contains(octet) }
    guard text.utf8.count == 10, text.utf8.allSatisfy(isUpperCaseOrDigit) else {
        throw Fault("is not ten capital letters and digits: copy it from developer.apple.com")
    }
    return text
}

/// A bundle id; it becomes a header of every request, so nothing else may get through.
func parseTopic(_ text: String) throws(Fault) -> String {
    let isAllowed = { (octet: UInt8) in
        (0x61...0x7a).contains(octet | 0x20) || (0x30...0x39).contains(octet) || octet == 0x2d || octet == 0x2e
    }
    guard text.utf8.count <= 255, text.utf8.contains(0x2e), text.utf8.allSatisfy(isAllowed) else {
        throw Fault("is not a bundle id: write it as in Xcode, such as org.example.app")
    }
    return text
}

/// The service of Apple's that is tried first.
func parseEnvironment(_ text: String) throws(Fault) -> Environment {
    guard let environment = Environment(rawValue: text) else {
        throw Fault("is neither \"production\" (App Store, TestFlight) nor \"sandbox\" (Xcode): set one of them")
    }
    return environment
}

/// One of an enumeration's raw values.
func parseChoice<Choice: RawRepresentable<String> & CaseIterable>(_ text: String) throws(Fault) -> Choice {
    guard let choice = Choice(rawValue: text) else {
        let all = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw Fault("is none of \(all): set one of them")
    }
    return choice
}

/// The path of a file of certificates.
func checkCertificates(_ path: String, with readFile: (String) throws(FileError) -> File) throws(Fault) -> String {
    let file: File
    do throws(FileError) { file = try readFile(path) } catch { throw Fault("names a file that \(error)") }
    guard file.octets.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
        throw Fault("names a file without a certificate: set the path of a PEM file, or leave the variable out")
    }
    return path
}

/// Apple's signing key, and whether every user can read its file.
func readKey(
    _ path: String,
    with readFile: (String) throws(FileError) -> File
) throws(Fault) -> (key: P256PrivateKey, isReadableByAll: Bool) {
    let file: File
    do throws(FileError) { file = try readFile(path) } catch { throw Fault("names a file that \(error)") }
    do throws(CryptoError) {
        return (try P256PrivateKey(pem: file.octets), file.mode & 0o007 != 0)
    } catch {
        throw Fault("names a file that is no P-256 private key: download the .p8 file from developer.apple.com again")
    }
}
