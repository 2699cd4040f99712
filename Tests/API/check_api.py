"""Holds a relay that runs to docs/openapi.yaml. scripts/check-api prepares and runs it.

    check_api.py RELAY SEED

Behind the relay is the simulated Apple. schemathesis makes requests from the document, right ones and wrong ones, and
checks every answer against it.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs/openapi.yaml"
sys.path.insert(0, str(ROOT / "scripts/demonstration"))

from stage import Failed, set_stage  # noqa: E402

# What schemathesis registers and sends within a minute, a device of a person does not in a year.
LIMITS = {"MAX_SUBSCRIPTIONS": "1000000", "MAX_REGISTRATIONS_PER_HOUR": "1000000", "MAX_PUSHES_AT_ONCE": "1000000"}


def main(relay, seed):
    with set_stage(relay, LIMITS) as stage:
        print(f"The relay listens on {stage.relay}. Apple is simulated on {stage.apple}.")
        environment = {
            **os.environ,
            "RELAY_TOKEN": stage.token,
            "SCHEMATHESIS_HOOKS": str(ROOT / "Tests/API/hooks.py"),
            "no_proxy": "*",
        }
        command = [
            ROOT / ".build/schemathesis/bin/schemathesis", "--config-file", ROOT / "Tests/API/schemathesis.toml",
            "run", DOCUMENT, "--url", f"http://{stage.relay}", "--seed", seed,
            "--max-response-time", "9",
        ]
        return subprocess.run(command, env=environment, cwd=stage.folder).returncode


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except Failed as error:
        sys.exit(f"check-api: {error}")
