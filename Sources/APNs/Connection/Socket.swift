import CCurl
import Glibc

/// A socket for an address of libcurl's, or `CURL_SOCKET_BAD`.
///
/// It gives up a connection whose octets nobody has acknowledged for three seconds: then the network is gone, not Apple
/// slow, and there is time left to try another. The kernel's own limit is a quarter of an hour.
func makeSocket(_ address: curl_sockaddr) -> curl_socket_t {
    let descriptor = socket(address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
    guard descriptor >= 0 else { return CURL_SOCKET_BAD }
    var milliseconds: UInt32 = 3_000
    let size = socklen_t(MemoryLayout<UInt32>.size)
    // A kernel that does not know the option is no reason not to connect.
    _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
    return descriptor
}
