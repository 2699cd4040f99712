"""A long run of the relay against the simulated Apple's bad days, in which every push is accounted for.

    soak.py RELAY MINUTES

50 pushes a second over 200 subscriptions, by a schedule of the monotonic clock, after a warm-up of half a minute.
Apple fails in all ways that delivery has to live with, each for a while, the whole list once in each third of the run.
What has to hold at the end:

- each push has one answer: 201, or an error with its word, or 201 for a repetition that reaches nobody
- what Apple took is what was answered 201, one apns-id for each; what else it took was answered with an error because
  Apple's own answer got lost, and is counted as such; what it took twice is one apns-id, sent again after a cut
- the badge that Apple last saw is the number of pushes that were answered 201
- memory and descriptors of the last third are those of the second
"""

import asyncio
import base64
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec

RATE, ROWS, WARM_UP = 50, 200, 4_500
MEMORY_KB, DESCRIPTORS = 4_096, 4
TOKEN = "the-token-of-a-long-run"
SIMULATOR = Path(__file__).with_name("apns_simulator.py")
# What happens to all of Apple, one after the other; between two of them it is calm for as long. Each costs at most one
# connection: the relay opens 40 in ten minutes and no more, which is another promise than those of this run.
SCENARIOS = [
    "goaway-graceful", "reset-internal", "goaway-mid-flight", "reset-cancel", "goaway-lower", "refused-once",
    "tcp-reset-mid-flight", "slow", "tcp-reset-answers-lost", "reset-calm", "fin-mid-flight", "silent-after-10",
    "shutdown-503", "not-json", "wedge-internal",
]
# What happens to some devices, all the time.
REFUSALS = [(410, "Unregistered"), (400, "BadDeviceToken"), (429, "TooManyRequests"), (500, "InternalServerError"),
            (503, "ServiceUnavailable")]


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Row:
    """A subscription as its app and its instance know it."""

    def __init__(self, number):
        self.device = f"ab{number:06x}" + os.urandom(28).hex()
        self.registering = asyncio.Lock()
        self.keys = None
        self.acknowledged = self.unsure = 0  # since it was registered


class Push:
    """One notification, and its answer when it has one."""

    def __init__(self, number, row, repeats=None):
        self.number, self.row, self.repeats = number, row, repeats
        self.registration = row.keys
        self.status = self.word = self.body = None


class Soak:
    def __init__(self, relay, apple, seconds):
        self.host, self.port = relay.rsplit(":", 1)
        self.apple, self.seconds = apple, seconds
        self.rows = [Row(number) for number in range(ROWS)]
        self.pushes = []
        self.fresh_key = itertools.cycle([ec.generate_private_key(ec.SECP256R1()) for _ in range(64)])
        self.scenarios = 0

    async def request(self, method, path, body, **fields):
        """The status and the content of an answer; (0, reason) when there is none."""
        head = [f"{method} {path} HTTP/1.1", f"Host: {self.host}", f"Content-Length: {len(body)}", "Connection: close"]
        head += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
        try:
            async with asyncio.timeout(20):
                reader, writer = await asyncio.open_connection(self.host, int(self.port))
                writer.write("\r\n".join([*head, "", ""]).encode() + body)
                answer = await reader.read()
                writer.close()
        except (OSError, TimeoutError) as error:
            return 0, {"error": type(error).__name__}
        if not answer:
            return 0, {"error": "the end without an answer"}
        top, _, content = answer.partition(b"\r\n\r\n")
        return int(top.split()[1]), json.loads(content or b"{}") if content.startswith(b"{") or not content else {}

    async def register(self, row, keys=None):
        """Registers a device, unless somebody has since `keys` were found to be gone."""
        async with row.registering:
            if row.keys is not keys:
                return
            body = json.dumps({"device_token": row.device, "account": "alice"}).encode()
            status, answer = await self.request("POST", "/subscribe", body, Authorization=f"Bearer {TOKEN}")
            if status != 201:
                raise SystemExit(f"a registration was answered {status} {answer}")
            row.keys, row.acknowledged, row.unsure = answer, 0, 0

    async def send(self, push):
        row, keys = push.row, push.registration
        if push.repeats:
            push.body = push.repeats.body
        else:
            message = json.dumps({"notification_type": "comment", "title": "New Comment", "body": f"#{push.number}"})
            push.body = http_ece.encrypt(message.encode(), private_key=next(self.fresh_key), dh=decode(keys["p256dh"]),
                                         auth_secret=decode(keys["auth"]), version="aes128gcm")
        push.status, answer = await self.request("POST", f"/wp/{keys['subscription_id']}", push.body, TTL=60,
                                                 Content_Encoding="aes128gcm")
        push.word = answer.get("error")
        if row.keys is keys and not push.repeats:
            row.acknowledged += push.status == 201
            # Answered in the handler's place, whose own end nobody was told of.
            row.unsure += push.word == "service_unavailable" or push.status == 0
        if push.status == 404:
            await self.register(row, keys)

    def order(self, command):
        self.apple.stdin.write(command + "\n")
        self.apple.stdin.flush()

    async def fail(self, start):
        """Has Apple fail: the whole list in each third of the run, half of the time."""
        span = self.seconds / 3 / len(SCENARIOS) / 2
        for number, name in enumerate([*SCENARIOS] * 3):
            for half, scenario in enumerate([name, "calm"]):
                await asyncio.sleep(max(0, start + (2 * number + half) * span - time.monotonic()))
                self.order(f"scenario {scenario}")
                self.scenarios += half == 0
                status, reason = REFUSALS[(2 * number + half) % len(REFUSALS)]
                for row in self.rows[(7 * number) % ROWS::53]:
                    self.order(f"answer {row.device} {status} {reason} 1")

    async def sample(self, start, pid, samples):
        while True:
            text = Path(f"/proc/{pid}/status").read_text()
            memory = next(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS:"))
            samples.append((time.monotonic() - start, memory, len(os.listdir(f"/proc/{pid}/fd"))))
            await asyncio.sleep(0.5)

    async def send_all(self, count, rate, tasks):
        """Sends by the clock, whatever becomes of it, and one of 41 again although the device has it."""
        start = time.monotonic()
        for tick in range(count):
            await asyncio.sleep(max(0, start + tick / rate - time.monotonic()))
            row, repeats = self.rows[len(self.pushes) % ROWS], None
            # 41 goes through all the rows, where 40 would ask too much of five of them.
            if rate == RATE and tick % 41 == 40:
                earlier = self.pushes[-25]
                if earlier.status == 201 and not earlier.repeats and earlier.registration is earlier.row.keys:
                    row, repeats = earlier.row, earlier
            push = Push(len(self.pushes), row, repeats)
            self.pushes.append(push)
            tasks.add(asyncio.create_task(self.send(push)))

    async def run(self, pid):
        for row in self.rows:
            await self.register(row)
        samples, tasks = [], set()
        # What the relay remembers of contents is full after 4,096 of them, within two minutes.
        await self.send_all(WARM_UP, 3 * RATE, tasks)
        start = time.monotonic()
        helpers = [asyncio.create_task(self.fail(start)), asyncio.create_task(self.sample(start, pid, samples))]
        await self.send_all(int(RATE * self.seconds), RATE, tasks)
        await helpers[0]
        self.order("scenario calm")
        await asyncio.gather(*tasks)
        helpers[1].cancel()
        await self.count_badges()
        return samples

    async def count_badges(self):
        """A last push for each row, whose badge says what was counted."""
        for row in self.rows:
            # Some orders for single devices may be left.
            self.order(f"answer {row.device} -")
        await asyncio.sleep(2)
        for row in self.rows:
            push = Push(len(self.pushes), row)
            self.pushes.append(push)
            await self.send(push)
            push.allowed = range(row.acknowledged, row.acknowledged + row.unsure + 1)


def judge(soak, apple_lines, relay_lines, samples):
    """The table, and what is wrong."""
    wrong, table = [], []
    faulted, taken, repeats_of_id, pushed = set(), defaultdict(list), Counter(), Counter()
    scenario = "calm"
    for line in apple_lines:
        if line["event"] == "done" and line["command"].startswith("scenario "):
            scenario = line["command"].split()[1]
        line["scenario"] = scenario
        if line["event"] == "fault" and line.get("connection") is not None:
            faulted.add(line["connection"])
        if line["event"] == "error":
            wrong.append(f"Apple: {line}")
    for line in apple_lines:
        if line["event"] != "request":
            continue
        number = int(line["payload"]["aps"]["alert"]["body"].lstrip("#"))
        pushed[number] += 1
        if line["accepted"]:
            taken[number].append(line)
            repeats_of_id[line["headers"]["apns-id"]] += 1
    answers = Counter()
    suppressed = delivered = lost = 0
    for push in soak.pushes:
        name = f"{push.status} {push.word or ''}".strip()
        got = taken.pop(push.number, [])
        ids = {line["headers"]["apns-id"] for line in got}
        if len(ids) > 1:
            wrong.append(f"push {push.number} was taken under {len(ids)} ids")
        if push.status is None or push.status == 0:
            wrong.append(f"push {push.number} has no answer: {push.word}")
        elif push.repeats:
            suppressed += push.status == 201
            name += " (repetition)"
            if pushed[push.number] or push.status not in (201, 404, 429):
                wrong.append(f"the repetition {push.number} was answered {name}, and Apple got {pushed[push.number]}")
        elif push.status == 201:
            delivered += 1
            if not got:
                wrong.append(f"push {push.number} was answered 201, and Apple did not take it")
        elif got:
            lost += 1
            if not all(line["answer"]["how"] != "answer" or line["connection"] in faulted for line in got):
                wrong.append(f"push {push.number} was answered {name}, and Apple took it and said so: "
                             f"{[(line['connection'], line['scenario'], line['answer']) for line in got]}")
        answers[name] += 1
    for number in taken:
        wrong.append(f"Apple took {number}, which nobody sent")
    logged = sum("event=push_repeated" in line for line in relay_lines)
    if logged != suppressed:
        wrong.append(f"{suppressed} repetitions were answered 201, and the log has {logged}")
    accepted, distinct = sum(repeats_of_id.values()), len(repeats_of_id)
    if distinct != delivered + lost:
        wrong.append(f"Apple took {distinct} ids, which is not {delivered} answered 201 and {lost} lost")
    badges = {number: lines for number, lines in ((p.number, p) for p in soak.pushes[-ROWS:])}
    for line in apple_lines:
        if line["event"] == "request" and line["accepted"]:
            number = int(line["payload"]["aps"]["alert"]["body"].lstrip("#"))
            if number in badges and line["payload"]["aps"].get("badge") not in badges[number].allowed:
                wrong.append(f"badge {line['payload']['aps'].get('badge')}, not in {badges[number].allowed}")
    table.append(("sent", len(soak.pushes)))
    table += sorted(answers.items())
    table += [("taken by Apple", accepted), ("  different", distinct), ("  again after a cut", accepted - distinct),
              ("  its answer lost, so 502 or 503", lost), ("repetitions that reached nobody", suppressed)]
    if sum(answers.values()) != len(soak.pushes):
        wrong.append("the answers are not as many as the pushes")
    if any(name.startswith("500") for name in answers):
        wrong.append("the relay failed by itself")
    thirds = [[s for s in samples if third * soak.seconds / 3 <= s[0] < (third + 1) * soak.seconds / 3]
              for third in (1, 2)]
    # The middle of what it has, and the floor of what it has open, since each push under way is a descriptor.
    memory = [sorted(s[1] for s in third)[len(third) // 2] for third in thirds]
    files = [sorted(s[2] for s in third)[len(third) // 10] for third in thirds]
    table += [("memory, second and last third (KB)", f"{memory[0]} {memory[1]}"),
              ("descriptors, second and last third", f"{files[0]} {files[1]}"),
              ("most memory (KB)", max(s[1] for s in samples)), ("faults of all of Apple", soak.scenarios)]
    if memory[1] - memory[0] > MEMORY_KB:
        wrong.append(f"memory grew by {memory[1] - memory[0]} KB")
    if files[1] - files[0] > DESCRIPTORS:
        wrong.append(f"descriptors grew by {files[1] - files[0]}")
    return table, wrong


def start(command, log, sign, environment=None):
    """A program, its output in a file, and its first line with `sign`."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=open(log, "wb"), stderr=subprocess.STDOUT,
                               env=environment, text=True)
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        for line in log.read_text(errors="replace").splitlines():
            if sign in line:
                return process, line
        time.sleep(0.05)
    process.kill()
    raise SystemExit(f"soak: {command[0]} did not start:\n{log.read_text(errors='replace')}")


def main():
    program, minutes = sys.argv[1], float(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="relay-soak-") as folder:
        folder = Path(folder)
        processes = []
        try:
            apple, line = start(["/usr/bin/python3", str(SIMULATOR), "--directory", str(folder / "apple")],
                                folder / "apple.log", '"ready"')
            processes.append(apple)
            ready = json.loads(line)
            # Should this process be killed, the relay is told to stop, and the simulator sees the end of its input.
            command = ["setpriv", "--pdeathsig", "TERM", program, "serve"]
            relay, line = start(command, folder / "relay.log", "event=started", {
                "PUBLIC_URL": "https://push.example.org", "LISTEN_ADDR": "127.0.0.1:0", "SUBSCRIBE_TOKEN": TOKEN,
                "MAX_REGISTRATIONS_PER_HOUR": "1000000", "DB_PATH": str(folder / "relay.sqlite"),
                "APNS_KEY_FILE": ready["key"], "APNS_KEY_ID": ready["key_id"], "APNS_TEAM_ID": ready["team_id"],
                "APNS_TOPIC": ready["topic"], "APNS_URL": f"https://127.0.0.1:{ready['port']}",
                "APNS_CA_FILE": ready["ca"]})
            processes.append(relay)
            address = next(word for word in line.split() if word.startswith("address="))[8:].strip('"')
            soak = Soak(address, apple, 60 * minutes)
            samples = asyncio.run(soak.run(relay.pid))
            relay.send_signal(signal.SIGTERM)
            code = relay.wait(30)
        finally:
            for process in processes:
                process.kill()
                process.wait()
        apple_lines = [json.loads(line) for line in (folder / "apple.log").read_text().splitlines() if line[:1] == "{"]
        relay_lines = (folder / "relay.log").read_text(errors="replace").splitlines()
        table, wrong = judge(soak, apple_lines, relay_lines, samples)
    if code:
        wrong.append(f"the relay ended with {code}")
    for name, value in table:
        print(f"{name:40} {value}")
    for text in wrong[:20]:
        print(f"soak: {text}", file=sys.stderr)
    if len(wrong) > 20:
        print(f"soak: and {len(wrong) - 20} more", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
