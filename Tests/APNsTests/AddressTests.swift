import APNs
import Testing

@Suite struct AddressTests {
    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0",
        "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0",
        "203.0.112.255", "203.0.114.0", "223.255.255.255", "2001:200::1", "2a01:4f8::1", "2606:4700:4700::1111",
        "2001:db7:ffff::1", "2001:db9::1", "2003::1", "3ffe:ffff::1", "3fff:1000::1",
    ])
    func `an address that the whole internet reaches is public`(address: String) {
        #expect(isPublic(address))
        #expect(isAddress(address))
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",
        "127.255.255.255", "169.254.0.1", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.2.1",
        "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.9",
        "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::ffff:8.8.8.8", "::ffff:10.0.0.1", "::8.8.8.8", "64:ff9b::808:808", "64:ff9b:1::1", "100::1",
        "1fff::1", "4000::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "2001::1", "2001:2::1",
        "2001:1ff::1", "2001:db8::1", "2002:808:808::1", "3fff::1", "3fff:fff::1",
    ])
    func `one that it does not reach is not, in whatever form`(address: String) {
        #expect(!isPublic(address))
        #expect(isAddress(address))
    }

    @Test(arguments: [
        "", "push.example.org", "8.8.8", "8.8.8.8.8", "008.8.8.8", "8.8.8.8 ", "0x8.8.8.8", "134744072", "8.8.8.8\0",
        "fe80::1%eth0", "2a01::1%2", "[", "[]", ":::",
    ])
    func `what is no address is not public`(text: String) {
        #expect(!isPublic(text))
        #expect(!isAddress(text))
    }

    @Test func `an address leads to itself, with or without the brackets of a URL`() throws {
        #expect(try resolve("192.0.2.7") == ["192.0.2.7"])
        #expect(try resolve("[2001:db8::7]") == ["2001:db8::7"])
        #expect(isAddress("[2001:db8::7]"))
    }

    @Test func `localhost leads to loopback`() throws {
        let addresses = try resolve("localhost")
        #expect(!addresses.isEmpty)
        #expect(Set(addresses).isSubset(of: ["127.0.0.1", "::1"]))
        #expect(Set(addresses).count == addresses.count)
    }

    @Test func `a name that there cannot be is an error`() {
        #expect { try resolve("nowhere.invalid") } throws: { error in
            if case .notResolved(let text)? = error as? ProbeError { !text.isEmpty } else { false }
        }
    }
}
