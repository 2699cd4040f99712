/// One request to Apple, complete but for the provider token (Apple, "Sending notification requests to APNs").
package struct Notification: Sendable {
    package var deviceToken: DeviceToken
    /// `apns-id`: a UUID in lower case; the same for every try of one notification.
    package var id: String
    /// The JSON body, at most 4,096 octets.
    package var payload: [UInt8]
    /// `apns-collapse-id`: at most 64 octets of base64url; a later notification with the same one replaces the banner.
    package var collapseID: String?
    /// `apns-expiration`: seconds since 1970 until which Apple tries again; 0 is one try and no storing.
    package var expiration: Int64
    package var priority: Priority

    /// `apns-priority`.
    package enum Priority: Int, Sendable {
        /// At once.
        case immediate = 10
        /// With regard to the device's battery.
        case considerate = 5
    }

    package init(
        deviceToken: DeviceToken,
        id: String,
        payload: [UInt8],
        collapseID: String? = nil,
        expiration: Int64,
        priority: Priority = .immediate
    ) {
        self.deviceToken = deviceToken
        self.id = id
        self.payload = payload
        self.collapseID = collapseID
        self.expiration = expiration
        self.priority = priority
    }
}
