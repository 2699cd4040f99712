"""What the terminal shows: requests to the relay, its answers, and what reached Apple, side by side in 100 columns."""

import os
import re
import sys
from itertools import zip_longest

WIDTHS = (43, 6, 45)  # and a margin of 2 before each
BOLD, FAINT, RED, GREEN, YELLOW = "1", "2", "31", "32", "33"
COLOURS = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text, *styles):
    return f"\033[{';'.join(styles)}m{text}\033[0m" if COLOURS and styles and text else text


def masked(secret):
    return secret[:6] + "…"


def heading():
    row("SENT TO THE RELAY", "ANSWER", "APPLE RECEIVED", lambda text: [FAINT])


def title(text):
    print("\n" + paint(text, BOLD))


def exchange(sent, status, received):
    """One request to the relay, the status of its answer, and what Apple got of it; lists of lines but for the status."""
    for cells in zip_longest(sent, [str(status)], received, fillvalue=""):
        row(*cells, style_of)


def row(left, middle, right, style):
    cells = zip((left, middle, right), WIDTHS)
    print("".join("  " + paint(text, *style(text)) + " " * (width - len(text)) for text, width in cells).rstrip())


def style_of(text):
    if re.fullmatch(r"[1-5]\d\d", text):
        return [BOLD, GREEN if text < "300" else RED]
    if re.search("badge\"|no badge|apns-collapse-id|answers 4", text):
        return [YELLOW]
    if text.startswith("nothing"):
        return [FAINT]
    return []
