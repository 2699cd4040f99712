/// A number for each case of an enumeration, whose raw values are the places from 0 on.
package struct Tally<Case: CaseIterable & RawRepresentable & Sendable>: Sendable where Case.RawValue == Int {
    private var counts = [Int](repeating: 0, count: Case.allCases.count)

    package init() {}

    package subscript(_ one: Case) -> Int { counts[one.rawValue] }

    package mutating func add(_ one: Case) {
        counts[one.rawValue] &+= 1
    }
}
