import CCurl
import Glibc

/// The certificate authorities that Apple's certificate is held against, where the configuration names no others.
package enum SystemCertificates {
    /// The file that libcurl was built to read them from; nil when it takes them from elsewhere.
    package static var path: String? {
        curl_version_info(CURLversion(rawValue: CURLversion.RawValue(CURLVERSION_LAST.rawValue - 1)))
            .flatMap { $0.pointee.cainfo }
            .map { String(cString: $0) }
    }

    /// Whether there is something in it; a small image may have been made without.
    package static var areThere: Bool {
        guard let path else { return true }
        var file = stat()
        return access(path, R_OK) == 0 && stat(path, &file) == 0 && file.st_size > 0
    }
}
