import Testing

@testable import HTTPServer
@testable import RelayCore
@testable import WebPush

@Suite("The words of errors, which an app is built with too") struct ErrorWordTests {
    /// Every error that a route answers, with all of its words where it has several.
    static let errors: [RelayError] =
        RelayErrorTests.errors.map(\.error) + PushField.allCases.map { .malformedField($0) }
        + MessageError.allCases.map { .undecryptable($0) } + SenderError.allCases.map { .otherSender($0) }

    @Test(arguments: Refusal.allCases)
    func `what the listener refuses by itself has one of them`(refusal: Refusal) throws {
        let word = try #require(refusal.response.errorWord)
        #expect(ErrorWord(rawValue: word) != nil, "\(word)")
    }

    @Test func `there is none that nothing answers`() {
        let answered = Self.errors.map(\.response.errorWord) + Refusal.allCases.map(\.response.errorWord)
        let words = Set(answered.compactMap { $0 })
        #expect(words.symmetricDifference(ErrorWord.allCases.map(\.rawValue)) == [])
    }

    @Test(arguments: MessageError.allCases)
    func `a body that does not decrypt is named as in the vectors`(error: MessageError) {
        #expect(ErrorWord(error).rawValue == error.rawValue)
    }

    @Test(arguments: PushField.allCases)
    func `a malformed field is named in its word`(field: PushField) {
        let name = field.rawValue.lowercased().replacing("-", with: "_")
        #expect(ErrorWord(field).rawValue == "malformed_\(name)")
    }
}
