// swift-tools-version: 6.3

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0335-existential-any.md
    .enableUpcomingFeature("ExistentialAny"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0409-access-level-on-imports.md
    .enableUpcomingFeature("InternalImportsByDefault"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0444-member-import-visibility.md
    .enableUpcomingFeature("MemberImportVisibility"),
    // https://github.com/swiftlang/swift-evolution/blob/main/proposals/0461-async-function-isolation.md
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
    // Where tests have the relay die between two steps (Store/Failpoint.swift); what ships has none of it.
    .define("FAILPOINTS", .when(configuration: .debug)),
]

/// A module exists to own a C library or to be pure; everything else is a folder inside one.
func module(_ name: String, owns library: String? = nil, uses modules: [String] = []) -> Target {
    .target(
        name: name,
        dependencies: (modules + [library].compactMap(\.self)).map { .byName(name: $0) },
        swiftSettings: strict
    )
}

func tests(_ name: String, uses modules: [String]) -> Target {
    .testTarget(name: name, dependencies: modules.map { .byName(name: $0) }, swiftSettings: strict)
}

let package = Package(
    name: "relay",
    // For the app's library; the relay itself is for Linux.
    platforms: [.iOS(.v15), .macOS(.v12)],
    products: [
        .executable(name: "relay", targets: ["relay"]),
        .library(name: "RelayClient", targets: ["RelayClient"]),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CLinux"),

        module("Threads"),
        module("Crypto", owns: "COpenSSL"),
        module("WebPush", uses: ["Crypto"]),
        module("APNs", owns: "CCurl", uses: ["Crypto", "Threads"]),
        module("HTTPServer", owns: "CLinux"),
        module("Store", owns: "CSQLite", uses: ["Crypto", "Threads"]),
        module("RelayCore", uses: ["APNs", "Crypto", "HTTPServer", "Store", "Threads", "WebPush"]),
        .executableTarget(
            name: "relay",
            dependencies: ["APNs", "Crypto", "HTTPServer", "RelayCore", "Store", "Threads", "WebPush"],
            swiftSettings: strict
        ),
        module("RelayTesting", uses: ["APNs", "Crypto"]),
        module("RelayClient"),

        tests("RelayClientTests", uses: ["RelayClient"]),
        tests("CryptoTests", uses: ["Crypto", "RelayTesting"]),
        tests("WebPushTests", uses: ["Crypto", "RelayTesting", "WebPush"]),
        tests("APNsTests", uses: ["APNs", "Crypto", "RelayTesting"]),
        tests("HTTPServerTests", uses: ["HTTPServer", "RelayTesting"]),
        tests("StoreTests", uses: ["Crypto", "RelayTesting", "Store"]),
        tests(
            "RelayCoreTests",
            uses: ["APNs", "Crypto", "HTTPServer", "RelayCore", "RelayTesting", "Store", "WebPush"]
        ),
        // It runs the program, so the program has to be built first.
        tests(
            "RelayTests",
            uses: ["APNs", "Crypto", "HTTPServer", "RelayCore", "RelayTesting", "Store", "relay"]
        ),
        // Plays an app's life through the library that apps have, and knows nothing else of the relay.
        tests("AppTests", uses: ["RelayClient", "RelayTesting", "relay"]),
    ]
)
