import HTTPServer
import RelayTesting
import Testing

@testable import RelayCore

/// J-30: the grammar of RFC 8259 as JSONTestSuite asks about it, each value in a member that nobody reads.
@Suite("J-30: the grammar of JSON") struct JSONGrammarTests {
    private func isMessage(_ json: String) -> Bool { isMessage(Array(json.utf8)) }

    private func isMessage(_ octets: [UInt8]) -> Bool { (try? Message(parsing: octets)) != nil }

    private func member(_ value: String) -> String { #"{"title":"t","x":\#(value)}"# }

    @Test(arguments: [
        "[]", "{}", "[[]]", "[ ]", "[\n]", #"{"a":{"b":[]}}"#, "null", "true", "false", #""""#, "0", "-0", "1", "-1",
        "123",
        "1.5", "0.1", "-0.5", "1e1", "1E1", "1e+1", "1e-1", "1.5e10", "0e1", "0e+1", "123.456e78", "1E22",
        "-123456789012345678901234567890", "0.000000000000000000000000000000000000000000000000000000000000000001",
        #""\"\\\/\b\f\n\r\t""#, #""\u0041""#, #""\ud83d\ude00""#, #""\u0000""#, "\"é€𝄞\"", "\"\u{7f}\"", "\"\u{ffff}\"",
        #""\uFFFF""#, #""/""#, #""a/*b*/c""#, "[1,null,\"x\",{}]", "\t1 ", #"{"":0}"#, #"{"a":1,"b":2}"#,
    ])
    func `y: what the grammar allows is read`(value: String) {
        #expect(isMessage(member(value)))
    }

    @Test(arguments: [
        // Words.
        "nul", "tru", "fals", "True", "NULL", "undefined", "nullx", "*", "$",
        // Lists.
        "[", "]", "[1", "[1,", "[,1]", "[,]", "[1,,2]", "[1 2]", "[1}", "[\"x\"", "[1]]", "[:]", "[1:2]", "[a]",
        "[1;2]",
        // Objects.
        "{", "}", #"{"a"}"#, #"{"a":}"#, #"{:1}"#, #"{"a" 1}"#, #"{a:1}"#, #"{'a':1}"#, #"{1:1}"#, #"{"a":1"#,
        #"{"a":1]"#, #"{"a"::1}"#, #"{"a":1,,"b":2}"#, #"{,"a":1}"#, #"{null:1}"#, #"{"a":1 "b":2}"#,
        // Between them.
        "", " ", "1 2", "/**/1", "1//x", "#x", "\u{a0}1", "\u{b}1", "\u{c}1", "\u{2028}1", "\\u0031", "1\u{0}", "<x>",
    ])
    func `n: what it does not allow is refused`(value: String) {
        #expect(!isMessage(member(value)))
    }

    @Test(arguments: [
        "+1", "01", "-01", "-", "1.", ".5", "-.5", "1e", "1e+", "1.e1", "0x10", "1_000", "1,000.0", "1e1.5", "1a",
        "--1",
        "00", "-00", "1.5.5", "0e", "NaN", "-NaN", "Infinity", "-Infinity", "inf", "１",
    ])
    func `n: an id that looks like a number and is none is refused`(value: String) {
        #expect(!isMessage(#"{"title":"t","status_id":\#(value)}"#))
    }

    @Test(arguments: [
        "'x'", "\"", #""x"#, #""\x00""#, #""\a""#, #""\u""#, #""\u00A""#, #""\uqqqq""#, #""\"#, #""\ud800""#,
        #""\ud800\u0041""#, #""\u{1}""#, "\"\n\"", "\"\t\"", "\"\u{1f}\"", "x", #""a"b"#, "“x”",
    ])
    func `n: a body that is no text is refused`(value: String) {
        #expect(!isMessage(#"{"title":"t","body":\#(value)}"#))
    }

    @Test(arguments: [
        "01", "-01", "-", "1.", "-.5", "1e", "1e+", "1.e1", "1e1.5", "--1", "00", "-00", "1.5.5", "0e", #""\x00""#,
        #""\a""#, #""\uqqqq""#, #""\ud800""#, "\"\n\"", "\"\u{1f}\"",
    ])
    func `n: digits and escapes of a member that nobody reads are overlooked, as they do no harm`(value: String) {
        #expect(isMessage(member(value)))
    }

    @Test(arguments: ["+1", ".5", "0x10", "1_000", "1a", "NaN", "-NaN", "Infinity", "-Infinity", "'x'", "x", #""a"b"#])
    func `n: what does not even begin or end as a value is refused in every member`(value: String) {
        #expect(!isMessage(member(value)))
    }

    @Test(arguments: ["[1,]", #"{"a":1,}"#])
    func `n: a comma at the end is overlooked, as it does no harm`(value: String) {
        #expect(isMessage(member(value)))
    }

    @Test(arguments: [" {\"title\":\"t\"}", "{\"title\":\"t\"}\n", "\r\n\t {\r\n\t \"title\" : \"t\" } \r\n\t"])
    func `y: white space around everything is none of it`(json: String) {
        #expect(isMessage(json))
    }

    @Test(arguments: [
        #"{"title":"t"}}"#, #"{"title":"t"},"#, #"{"title":"t"}]"#, #"{"title":"t"}#"#, #"{"title":"t"}/**/"#,
        #"{"title":"t"}{}"#, #"{"title":"t""#, #"{"title":"t"#, #"{"title":"#, #"{"title""#, #"{"title"#, "{", "}",
        "[{}]",
        #""{}""#, #"{"title":"t"}\u0000"#, "\u{2060}{\"title\":\"t\"}", "\u{feff}{\"title\":\"t\"}",
    ])
    func `n: half an object, and anything around one, is refused`(json: String) {
        #expect(!isMessage(json))
    }

    @Test(
        arguments: [
            [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xc3, 0x28], [0xe0, 0x80, 0x80], [0xed, 0xa0, 0x80],
            [0xed, 0xbf, 0xbf], [0xf0, 0x80, 0x80, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xfe],
            [0xff], [0x00],
        ] as [[UInt8]]
    )
    func `i: octets that are not UTF-8, and zeros, are refused, in a text that nobody reads too`(octets: [UInt8]) {
        #expect(!isMessage(Array(#"{"title":"t","x":""#.utf8) + octets + Array(#""}"#.utf8)))
        #expect(!isMessage(Array(#"{"title":"t",""#.utf8) + octets + Array(#"":1}"#.utf8)))
    }

    @Test func `every beginning of a message is refused, and none is the end of the relay`() {
        let message = Array(#"{"title":"\u00e9 \ud83d\ude00","x":[1.5e3,{"y":null}],"status_id":"1"}"#.utf8)
        for count in message.indices { #expect(!isMessage(Array(message[..<count])), "\(count)") }
        #expect(isMessage(message))
    }
}
