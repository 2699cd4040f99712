"""The processes of the demonstration: the simulated Apple and the relay, on free ports and in one temporary folder."""

import json
import secrets
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from py_vapid import Vapid02

SIMULATOR = Path(__file__).resolve().parents[2] / "Tests/Simulators/apns_simulator.py"


class Failed(Exception):
    """Something is not as it should be; the text says what and how."""


@dataclass
class Stage:
    folder: Path
    relay: str  # host and port
    apple: str
    topic: str
    token: str
    numbers: str  # host and port of the numbers and the page
    program: str  # the relay's

    @property
    def apple_log(self):
        return self.folder / "apple.log"

    @property
    def relay_log(self):
        return self.folder / "relay.log"

    @property
    def configuration(self):
        """What the relay was started with, for the operator's commands."""
        return self.folder / "relay.env"

    @property
    def vapid_key(self):
        return self.folder / "vapid.pem"


@contextmanager
def set_stage(relay_program, settings=None):
    """Starts everything; on the way out, whatever the reason, ends everything and removes the folder.

    `settings` are variables of the relay beside those that it cannot do without."""
    with tempfile.TemporaryDirectory(prefix="relay-demo-") as folder:
        folder = Path(folder)
        log = folder / "apple.log"
        simulator = ["/usr/bin/python3", str(SIMULATOR), "--directory", str(folder / "apple")]
        with running("the simulated Apple", simulator, log, '"ready"') as line:
            ready = json.loads(line)
            stage = Stage(folder, relay=f"127.0.0.1:{free_port()}", apple=f"127.0.0.1:{ready['port']}",
                          topic=ready["topic"], token=secrets.token_hex(16), numbers=f"127.0.0.1:{free_port()}",
                          program=relay_program)
            vapid = Vapid02()
            vapid.generate_keys()
            vapid.save_key(stage.vapid_key)
            environment = {
                "PUBLIC_URL": f"http://{stage.relay}", "LISTEN_ADDR": stage.relay, "SUBSCRIBE_TOKEN": stage.token,
                "DB_PATH": str(folder / "relay.sqlite"), "APNS_KEY_FILE": ready["key"], "APNS_KEY_ID": ready["key_id"],
                "APNS_TEAM_ID": ready["team_id"], "APNS_TOPIC": ready["topic"], "APNS_URL": f"https://{stage.apple}",
                "APNS_CA_FILE": ready["ca"], "METRICS_ADDR": stage.numbers, "BACKUP_DIR": str(folder / "backups"),
                **(settings or {}),
            }
            stage.configuration.write_text("".join(f"{name}={value}\n" for name, value in environment.items()))
            # Should this process be killed, the relay is told to stop, and the simulator sees the end of its input.
            relay = ["setpriv", "--pdeathsig", "TERM", relay_program, "serve", "--env-file",
                     str(stage.configuration)]
            with running("the relay", relay, stage.relay_log, "event=started", exit_code=0):
                yield stage


@contextmanager
def running(name, command, log, sign, environment=None, exit_code=None):
    """Runs a program from its first line with `sign`, which is given, until the end of the block."""
    with open(log, "wb") as output:
        # A process group of its own: Ctrl-C comes to this process alone, which then ends the others in order.
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment,
                                   process_group=0)
    try:
        yield line_with(sign, log, process, name)
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left has to be done and takes a moment
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if exit_code is not None and process.returncode != exit_code:
        raise Failed(f"{name} ended with {process.returncode}, not {exit_code}:\n{log.read_text(errors='replace')}")


def line_with(sign, log, process, name):
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        for line in log.read_text(errors="replace").splitlines(keepends=True):
            if sign in line and line.endswith("\n"):
                return line
        time.sleep(0.01)
    raise Failed(f"{name} did not start:\n{log.read_text(errors='replace')}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
