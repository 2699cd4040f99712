import Glibc

extension DurableFile {
    /// What is in a directory, in no order; nothing where there is none.
    static func names(in directory: String) throws(StoreError) -> [String] {
        guard let stream = opendir(directory) else {
            if errno == ENOENT { return [] }
            throw .file(action: "read", path: directory, code: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            // In place: the record may be shorter than the field that Swift sees.
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { field in
                field.baseAddress.map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
            }
            if let name { names.append(name) }
        }
        guard errno == 0 else { throw .file(action: "read", path: directory, code: errno) }
        return names
    }
}
