/// The octets of one input, taken from the front.
struct Input {
    private var rest: ArraySlice<UInt8>

    init(_ octets: [UInt8]) { rest = octets[...] }

    /// 0 when there are none left.
    mutating func octet() -> UInt8 { rest.popFirst() ?? 0 }

    /// A number of so many octets, the first the most significant.
    mutating func number(octets: Int) -> UInt64 {
        (0..<octets).reduce(0) { number, _ in number << 8 | UInt64(octet()) }
    }

    /// Up to the next line feed, which is dropped; the octets themselves may not hold one.
    mutating func line() -> [UInt8] {
        let line = rest.prefix { $0 != 0x0a }
        rest = rest.dropFirst(line.count + 1)
        return Array(line)
    }

    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}

/// Ends the process, and so makes the input a finding, unless the condition holds.
func require(_ condition: @autoclosure () throws -> Bool, _ rule: @autoclosure () -> String) {
    let holds = (try? condition()) ?? false
    guard holds else { fatalError("broken rule: \(rule())") }
}

/// What a call returned or threw, so that two calls can be compared.
func outcome<Value: Equatable, Failure: Error & Equatable>(
    _ work: () throws(Failure) -> Value
) -> Result<Value, Failure> {
    do throws(Failure) { return .success(try work()) } catch { return .failure(error) }
}

/// Where libFuzzer comes in; each fuzzer has one `check`.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
