import Testing

@testable import HTTPServer

@Suite struct ListenAddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", ListenAddress.ipv4(host: "127.0.0.1", port: 8080)),
        ("0.0.0.0:0", .ipv4(host: "0.0.0.0", port: 0)),
        ("[::1]:65535", .ipv6(host: "::1", port: 65_535)),
        ("unix:/run/relay.sock", .unix(path: "/run/relay.sock")),
        ("unix:/a:1", .unix(path: "/a:1")),
    ])
    func `an address reads back as it is written`(_ text: String, _ address: ListenAddress) throws {
        #expect(try ListenAddress(parsing: text) == address)
        #expect(address.description == text)
    }

    @Test(arguments: [
        ("", ListenAddressError.missingPort), ("127.0.0.1", .missingPort), ("127.0.0.1:", .missingPort),
        ("127.0.0.1:+80", .missingPort), ("127.0.0.1:８０", .missingPort), ("127.0.0.1:65536", .unknownPort),
        (":8080", .unknownHost), ("localhost:8080", .unknownHost), ("::1:8080", .unknownHost),
        ("[127.0.0.1]:80", .unknownHost), ("127.0.0.1\0:80", .unknownHost), ("[]:80", .unknownHost),
        ("unix:relay.sock", .relativePath), ("unix:", .relativePath), ("unix:/a\0b", .relativePath),
        ("unix:/\(String(repeating: "a", count: 107))", .longPath),
    ])
    func `what is not an address is refused with a remedy`(_ text: String, _ error: ListenAddressError) {
        #expect(throws: error) { try ListenAddress(parsing: text) }
        #expect(error.description.contains(": "))
    }
}
