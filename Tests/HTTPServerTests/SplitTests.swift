import RelayTesting
import Testing

@testable import HTTPServer

@Suite struct SplitTests {
    @Test(arguments: HostileRequest.all)
    func `one octet at a time reads the same as all at once`(_ hostile: HostileRequest) {
        let octets = hostile.raw
        #expect(Reading(octets.indices.map { octets[$0...$0] }) == Reading([octets[...]]))
    }

    /// Those of which every cut can be tried in no time; the longer ones are long only in the middle.
    private static let short = HostileRequest.all.filter { $0.raw.count < 1_000 }

    @Test(arguments: short)
    func `two segments read the same as one, wherever they meet`(_ hostile: HostileRequest) {
        let octets = hostile.raw
        let whole = Reading([octets[...]])
        let differing = octets.indices.filter { Reading([octets[..<$0], octets[$0...]]) != whole }
        #expect(differing.isEmpty)
    }

    @Test(arguments: UInt64(0)..<64)
    func `octets at random in segments at random read the same as all at once`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let octets = Self.mutated(using: &generator)
            let whole = Reading([octets[...]])
            let pieces = Reading(Self.segments(of: octets, using: &generator))
            if whole != pieces { Issue.record("seed \(seed): \(octets) reads as \(whole) and as \(pieces)") }
        }
    }

    /// Some requests one after another with octets replaced, inserted, removed and repeated.
    private static func mutated(using generator: inout SeededGenerator) -> [UInt8] {
        var octets: [UInt8] = []
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            octets += short.randomElement(using: &generator)?.raw ?? []
        }
        let telling = Array("\r\n\r\n\0\t :;,%09aFxX/[]\u{7F}é".utf8)
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let place = Int.random(in: 0..<max(1, octets.count), using: &generator)
            guard octets.indices.contains(place) else { continue }
            let octet = telling.randomElement(using: &generator) ?? 0
            switch UInt8.random(in: 0..<5, using: &generator) {
            case 0: octets[place] = octet
            case 1: octets.insert(octet, at: place)
            case 2: octets.remove(at: place)
            case 3: octets[place] = UInt8.random(in: 0...255, using: &generator)
            default: octets.insert(contentsOf: octets[place...].prefix(12), at: place)
            }
        }
        return octets
    }

    private static func segments(of octets: [UInt8], using generator: inout SeededGenerator) -> [ArraySlice<UInt8>] {
        var rest = octets[...]
        var segments: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            let segment = rest.prefix(Int.random(in: 1...40, using: &generator))
            segments.append(segment)
            rest = rest.dropFirst(segment.count)
        }
        return segments
    }
}
