"""How many instructions the relay takes for a push, counted by valgrind: a figure that repeats on any machine."""

import re
import socket
import sys
import tempfile
from pathlib import Path

from measure import Bench
from parties import Failure

HELD = Path(__file__).with_name("instructions.txt")
# A push that takes a tenth more is a fault.
MOST = 1.10
WARM_UP, PUSHES = 50, 200


def push(relay, requests, count):
    """Sends requests one after the other over one connection."""
    with open(requests.file, "rb") as file, socket.create_connection(("127.0.0.1", relay.port), 60) as connection:
        for _ in range(count):
            connection.sendall(file.read(requests.length))
            answer = b""
            while b"\r\n\r\n" not in answer:
                part = connection.recv(4096)
                if not part:
                    raise Failure(f"the relay hung up: {relay.party.tail()}")
                answer += part
            if not answer.startswith(b"HTTP/1.1 201 "):
                raise Failure(f"a push was answered {answer[:40]}")


def count(bench, pushes):
    """The instructions of a whole run with so many pushes."""
    profile = bench.folder / f"callgrind.{pushes}"
    relay = bench.start("hundred", wrapper=("valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}"))
    push(relay, bench.requests["hundred"], pushes)
    text = relay.party.stop()
    found = re.search(r"Collected : (\d+)", text)
    if not found:
        raise Failure(f"valgrind gave no count: {text[-500:]}")
    return int(found.group(1)), profile


def check(options):
    with tempfile.TemporaryDirectory(prefix="relay-bench-", dir=options.folder) as folder:
        bench = Bench(options.program, options.tools, Path(folder), 0)
        try:
            bench.make_database("hundred", 100)
            bench.make_requests("hundred", "hundred", WARM_UP + 2 * PUSHES)
            # What the start takes, and the first pushes, is in both and cancels out.
            short, _ = count(bench, WARM_UP + PUSHES)
            long, profile = count(bench, WARM_UP + 2 * PUSHES)
            profile.replace(options.tools / "callgrind.out")
        finally:
            bench.kill()
    found = (long - short) // PUSHES
    if options.accept:
        HELD.write_text(f"{found}\n")
    held = int(HELD.read_text())
    print(f"instructions for a push: {found:,}, {100 * (found / held - 1):+.1f} % of the {held:,} that are held to")
    if found > held * MOST:
        print(f"bench: a push takes more than {MOST:.2f} times the instructions of before: look at "
              f"`callgrind_annotate {options.tools}/callgrind.out`, and if it is worth it, run "
              "`scripts/bench --instructions --accept`", file=sys.stderr)
        return 1
    return 0
