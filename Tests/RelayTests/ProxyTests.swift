import Foundation
import RelayCore
import RelayTesting
import Testing

@Suite(
    .fewAtATime,
    .enabled("needs /usr/sbin/nginx, /usr/bin/curl and /usr/bin/openssl") { Nginx.canRun }
)
struct ProxyTests {
    @Test(arguments: [[], ["-H", "Transfer-Encoding: chunked"], ["-H", "Expect: 100-continue"]])
    func `a push through nginx reaches Apple, however its body comes`(arguments: [String]) async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let nginx = try await Nginx(before: relay)
        let device = freshToken()
        let endpoint = try await relay.subscribe(device)
        let body = try Push.body(Push.like.utf8, for: endpoint)
        let answer = try await nginx.push(body, to: endpoint.endpoint, arguments)
        #expect(answer.statuses == [201])
        #expect(answer.body == "")
        #expect(try await apple.requests(for: device).map(\.badge) == [1])
    }

    @Test(arguments: [[], ["-H", "Transfer-Encoding: chunked"]])
    func `65,536 octets get through to the relay and one more does not`(arguments: [String]) async throws {
        let relay = try await RelayProgram(apple: .shared())
        let nginx = try await Nginx(before: relay)
        let endpoint = try await relay.subscribe(freshToken())
        let most = try await nginx.push(Array(repeating: 7, count: 65_536), to: endpoint.endpoint, arguments)
        #expect(most.statuses == [400])
        #expect(most.body.hasPrefix(#"{"error":"keyid_length","#))
        let tooMany = try await nginx.push(Array(repeating: 7, count: 65_537), to: endpoint.endpoint, arguments)
        #expect(tooMany.statuses == [413])
        #expect(!tooMany.body.hasPrefix("{"))
    }

    @Test func `the app's routes work through nginx, token and all`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let nginx = try await Nginx(before: relay)
        let token = "Authorization: Bearer \(RelayProgram.subscribeToken)"
        let json = #"{"device_token":"\#(freshToken())"}"#
        let subscribed = try await nginx.curl("-H", token, "-d", json, "https://push.example.org/subscribe")
        #expect(subscribed.statuses == [201])
        let endpoint = try JSONDecoder().decode(Endpoint.self, from: Data(subscribed.body.utf8))
        let settings = "https://push.example.org\(endpoint.settings())"
        #expect(try await nginx.curl("-H", token, "-X", "POST", "\(settings)/read").statuses == [204])
        #expect(try await nginx.curl("-H", token, settings).statuses == [200])
        #expect(try await nginx.curl("-H", token, "--head", settings).statuses == [200])
        #expect(try await nginx.curl("-H", token, "-X", "POST", "\(settings)/test").statuses == [200])
        #expect(try await nginx.curl("-X", "DELETE", settings).statuses == [401])
        #expect(try await nginx.curl("-H", token, "-X", "DELETE", settings).statuses == [204])
        #expect(try await nginx.curl("https://push.example.org/healthz").body == "ok")
    }

    @Test func `a connection is kept for the next push`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let nginx = try await Nginx(before: relay)
        let endpoint = try await relay.subscribe(freshToken())
        let body = try Push.body(Push.like.utf8, for: endpoint)
        let answer = try await nginx.push(body, to: endpoint.endpoint, [endpoint.endpoint, endpoint.endpoint])
        #expect(answer.statuses == [201, 201, 201])
        #expect(answer.transfers.map(\.num_connects) == [1, 0, 0])
    }

    @Test func `what is asked in plain HTTP is sent to https, but for the challenges of certbot`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let nginx = try await Nginx(before: relay)
        let moved = try await nginx.plainCurl("http://push.example.org/wp/an-id?a=b")
        #expect(moved.statuses == [301])
        #expect(moved.transfers.first?.redirect_url == "https://push.example.org/wp/an-id?a=b")

        let challenges = nginx.folder.url.appending(path: ".well-known/acme-challenge")
        try FileManager.default.createDirectory(at: challenges, withIntermediateDirectories: true)
        try Data("answer".utf8).write(to: challenges.appending(path: "challenge"))
        let challenge = try await nginx.plainCurl("http://push.example.org/.well-known/acme-challenge/challenge")
        #expect(challenge.statuses == [200])
        #expect(challenge.body == "answer")
    }

    @Test func `whoever does not know the name gets no answer`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let nginx = try await Nginx(before: relay)
        // 52: the server ended the connection without an answer; 35: it refused the handshake.
        #expect(try await nginx.plainCurl("http://other.example/healthz").code == 52)
        #expect(try await nginx.plainCurl("http://203.0.113.7/healthz").code == 52)
        #expect(try await nginx.curl("-k", "https://other.example/healthz").code == 35)
        #expect(try await nginx.curl("-H", "Host: other.example", "https://push.example.org/healthz").code == 52)
        #expect(try await nginx.curl("https://push.example.org/healthz").code == 0)
    }

    @Test func `a relay that is down is a 502, after which a sender comes again`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let nginx = try await Nginx(before: relay)
        let endpoint = try await relay.subscribe(freshToken())
        #expect(await relay.stop() == 0)
        let answer = try await nginx.push(Array(repeating: 7, count: 100), to: endpoint.endpoint)
        #expect(answer.statuses == [502])
    }

    @Test func `an Apple that never answers is the relay's 502 after its 8 s, and not nginx's 504`() async throws {
        let apple = try await AppleSimulator.shared()
        let relay = try await RelayProgram(apple: apple)
        let nginx = try await Nginx(before: relay)
        let endpoint = try await relay.subscribe(freshToken("0ff0"))
        async let tested = nginx.curl(
            "-H",
            "Authorization: Bearer \(RelayProgram.subscribeToken)",
            "-X",
            "POST",
            "https://push.example.org\(endpoint.settings("test"))"
        )
        let answer = try await nginx.push(try Push.body(Push.like.utf8, for: endpoint), to: endpoint.endpoint)
        #expect(answer.statuses == [502])
        #expect(answer.body.hasPrefix(#"{"error":"apple_failed","#))
        #expect(try await tested.statuses == [200])
        #expect(try await tested.body.contains(#""error":"apple_failed""#))
    }

    @Test func `no log of nginx holds an id, wherever a client puts it`() async throws {
        let relay = try await RelayProgram(apple: .shared())
        let nginx = try await Nginx(before: relay)
        let endpoint = try await relay.subscribe(freshToken())
        let id = endpoint.subscription_id
        let origin = "https://push.example.org"
        let body = try Push.body(Push.like.utf8, for: endpoint)
        _ = try await nginx.push(body, to: endpoint.endpoint, ["-A", "agent of \(id)", "-e", "\(origin)/\(id)"])
        _ = try await nginx.push(Array(repeating: 7, count: 65_537), to: endpoint.endpoint)
        _ = try await nginx.curl("-d", "{}", "\(origin)/subscribe/\(id)/unread")
        _ = try await nginx.curl("-d", "{}", "\(origin)/subscribe/\(id)/test")
        _ = try await nginx.curl("\(origin)/wp/\(id)?id=\(id)", "\(origin)/wp//\(id)", "\(origin)/\(id)")
        _ = try await nginx.curl("\(origin)/subscribe/\(id)/read/\(id)", "\(origin)/%77p/\(id)")
        _ = try await nginx.plainCurl("http://push.example.org/wp/\(id)")
        #expect(await relay.stop() == 0)
        _ = try await nginx.push(body, to: endpoint.endpoint)
        #expect(await nginx.stop() == 0)

        let access = try nginx.log("push-access.log")
        let requests = access.compactMap { $0.split(separator: "] ").last?.split(separator: " in=").first }
        #expect(
            requests == [
                "POST /wp/* 201", "POST /wp/* 413", "POST /subscribe/*/unread 401", "POST /subscribe/*/test 401",
                "GET /wp/* 404", "GET /wp/* 404", "GET (other) 404", "GET /subscribe/* 404", "GET /wp/* 404",
                "GET /wp/* 301", "POST /wp/* 502",
            ]
        )
        #expect((access + (try nginx.log("push-error.log"))).filter { $0.contains(id) } == [])
    }
}
