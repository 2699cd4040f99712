import Glibc

extension CommandLine {
    /// The arguments behind the program's name, also where there is no `/proc`.
    ///
    /// Swift reads its `arguments` from `/proc/self/cmdline` and has none in a bare chroot, where the relay would then
    /// serve whatever it was asked for.
    static var argumentsBehindName: [String] {
        arguments.isEmpty ? argumentsOnTheStack : Array(arguments.dropFirst())
    }

    /// The same from where the kernel puts them, in front of the environment: their number, the arguments, a null.
    ///
    /// System V ABI, "Initial Process Stack"; arm64 has it alike. To be asked before anything changes the environment.
    private static var argumentsOnTheStack: [String] {
        // More than the kernel passes to anybody who starts a service; an end for the search, not a limit to meet.
        let most = 4_096
        guard
            let symbol = dlsym(nil, "environ"),
            let environment = symbol.load(as: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self)
        else { return [] }
        let end = environment - 1
        guard end.pointee == nil else { return [] }
        for count in 0..<most {
            let first = end - count
            guard Int(bitPattern: (first - 1).pointee) == count else { continue }
            return (0..<count).dropFirst().compactMap { first[$0].map { String(cString: $0) } }
        }
        return []
    }
}
