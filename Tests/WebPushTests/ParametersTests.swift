import Testing

@testable import WebPush

@Suite("Parameters of a field") struct ParametersTests {
    private func parse(_ values: String...) -> Parameters? { Parameters(values.map { Array($0.utf8) }) }

    @Test(
        arguments: [
            ["dh=AQ;p256ecdsa=Ag"], ["p256ecdsa=Ag;dh=AQ"], ["dh=AQ,p256ecdsa=Ag"], ["dh=AQ", "p256ecdsa=Ag"],
            [#"dh="AQ";p256ecdsa="Ag""#], ["dh=AQ==;p256ecdsa=Ag=="], [#"dh="AQ==", p256ecdsa="Ag==""#],
            ["  dh=AQ ;\tp256ecdsa=Ag  "], ["dh = AQ ; p256ecdsa = Ag"], ["DH=AQ;P256ECDSA=Ag"],
            [",;dh=AQ;,;p256ecdsa=Ag;,"], ["keyid=p256dh;dh=AQ,p256ecdsa=Ag"],
            [#"keyid="p256dh"; dh="AQ""#, "", #"p256ecdsa="Ag"; x=1"#],
        ]
    )
    func `every order, spelling and spacing gives the same values`(values: [String]) throws {
        let parameters = try #require(Parameters(values.map { Array($0.utf8) }))
        #expect(parameters.octets("dh") == [1])
        #expect(parameters.octets("p256ecdsa") == [2])
        #expect(parameters.count(of: "dh") == 1)
        #expect(parameters.value("salt") == nil)
        #expect(parameters.count(of: "salt") == 0)
    }

    @Test(arguments: ["dh", "dh=AQ;p256ecdsa", "=AQ", " =AQ", "=", "dh=AQ,=", "dh AQ", ";;x", #"dh="A,Q""#, "\u{0}"])
    func `a member without a name or without "=" spoils the whole field`(value: String) {
        #expect(parse(value) == nil)
    }

    @Test(arguments: ["", ",", " ; , ;", "\t"]) func `nothing is nothing, and no error`(value: String) throws {
        let parameters = try #require(parse(value))
        #expect(parameters.count(of: "") == 0)
        #expect(parameters.value("dh") == nil)
    }

    @Test(arguments: [["a=1;a=1"], ["a=1,a=2"], ["a=1", "a=2"], ["a=1;A=2"], ["a=1;a="]])
    func `a name that comes twice has no value, not even twice the same`(values: [String]) throws {
        let parameters = try #require(Parameters(values.map { Array($0.utf8) }))
        #expect(parameters.count(of: "a") == 2)
        #expect(parameters.value("a") == nil)
        #expect(parameters.octets("a") == nil)
    }

    @Test(
        arguments: [
            ("a=", ""), ("a=b=c", "b=c"), (#"a="""#, ""), (#"a=""#, "\""), (#"a="b"#, "\"b"), (#"a=b""#, "b\""),
            (#"a=" b ""#, " b "), (#"a=""b"""#, "\"b\""), ("a=b c", "b c"), ("a=é", "é"),
        ]
    )
    func `a value is what stands behind the first "=", without its one pair of quotes`(
        text: String,
        value: String
    ) throws {
        let parameters = try #require(parse(text))
        #expect(parameters.value("a").map { String(decoding: $0, as: UTF8.self) } == value)
    }

    @Test(
        arguments: [
            ("a=", []), ("a=AQ", [1]), ("a=AQ=", [1]), ("a=AQ==", [1]), ("a=AQ===", nil), ("a=AR", nil), ("a=A", nil),
            ("a=-_8", [0xfb, 0xff]), ("a=+/8", nil), ("a=A Q", nil), (#"a="AQ"#, nil), ("a=%41", nil),
        ] as [(String, [UInt8]?)]
    )
    func `octets are base64url in its one spelling, padded or not`(text: String, octets: [UInt8]?) throws {
        #expect(try #require(parse(text)).octets("a") == octets)
    }

    @Test func `octets that are no UTF-8 are a value like any other`() throws {
        let parameters = try #require(Parameters([[0x61, 0x3d, 0xff, 0xfe], [0xc0, 0x3d, 0x62]]))
        #expect(parameters.value("a").map(Array.init) == [0xff, 0xfe])
        #expect(parameters.octets("a") == nil)
    }
}
