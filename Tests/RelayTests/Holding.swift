import Foundation
import Testing

/// What a process holds, from the kernel's accounts of it.
struct Holding {
    let descriptors: Int
    let residentKilobytes: Int
    /// The most that it ever had in memory.
    let mostKilobytes: Int

    init(_ process: Int32) throws {
        descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
        let status = try String(contentsOf: URL(filePath: "/proc/\(process)/status"), encoding: .utf8)
        func number(_ name: String) throws -> Int {
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("\(name):") })
            return try #require(Int(line.filter(\.isNumber)))
        }
        residentKilobytes = try number("VmRSS")
        mostKilobytes = try number("VmHWM")
    }
}
