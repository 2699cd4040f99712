import Testing

@testable import RelayCore
@testable import Store
@testable import WebPush

@Suite("What each answer counts as") struct PushOutcomeTests {
    private static let wait = RetryAfter(seconds: 1)

    @Test(
        arguments: [
            (.unknownRoute, .unknown), (.subscriptionGone, .unknown), (.deviceGone, .gone),
            (.methodNotAllowed(allow: "POST"), .refused), (.unauthorized, .refused), (.unknownCoding, .refused),
            (.otherSender(.missing), .refused), (.otherSender(.badSignature), .refused),
            (.malformedField(.timeToLive), .refused),
            (.signingKeyReused, .refused), (.malformedMessage(""), .refused), (.malformedBody(""), .refused),
            (.undecryptable(.authenticationTag), .refused), (.undecryptable(.cryptographyFailed), .unavailable),
            (.rateLimited(wait), .limited), (.tooManyRegistrations(wait), .limited),
            (.tooManySubscriptions(.closed), .unavailable), (.database(.closed), .unavailable),
            (.backupsOverdue, .unavailable),
            (.overloaded, .overloaded), (.appleFailed, .failed), (.appleRefusesConfiguration, .misconfigured),
            (.deletionRefused, .guarded), (.internalFailure, .internal),
        ] as [(RelayError, PushOutcome)]
    )
    func `each reason why a push is not done is one outcome`(error: RelayError, outcome: PushOutcome) {
        #expect(PushOutcome(error) == outcome)
    }

    @Test(
        arguments: [
            (.unauthorized, .refused), (.malformedBody(""), .refused), (.tooManyRegistrations(wait), .limited),
            (.tooManySubscriptions(.closed), .full), (.database(.closed), .unavailable),
            (.internalFailure, .unavailable),
        ] as [(RelayError, RegistrationOutcome)]
    )
    func `each reason why a registration is not done is one outcome`(error: RelayError, outcome: RegistrationOutcome) {
        #expect(RegistrationOutcome(error) == outcome)
    }

    @Test func `each outcome has a name of its own`() {
        #expect(Set(PushOutcome.allCases.map(\.label)).count == PushOutcome.allCases.count)
        #expect(Set(RegistrationOutcome.allCases.map(\.label)).count == RegistrationOutcome.allCases.count)
        #expect(Set(AppleService.allCases.map(\.label)).count == AppleService.allCases.count)
    }
}
