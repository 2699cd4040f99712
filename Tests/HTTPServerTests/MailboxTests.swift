import Testing

@testable import HTTPServer

@Suite struct MailboxTests {
    @Test func `the first message wakes who waits, and those behind it come with it`() throws {
        let mailbox = try #require(Mailbox())
        #expect(!mailbox.wait(until: .now))
        mailbox.post(.start)
        #expect(mailbox.wait(until: .now))
        mailbox.post(.start)
        #expect(!mailbox.wait(until: .now))
        #expect(mailbox.collect().count == 2)
        #expect(mailbox.collect().isEmpty)
        mailbox.post(.start)
        #expect(mailbox.wait(until: .now))
        #expect(mailbox.collect().count == 1)
    }

    @Test func `a set that looks for new input tells of each first message, though nobody reads`() throws {
        let mailbox = try #require(Mailbox())
        guard var poll = Poll(), poll.add(mailbox.number, tag: 7, interest: .newInput) else {
            Issue.record("there is no descriptor to be had")
            return
        }
        for _ in 0..<3 {
            mailbox.post(.start)
            let tags = (0..<2).map { _ in poll.wait(for: .zero).map(\.tag) }
            #expect(tags == [[7], []])
            #expect(mailbox.collect().count == 1)
        }
    }
}
