import Glibc
import RelayTesting
import Testing

@Suite(.fewAtATime) struct ProgramTests {
    /// What inherits a pipe of another keeps that one's output open, and whoever waits for the end waits for both.
    @Test func `of programs that begin at once none keeps another from its end`() async throws {
        var lasting: [Program] = []
        for _ in 0..<16 {
            lasting += try await withThrowingTaskGroup(of: Program?.self) { group in
                for _ in 0..<4 {
                    group.addTask { try Program("/bin/cat", []) }
                    group.addTask {
                        let short = try Program("/bin/true", [])
                        #expect(await short.end() == 0)
                        return nil
                    }
                }
                return try await group.reduce(into: []) { if let program = $1 { $0.append(program) } }
            }
        }
        for program in lasting { program.signal(SIGTERM) }
        for program in lasting { #expect(await program.end() == 128 + SIGTERM) }
    }
}
