"""The figures of all rounds, what they must reach, and how they are printed."""

import json
import platform
import statistics
from collections import defaultdict

MEGABYTE = 1024 * 1024


class Figures:
    def __init__(self):
        self.values, self.rules = defaultdict(list), {}

    def add(self, name, value, most=None, least=None, digits=1):
        self.values[name].append(value)
        self.rules[name] = (most, least, digits)

    def median(self, name):
        return statistics.median(self.values[name])

    def misses(self):
        return [name for name in self.values if not self.holds(name)]

    def holds(self, name):
        most, least, _ = self.rules[name]
        value = self.median(name)
        return (most is None or value <= most) and (least is None or value >= least)

    def text(self):
        rows = [("figure", "median", "least", "most", "must be", "")]
        for name, values in self.values.items():
            most, least, digits = self.rules[name]
            numbers = [f"{value:,.{digits}f}" for value in (self.median(name), min(values), max(values))]
            rule = f"<= {most:g}" if most is not None else f">= {least:,.0f}" if least is not None else ""
            rows.append((name, *numbers, rule, "" if self.holds(name) else "missed"))
        widths = [max(len(row[column]) for row in rows) for column in range(6)]
        return "\n".join(
            "  ".join(cell.ljust(width) if column in (0, 5) else cell.rjust(width)
                      for column, (cell, width) in enumerate(zip(row, widths))).rstrip()
            for row in rows)

    def json(self, rounds):
        return json.dumps({
            "machine": machine(), "rounds": rounds,
            "figures": [{"name": name, "median": round(self.median(name), 4),
                         "values": [round(value, 4) for value in values], "most": self.rules[name][0],
                         "least": self.rules[name][1], "holds": self.holds(name)}
                        for name, values in self.values.items()]}, indent=1)


def machine():
    """The processor, how many of it, and the kernel."""
    model = "unknown"
    with open("/proc/cpuinfo") as file:
        text = file.read()
    for line in text.splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return f"{text.count('processor	:')} x {model}, Linux {platform.release()}"
