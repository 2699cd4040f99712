-- wrk's script: sends the requests of a file one after the other, each once.
--
--   REPLAY_FILE, REPLAY_LENGTH (octets of each request), REPLAY_SKIP (how many to leave out),
--   REPLAY_AGAIN (set: begins anew at the end, for a server to which it is all one)

local length = tonumber(os.getenv("REPLAY_LENGTH"))
local file

function init(args)
    file = assert(io.open(os.getenv("REPLAY_FILE"), "rb"))
    file:seek("set", length * tonumber(os.getenv("REPLAY_SKIP") or "0"))
end

function request()
    local next = file:read(length)
    if next then return next end
    -- A request that comes again would be no push.
    if os.getenv("REPLAY_AGAIN") == "" then error("the requests have run out") end
    file:seek("set", 0)
    return file:read(length)
end

function done(summary, latency, requests)
    local errors = summary.errors
    print(string.format("replay: requests=%d microseconds=%d other=%d lost=%d median=%d p99=%d max=%d",
        summary.requests, summary.duration, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50), latency:percentile(99), latency.max))
end
