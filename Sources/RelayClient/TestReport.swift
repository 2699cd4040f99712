public import Foundation

/// What became of a test alert, and how long each part of its way took.
public struct TestReport: Sendable, Hashable {
    /// Whether Apple accepted the alert, so that it is on its way to the device.
    public let isAccepted: Bool

    /// Apple's word: `accepted`, why it refused the alert, or what kept the relay from asking; nil where it was not asked.
    public let apple: String?

    /// What went wrong; nil where nothing did, and for a word that this release of the library does not know.
    public let error: ErrorWord?

    /// What the relay's operator or the user can do, in one English line; nil where there is nothing, or nothing known.
    public let remedy: String?

    /// Which of Apple's services was asked; nil where none was, or where the relay does not say.
    public let environment: PushEnvironment?

    /// How long it took to encrypt the message for the subscription's keys, in seconds.
    public let encryptionTime: TimeInterval?

    /// How long it took from there to the decrypted message, in seconds.
    public let decryptionTime: TimeInterval?

    /// How long it took from there to Apple's answer, in seconds.
    public let appleTime: TimeInterval?

    /// How long all of it took at the relay, in seconds.
    public let totalTime: TimeInterval?

    /// What `POST /subscribe/{id}/test` answers, with times in milliseconds.
    struct Wire: Decodable {
        let apple: String?
        let error: String?
        let remedy: String?
        let environment: String?
        let encrypted_ms: Double?
        let decrypted_ms: Double?
        let apple_ms: Double?
        let total_ms: Double?
    }

    init(_ wire: Wire) {
        isAccepted = wire.apple == "accepted" && wire.error == nil
        apple = wire.apple?.printable
        error = wire.error.flatMap(ErrorWord.init)
        remedy = wire.remedy?.printable
        environment = wire.environment.flatMap(PushEnvironment.init)
        encryptionTime = Self.seconds(wire.encrypted_ms)
        decryptionTime = Self.seconds(wire.decrypted_ms)
        appleTime = Self.seconds(wire.apple_ms)
        totalTime = Self.seconds(wire.total_ms)
    }

    private static func seconds(_ milliseconds: Double?) -> TimeInterval? {
        milliseconds.map { $0 / 1_000 }
    }
}
