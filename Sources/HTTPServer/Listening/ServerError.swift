import Glibc

/// Why a server cannot start.
package enum ServerError: Error, Equatable, CustomStringConvertible {
    /// The address is not one of its kind.
    case unusableAddress(ListenAddress)

    /// Another program, or another instance of this one, answers on the socket.
    case socketInUse(path: String)

    /// Something that is not a socket stands where the socket would be made.
    case notASocket(path: String)

    /// A call failed; `code` is its errno.
    case failed(operation: String, address: ListenAddress, code: Int32)

    /// A lower-case sentence that ends in a remedy.
    package var description: String {
        switch self {
        case .unusableAddress(let address):
            "cannot listen on \(address): not an address of its kind; write it like 127.0.0.1:8080"
        case .socketInUse(let path):
            "cannot listen on unix:\(path): another program answers there; stop it or use another path"
        case .notASocket(let path):
            "cannot listen on unix:\(path): the file is not a socket; remove it or use another path"
        case .failed(let operation, let address, let code):
            "cannot listen on \(address): \(operation): \(String(cString: strerror(code))); \(Self.remedy(code))"
        }
    }

    private static func remedy(_ code: Int32) -> String {
        switch code {
        case EADDRINUSE: "stop the program that listens there or use another port"
        case EADDRNOTAVAIL: "use an address of this machine"
        case EACCES, EPERM: "use a port above 1023 or a directory that this user may write"
        case ENOENT, ENOTDIR: "make the directory of the socket first"
        case EMFILE, ENFILE: "raise the limit of open files"
        case EAFNOSUPPORT: "use an IPv4 address"
        default: "see that the machine has memory, threads and open files to spare"
        }
    }
}
