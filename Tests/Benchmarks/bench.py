"""Measures the relay against the floor that its own libraries set, and prints one table. scripts/bench runs it."""

import argparse
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import instructions
from measure import CONNECTIONS, LINE_MILLISECONDS, Bench
from parties import Failure
from table import MEGABYTE, Figures, machine

# Pushes a second that no machine is expected to exceed with two of its processors: it decides how many are prepared.
FASTEST = 14000


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def prepare(bench, options):
    say("preparing databases and messages")
    bench.make_database("thousand", 1000)
    bench.make_database("ten", 10)
    bench.make_database("ten-of-one", 1, rows_each=10)
    for rows in options.rows:
        bench.make_rows(rows)
    seconds = bench.seconds
    bench.make_requests("thousand", "thousand", FASTEST * (3 * seconds + 1))
    bench.make_requests("ten", "ten", FASTEST * (2 * seconds + 1))
    bench.make_requests("one", "ten", FASTEST * (seconds + 1), subscriptions=1)
    bench.make_requests("one-of-ten", "ten-of-one", FASTEST * (seconds + 1), subscriptions=1)
    bench.make_floor(500 if options.quick else 3000)


def floor(bench, figures):
    parts = {"open a message": bench.floor_open(), "count a badge": bench.floor_badge(),
             "ask Apple": bench.floor_apple(), "take a request": bench.floor_listen()}
    for name, value in parts.items():
        figures.add(f"floor: {name} (us)", value)
    figures.add("floor: sum (us)", sum(parts.values()))
    return sum(parts.values())


def one_round(bench, figures, options):
    least = floor(bench, figures)

    requests = bench.requests["thousand"]
    relay = bench.start("thousand")
    figures.add("start to 200, 1,000 rows (ms)", relay.start_milliseconds, most=50)
    figures.add("memory idle (MB)", relay.resident_megabytes(), most=16)
    # The gate to Apple opens and memory of recent pushes fills.
    bench.closed(relay, requests, 1)
    rate, processor, _ = bench.closed(relay, requests, bench.seconds)
    figures.add(f"closed loop, {CONNECTIONS} connections, 0 ms (pushes/s)", rate, digits=0)
    figures.add("CPU for a push (us)", processor)
    figures.add("CPU for a push / floor", processor / least, most=1.3, digits=2)
    median, slowest, most = bench.open(relay, requests, 100, bench.seconds)
    figures.add("open loop, 100/s: median (ms)", median, most=1, digits=2)
    figures.add("open loop, 100/s: 99 % (ms)", slowest, most=5, digits=2)
    figures.add("open loop, 100/s: most (ms)", most, digits=2)
    half = int(rate / 2)
    median, slowest, most = bench.open(relay, requests, half, bench.seconds)
    figures.add("open loop, half of closed: median (ms)", median, digits=2)
    figures.add("open loop, half of closed: 99 % (ms)", slowest, most=10, digits=2)
    figures.add("memory after load (MB)", relay.resident_megabytes(), most=32)
    relay.stop()

    rate, connections = bench.line(requests)
    figures.add(f"closed loop, {LINE_MILLISECONDS} ms (pushes/s)", rate,
                least=0.95 * CONNECTIONS * 1000 / LINE_MILLISECONDS, digits=0)
    figures.add(f"connections to Apple, {LINE_MILLISECONDS} ms", connections, most=1, digits=0)

    growth = {"1,000 rows": bench.rows("thousand", requests), "10 rows": bench.rows("ten", bench.requests["ten"])}
    for rows in options.rows:
        growth[f"{rows:,} rows"] = bench.rows(f"rows-{rows}", requests)
    base = growth["1,000 rows"]
    for name, found in growth.items():
        figures.add(f"{name}: CPU for a push (us)", found["cpu"])
        figures.add(f"{name}: median at 100/s (ms)", found["latency"], digits=2)
        figures.add(f"{name}: start (ms)", found["start"], most=250)
        figures.add(f"{name}: start that looks for damage (ms)", found["looking"])
        if found is not base:
            figures.add(f"{name}: CPU / 1,000 rows", found["cpu"] / base["cpu"], most=1.2, digits=2)
            figures.add(f"{name}: median / 1,000 rows", found["latency"] / base["latency"], most=1.2, digits=2)
            figures.add(f"{name}: start / 1,000 rows", found["start"] / base["start"], most=1.2, digits=2)

    costs = []
    for database, name in [("ten", "one"), ("ten-of-one", "one-of-ten")]:
        relay = bench.start(database)
        bench.closed(relay, bench.requests[name], 1)
        costs.append(bench.closed(relay, bench.requests[name], bench.seconds)[1])
        relay.stop()
    figures.add("a device's 10 rows / 1 row: CPU for a push", costs[1] / costs[0], most=1.2, digits=2)


def long_run(bench, figures, seconds):
    say(f"{seconds} s at full load")
    for name in list(bench.requests):
        bench.requests.pop(name).drop()
    bench.make_requests("long", "thousand", int(1.5 * seconds * figures.median(
        f"closed loop, {CONNECTIONS} connections, 0 ms (pushes/s)")))
    memory = bench.long(bench.requests["long"], seconds)
    for quarter, value in enumerate(memory, 1):
        figures.add(f"memory after {quarter * seconds // 4} s at full load (MB)", value, most=32)
    figures.add("memory, the last quarter's growth (MB)", memory[3] - memory[2], most=1, digits=2)


def measure(options, program, tools):
    figures = Figures()
    stripped = tools / "relay-stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    figures.add("stripped program (MB)", stripped.stat().st_size / MEGABYTE, most=16)
    rounds = 1 if options.quick else options.rounds
    with tempfile.TemporaryDirectory(prefix="relay-bench-", dir=options.folder) as folder:
        bench = Bench(program, tools, Path(folder), 2 if options.quick else 4)
        try:
            prepare(bench, options)
            for number in range(rounds):
                say(f"round {number + 1} of {rounds}")
                one_round(bench, figures, options)
            if not options.quick:
                long_run(bench, figures, 60)
        finally:
            bench.kill()
    if options.json:
        print(figures.json(rounds))
    else:
        print(f"{machine()}; rounds: {rounds}")
        print(figures.text())
    for name in figures.misses():
        say(f"missed: {name}")


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round, and no minute at full load")
    parser.add_argument("--full", action="store_true", help="with 1,000,000 rows as well")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print for programs")
    parser.add_argument("--instructions", action="store_true",
                        help="only count the instructions of a push, and fail when they have become more")
    parser.add_argument("--accept", action="store_true", help="with --instructions: keep the figure as the one to hold")
    parser.add_argument("--folder", help="where the temporary files go, about 2 GB")
    parser.add_argument("program", type=Path)
    parser.add_argument("tools", type=Path)
    options = parser.parse_args()
    options.rows = [] if options.quick else [100_000, 1_000_000] if options.full else [100_000]
    # So that what was started is stopped.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        if options.instructions:
            return instructions.check(options)
        measure(options, options.program, options.tools)
        return 0
    except (Failure, OSError, subprocess.CalledProcessError) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
