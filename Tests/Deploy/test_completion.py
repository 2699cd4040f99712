"""What `relay completion` prints, in a real bash and a real zsh. It takes the program that was built last."""

import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILT = sorted(ROOT.glob(".build/*/relay"), key=lambda path: path.stat().st_mtime)
COMMANDS = [
    "serve", "check", "subscriptions", "send", "remove", "backup", "restore", "rotate-key", "healthcheck", "completion",
]

# In the place of the program while its words are completed; it notes how it was asked, and can be told to fail.
STAND_IN = """#!/bin/bash
echo "$*" >>"$FOLDER/asked"
if [[ -e $FOLDER/stopped ]]; then echo "relay: no relay runs" >&2; exit 1; fi
echo '[{"hash" : "0123abcd"}, {"hash" : "01fffff0"}, {"hash":"deadbeef"}]'
"""

BASH = """
source "$FOLDER/bash"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_relay
printf '%s\\n' "${COMPREPLY[@]}"
"""


def completion(shell):
    return subprocess.run([BUILT[-1], "completion", shell], capture_output=True, check=True, text=True).stdout


class Completion(unittest.TestCase):
    shell = None

    @classmethod
    def setUpClass(cls):
        if cls.shell is None or not BUILT or not shutil.which(cls.shell):
            raise unittest.SkipTest("needs the shell, and the program: swift build")

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "relay").write_text(STAND_IN)
        (self.folder / "relay").chmod(0o755)
        (self.folder / self.shell).write_text(completion(self.shell))
        (self.folder / "here").mkdir()
        for name in ["relay.env", "two words.env", "a.sqlite"]:
            (self.folder / "here" / name).touch()
        path = f"{self.folder}:/usr/bin:/bin"
        self.environment = {"PATH": path, "FOLDER": str(self.folder), "HOME": str(self.folder), "TERM": "dumb"}

    def asked(self):
        return (self.folder / "asked").read_text().splitlines()[-1]


class Bash(Completion):
    shell = "bash"

    def offered(self, *words):
        """What is offered for the last word."""
        result = subprocess.run(
            ["bash", "--norc", "-c", BASH, "bash", *words],
            cwd=self.folder / "here", env=self.environment, capture_output=True, check=True, text=True,
        )
        self.assertEqual(result.stderr, "")
        return sorted(result.stdout.split("\n"))[1:] if result.stdout != "\n" else []

    def test_commands_and_options(self):
        self.assertEqual(self.offered("relay", ""), sorted(COMMANDS))
        self.assertEqual(self.offered("relay", "--env-file", "relay.env", "re"), ["remove", "restore"])
        self.assertEqual(self.offered("relay", "-"), ["--env-file", "--help", "--version"])
        self.assertEqual(self.offered("relay", "check", "--"), ["--env-file", "--json", "--offline"])
        self.assertEqual(self.offered("relay", "subscriptions", "--"), ["--env-file", "--json"])
        self.assertEqual(self.offered("relay", "serve", "--"), ["--env-file"])
        self.assertEqual(self.offered("relay", "completion", ""), ["bash", "zsh"])
        self.assertEqual(self.offered("relay", "serve", ""), [])

    def test_files(self):
        every = ["a.sqlite", "relay.env", "two words.env"]
        self.assertEqual(self.offered("relay", "--env-file", ""), every)
        self.assertEqual(self.offered("relay", "check", "--env-file", "=", "re"), ["relay.env"])
        self.assertEqual(self.offered("relay", "--env-file", "="), every)
        self.assertEqual(self.offered("relay", "restore", ""), every)
        self.assertEqual(self.offered("relay", "backup", "a"), ["a.sqlite"])

    def test_hashes_of_the_relay_that_the_line_speaks_of(self):
        self.assertEqual(self.offered("relay", "send", "01"), ["0123abcd", "01fffff0"])
        self.assertEqual(self.asked(), "subscriptions --json")
        self.assertEqual(self.offered("relay", "--env-file", "=", "~/a.env", "remove", "d"), ["deadbeef"])
        self.assertEqual(self.asked(), f"--env-file {self.folder}/a.env subscriptions --json")
        self.assertEqual(self.offered("relay", "send", "deadbeef", ""), [])

    def test_silence_where_no_relay_answers(self):
        (self.folder / "stopped").touch()
        self.assertEqual(self.offered("relay", "send", ""), [])
        (self.folder / "relay").unlink()
        self.assertEqual(self.offered("relay", "send", ""), [])


class Zsh(Completion):
    shell = "zsh"

    def setUp(self):
        super().setUp()
        (self.folder / "zsh").rename(self.folder / "_relay")

    def offered(self, line, *texts):
        """Waits in a shell of its own until what is offered for the line has every text; what the terminal showed."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder / "here")
            os.execvpe("zsh", ["zsh", "-f", "-i"], self.environment)
        try:
            os.write(
                terminal,
                b"unsetopt beep listambiguous; LISTMAX=999; fpath=($FOLDER $fpath);"
                b"autoload -U compinit; compinit -u -D; zstyle ':completion:*:messages' format '<%d>';"
                b"PS1='rea''dy> '\n",
            )
            self.read(terminal, ["ready> "])
            os.write(terminal, line.encode() + b"\t")
            return self.read(terminal, texts)
        finally:
            os.kill(process, signal.SIGKILL)
            os.close(terminal)
            os.waitpid(process, 0)

    def read(self, terminal, texts):
        read, end = "", time.monotonic() + 60
        while not all(text in read for text in texts):
            ready, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"{texts} did not come: {read}")
            read += os.read(terminal, 65_536).decode(errors="replace")
        return read

    def test_commands_with_their_purpose_and_options(self):
        self.offered("relay ", *(f"{command} " for command in COMMANDS), "-- run the relay")
        self.offered("relay --env-file relay.env re", "remove ", "restore ")
        self.offered("relay --", "--env-file ", "--help ", "--version ")
        self.assertNotIn("--version", self.offered("relay check --", "--env-file ", "--json ", "--offline "))
        self.assertNotIn("--offline", self.offered("relay subscriptions --", "--env-file ", "--json "))
        self.offered("relay completion ", "bash ", "zsh")

    def test_files(self):
        every = ["a.sqlite", "relay.env", "two\\ words.env"]
        self.offered("relay --env-file ", *every)
        self.offered("relay check --env-file=", *every)
        self.offered("relay restore ", *every)
        self.offered("relay backup a", "a.sqlite")

    def test_hashes_of_the_relay_that_the_line_speaks_of(self):
        self.offered("relay send ", "0123abcd", "01fffff0", "deadbeef")
        self.assertEqual(self.asked(), "subscriptions --json")
        self.offered("relay --env-file two\\ words.env send 01", "0123abcd", "01fffff0")
        self.assertEqual(self.asked(), "--env-file two words.env subscriptions --json")
        self.offered("relay remove --env-file=~/a.env de", "deadbeef")
        self.assertEqual(self.asked(), f"--env-file {self.folder}/a.env subscriptions --json")

    def test_a_hint_where_no_relay_answers(self):
        (self.folder / "stopped").touch()
        self.assertNotIn("no relay runs", self.offered("relay send ", "<eight digits"))


if __name__ == "__main__":
    unittest.main()
