import Testing

@testable import APNs

@Suite struct StreamGateTests {
    @Test func `one goes first, and each acceptance lets twice as many follow`() {
        var gate = StreamGate(most: 100)
        var limits = [gate.limit]
        for _ in 0..<8 {
            gate.accepted()
            limits.append(gate.limit)
        }
        #expect(limits == [1, 2, 4, 8, 16, 32, 64, 100, 100])
    }

    @Test func `on another connection one goes first again`() {
        var gate = StreamGate(most: 100)
        for _ in 0..<8 { gate.accepted() }
        gate.close()
        #expect(gate.limit == 1)
    }
}

@Suite struct ConnectBudgetTests {
    let start = ContinuousClock.now

    private func spend(_ budget: ConnectBudget, times: Int, at time: Duration) -> Int {
        (0..<times).count { _ in budget.spend(at: start + time) }
    }

    @Test func `eight connections may be opened in ten seconds, and eight more after them`() {
        let budget = ConnectBudget()
        #expect(spend(budget, times: 20, at: .zero) == 8)
        #expect(spend(budget, times: 20, at: .milliseconds(9_999)) == 0)
        #expect(spend(budget, times: 20, at: .seconds(10)) == 8)
    }

    @Test func `forty may be opened in ten minutes`() {
        let budget = ConnectBudget()
        let opened = (0..<60).reduce(0) { $0 + spend(budget, times: 20, at: .seconds(10 * $1)) }
        #expect(opened == 40)
        #expect(spend(budget, times: 20, at: .seconds(600)) == 8)
    }
}

@Suite struct BackoffTests {
    @Test func `after failures the next connection waits 1, 2, 4 up to 60 seconds`() {
        var backoff = Backoff()
        let waits = (0..<9).map { _ in backoff.wait(afterSuccess: false, random: 0.5) }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    }

    @Test func `after a connection that worked the next one does not wait, and the count begins anew`() {
        var backoff = Backoff()
        for _ in 0..<5 { _ = backoff.wait(afterSuccess: false, random: 0.5) }
        let waits = [backoff.wait(afterSuccess: true, random: 0.5), backoff.wait(afterSuccess: false, random: 0.5)]
        #expect(waits == [.zero, .seconds(1)])
    }

    @Test func `a wait is spread by a fifth either way`() {
        let waits = [0, 1].map { random in
            var backoff = Backoff()
            return backoff.wait(afterSuccess: false, random: random) / .milliseconds(1)
        }
        #expect(waits.map { $0.rounded() } == [800, 1_200])
    }
}

@Suite struct HealthTests {
    let start = ContinuousClock.now

    @Test func `a connection that has worked gets a second chance, a new one none`() {
        var new = Health(at: start, patience: .seconds(4))
        var proven = Health(at: start, patience: .seconds(4))
        proven.accepted(at: start)
        let verdicts = [new.ranOut(), proven.ranOut(), proven.ranOut()]
        #expect(verdicts == [true, false, true])
    }

    @Test func `an answer in between takes a time-out back`() {
        var health = Health(at: start, patience: .seconds(4))
        health.accepted(at: start)
        let verdicts = [health.ranOut(), health.rejected(.keep, at: start), health.ranOut()]
        #expect(verdicts == [false, false, false])
    }

    @Test func `the third suspect answer in a row replaces a connection`() {
        var health = Health(at: start, patience: .seconds(4))
        let effects: [ConnectionEffect] = [.suspect, .suspect, .keep, .suspect, .suspect, .suspect]
        let verdicts = effects.map { health.rejected($0, at: start) }
        #expect(verdicts == [false, false, false, false, false, true])
        health.accepted(at: start)
        let again = health.rejected(.suspect, at: start)
        #expect(!again)
    }

    @Test(arguments: [ConnectionEffect.replace, .replaceWithNewToken])
    func `an answer that wedges a connection replaces it at once`(effect: ConnectionEffect) {
        var health = Health(at: start, patience: .seconds(4))
        let verdict = health.rejected(effect, at: start)
        #expect(verdict)
    }

    @Test func `four seconds without any answer are silence, counted from the last thing that happened`() {
        var health = Health(at: start, patience: .seconds(4))
        #expect(!health.isSilent(at: start + .milliseconds(3_999)))
        #expect(health.isSilent(at: start + .seconds(4)))
        health.accepted(at: start + .seconds(3))
        #expect(!health.isSilent(at: start + .seconds(6)))
        health.resumed(at: start + .seconds(100))
        #expect(!health.isSilent(at: start + .seconds(103)))
        #expect(health.isSilent(at: start + .seconds(104)))
    }
}
