import CCurl

/// Header fields as libcurl takes them: a list that may go on into another one, so that what many requests have in
/// common is made once.
final class HeaderFields {
    let list: UnsafeMutablePointer<curl_slist>?
    private let last: UnsafeMutablePointer<curl_slist>?
    private let common: HeaderFields?

    /// - Parameter lines: `name: value` each, at least one.
    init(_ lines: [String], followedBy common: HeaderFields? = nil) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) ?? list }
        var last = list
        while let next = last?.pointee.next { last = next }
        last?.pointee.next = common?.list
        self.list = list
        self.last = last
        self.common = common
    }

    deinit {
        // The others are not this list's to free.
        last?.pointee.next = nil
        curl_slist_free_all(list)
    }
}
