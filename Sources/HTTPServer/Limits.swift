/// How much and how long a client may take; counts are inclusive, times are absolute and not restarted by an octet.
package struct Limits: Sendable {
    /// Connections held at once; at the cap the longest idle one gives way, or one that sends too slowly.
    ///
    /// The server takes fewer where the process may not open so many descriptors: see `fitting(descriptors:)`.
    package var connections = 1_024

    /// Handlers running at once, those included whose client has gone; beyond it 503.
    package var requestsInFlight = 1_024

    /// Octets of requests held in all, of those that are arriving and of those whose handlers run; beyond it a request
    /// of more than `smallRequestOctets` is answered 503.
    ///
    /// Without it 1,024 bodies of 64 KB are 64 MB, and whoever sends them slowly holds as much for 20 s.
    package var requestOctets = 8_388_608

    /// A request up to this size, its head and what its fields cost included, is served however much the others hold.
    ///
    /// Room for what instances send: Pixelfed's bodies are 2,922 octets and more, and a dozen fields come with each.
    package var smallRequestOctets = 8_192

    /// Octets of the request line without its CR LF; beyond it 414.
    package var requestLineOctets = 8_192

    /// Octets from the request line to the empty line behind the fields; beyond it 431.
    ///
    /// A trailer has as many again.
    package var headOctets = 16_384

    /// Field lines of a head; beyond it 431.
    ///
    /// A trailer has as many again.
    package var fieldLines = 64

    /// Octets of extensions on the size line of one chunk; beyond it 400.
    package var chunkExtensionOctets = 256

    /// Octets kept of requests that arrive while one is being answered; beyond it the socket is not read.
    package var pipelinedOctets = 16_384

    /// From a request's first octet to the end of its head; then 408.
    ///
    /// Also from accepting to the first octet; then an end without a word.
    package var headTime = Duration.seconds(10)

    /// From the end of the head to the end of the body; then 408.
    package var bodyTime = Duration.seconds(20)

    /// For how long a head or a body may be arriving while others wait for a place, or the first octet of a newcomer;
    /// then its connection gives way.
    package var arrivalTimeAtCap = Duration.milliseconds(500)

    /// From calling the handler to its answer; then 503, and the late answer is dropped.
    package var handlerTime = Duration.seconds(30)

    /// From the first octet of an answer to the last; then the connection is cut.
    package var answerTime = Duration.seconds(10)

    /// Between two requests of a connection; then it is closed.
    package var idleTime = Duration.seconds(75)

    /// After the last answer, for the client to read it and close; see `lingerOctets`.
    package var lingerTime = Duration.seconds(2)

    /// Octets read and dropped after the last answer: closing with unread octets would make the kernel send a reset,
    /// which can destroy an answer on its way (RFC 9112, section 9.6).
    package var lingerOctets = 1_048_576

    /// How long accepting rests when the process is out of file descriptors and no connection closes.
    package var acceptPause = Duration.milliseconds(100)

    /// The limits for a service behind one proxy.
    package init() {}

    /// The same limits with at most as many connections as leave 64 of `descriptors` to the rest of the process.
    ///
    /// Running out of them is not an error that every library handles: libdispatch ends the process when it cannot open
    /// the file in which it looks up what its threads do.
    func fitting(descriptors: Int) -> Limits {
        var limits = self
        limits.connections = max(1, min(connections, descriptors - 64))
        return limits
    }
}
