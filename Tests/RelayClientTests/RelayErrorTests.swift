import Foundation
import Testing

@testable import RelayClient

/// What each answer of a relay, and of what stands in front of one, means to the app.
struct RelayErrorTests {
    /// The error of a call that wanted 200 and an object.
    private static func error(
        _ status: Int,
        _ body: String,
        retryAfter: TimeInterval? = nil
    ) -> RelayClientError? {
        let answer = RelayAnswer(Answer(status: status, body: Data(body.utf8), retryAfter: retryAfter))
        do throws(RelayClientError) {
            _ = try answer.decoded([String: Int].self, status: 200)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (401, ErrorWord.unauthorized), (400, .malformedBody), (400, .badRequest), (411, .lengthRequired),
        (413, .payloadTooLarge), (414, .uriTooLong), (431, .headerFieldsTooLarge), (404, .notFound),
    ])
    func `a relay's 4xx is the app's configuration, with its word and message`(status: Int, word: ErrorWord) {
        let error = Self.error(status, Example.problem(word))
        #expect(error == .configuration(word, message: "what to do"))
    }

    @Test func `a method that the relay does not have is a relay that is too old`() {
        let error = Self.error(405, Example.problem(.methodNotAllowed, "use DELETE"))
        #expect(
            error
                == .configuration(.methodNotAllowed, message: "the relay is older than this library: upgrade the relay")
        )
    }

    @Test func `a word that is not known stands in the message`() {
        let error = Self.error(409, "{\"error\":\"some_new_word\",\"message\":\"do this\",\"more\":1}")
        #expect(error == .configuration(nil, message: "some_new_word: do this"))
    }

    @Test(arguments: [
        (429, ErrorWord.rateLimited), (429, .tooManyRegistrations), (503, .tooManySubscriptions),
        (503, .databaseUnavailable), (503, .overloaded), (503, .serviceUnavailable), (500, .internalFailure),
        (408, .requestTimeout),
    ])
    func `what the relay cannot do now is asked again later, after the time that it says`(status: Int, word: ErrorWord)
    {
        let body = Example.problem(word)
        #expect(Self.error(status, body, retryAfter: 40) == .askAgainLater(after: 40, reason: "what to do"))
        #expect(Self.error(status, body) == .askAgainLater(after: nil, reason: "what to do"))
    }

    @Test(arguments: [429, 500, 502, 503, 504, 520])
    func `the page of a proxy whose relay is down is asked again later`(status: Int) {
        let error = Self.error(status, "<html>Bad Gateway</html>")
        #expect(error == .askAgainLater(after: nil, reason: "the answer is \(status)"))
    }

    @Test(arguments: [200, 201, 204, 301, 302, 304, 307, 400, 401, 403, 404, 405, 410, 413, 418])
    func `a page of another server is no relay's`(status: Int) {
        for body in ["<html>Log in to the network</html>", "", "[]", "{\"error\":{}}", "{\"error\":\"not_found\"}"] {
            #expect(Self.error(status, body) == .notARelay(status: status))
        }
    }

    @Test func `only a relay's 404 is what a call that tidies up may get`() throws {
        try RelayAnswer(Answer(status: 204, body: Data())).expectDone()
        try RelayAnswer(Answer(status: 404, body: Data(Example.problem(.notFound).utf8))).expectDone()
        for (status, body) in [(404, "<html>"), (200, "{}"), (404, Example.problem(.unauthorized))] {
            let answer = RelayAnswer(Answer(status: status, body: Data(body.utf8)))
            #expect(throws: RelayClientError.self) { try answer.expectDone() }
        }
    }

    @Test func `a message of a relay's is one line of some length at most`() {
        let long = String(repeating: "a", count: 1_000)
        #expect(
            Self.error(400, Example.problem(.malformedBody, "one\\ntwo\\u001b[31m"))
                == .configuration(.malformedBody, message: "one two [31m")
        )
        #expect(
            Self.error(400, Example.problem(.malformedBody, long))
                == .configuration(.malformedBody, message: String(long.prefix(300)))
        )
    }

    @Test(arguments: [
        (RelayClientError.askAgainLater(after: 40, reason: "full"), "Ask the relay again in 40.0 s: full"),
        (.askAgainLater(after: nil, reason: "full"), "Ask the relay again later: full"),
        (.configuration(.unauthorized, message: "send it"), "The relay refuses the call (unauthorized): send it"),
        (.notARelay(status: 302), "What answered with 302 is not a relay."),
    ])
    func `an error has a sentence for a log`(error: RelayClientError, sentence: String) {
        #expect(error.localizedDescription == sentence)
    }
}
