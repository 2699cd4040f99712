import CCurl
import Glibc

/// The sockets of one generation: one, or two for a moment while libcurl tries two addresses.
///
/// libcurl has its address, and closes the last of them when its multi handle is freed, which this has to outlive.
final class Sockets {
    /// Asked before each.
    var mayOpen: () -> Bool = { false }
    /// How often one was asked for.
    private(set) var openings = 0
    private var descriptors: Set<curl_socket_t> = []

    /// Has a handle open and close its sockets here.
    func serve(_ easy: UnsafeMutableRawPointer) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        relay_curl_set_opensocket(easy, openSocket)
        relay_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
        relay_curl_set_closesocket(easy, closeSocket)
        relay_curl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, context)
    }

    /// Has what is written meanwhile go out in as few packets as hold it.
    ///
    /// libcurl writes twice for each request, and the way of a packet through the kernel costs more than making one.
    func sendingTogether(_ write: () -> Void) {
        for descriptor in descriptors { set(TCP_CORK, 1, of: descriptor) }
        write()
        for descriptor in descriptors { set(TCP_CORK, 0, of: descriptor) }
    }

    /// A socket for an address of libcurl's, or `CURL_SOCKET_BAD`.
    ///
    /// It gives up a connection whose octets nobody has acknowledged for three seconds: then the network is gone, not
    /// Apple slow, and there is time left to try another. The kernel's own limit is a quarter of an hour.
    fileprivate func open(_ address: curl_sockaddr) -> curl_socket_t {
        openings += 1
        guard mayOpen() else { return CURL_SOCKET_BAD }
        let descriptor = socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        guard descriptor >= 0 else { return CURL_SOCKET_BAD }
        // A kernel that does not know the option is no reason not to connect.
        set(TCP_USER_TIMEOUT, 3_000, of: descriptor)
        descriptors.insert(descriptor)
        return descriptor
    }

    fileprivate func close(_ descriptor: curl_socket_t) -> CInt {
        descriptors.remove(descriptor)
        return Glibc.close(descriptor)
    }

    private func set(_ option: CInt, _ value: CInt, of descriptor: curl_socket_t) {
        var value = value
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), option, &value, socklen_t(MemoryLayout<CInt>.size))
    }
}

/// libcurl's callback that makes a socket; it runs on the generation's thread, inside `curl_multi_perform`.
private func openSocket(
    context: UnsafeMutableRawPointer?,
    purpose: curlsocktype,
    address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return CURL_SOCKET_BAD }
    return Unmanaged<Sockets>.fromOpaque(context).takeUnretainedValue().open(address.pointee)
}

/// libcurl's callback that closes one; it runs there, or where the multi handle is freed.
private func closeSocket(context: UnsafeMutableRawPointer?, descriptor: curl_socket_t) -> CInt {
    guard let context else { return close(descriptor) }
    return Unmanaged<Sockets>.fromOpaque(context).takeUnretainedValue().close(descriptor)
}
