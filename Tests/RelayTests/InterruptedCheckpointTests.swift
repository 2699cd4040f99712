import Foundation
import Glibc
import RelayTesting
import Testing

/// Deaths while the write-ahead log is folded into the file.
@Suite(.fewAtATime) struct InterruptedCheckpointTests {
    /// The calls of a checkpoint: pages go into the file, the file to the disk, and the log is cut and removed.
    @Test(arguments: [("pwrite64", "", 4), ("fdatasync", "", 1), ("ftruncate", "-wal", 1), ("unlink", "-wal", 1)])
    func `a relay that dies in the middle of a checkpoint finds everything again`(
        call: String,
        file: String,
        atLeast: Int
    ) async throws {
        let apple = try await AppleSimulator.shared()
        let folder = try TemporaryFolder()
        let devices = [freshToken(), freshToken(), freshToken()]
        // Long texts, so that the rows fill several pages.
        let long = String(repeating: "x", count: 240)
        var endpoints: [Endpoint] = []
        let first = try await RelayProgram(apple: apple, in: folder)
        for number in 0..<10 {
            for device in devices {
                endpoints.append(try await first.subscribe(device, account: "\(long) \(number)", label: long))
            }
        }
        #expect(await first.stop() == 0)

        var (deaths, badge): (Int, Int) = (0, 0)
        while true {
            let killer = SystemCalls.killer(call, number: deaths + 1, of: [folder.path("relay.sqlite\(file)")])
            let relay = try await RelayProgram(apple: apple, in: folder, launcher: killer)
            for endpoint in endpoints { #expect(try await relay.push(to: endpoint).status == 201) }
            badge += 10
            for device in devices { #expect(try await apple.requests(for: device).last?.badge == badge) }
            let end = await relay.stop()
            #expect(try LeftBehind(in: folder).damage() == ["ok"])
            guard end == 128 + SIGKILL else {
                #expect(end == 0)
                break
            }
            deaths += 1
        }
        print("InterruptedCheckpointTests: died before each of \(deaths) calls of \(call)")
        #expect(deaths >= atLeast)
    }
}
