"""What the alerts and the dashboard ask Prometheus, and what the relay has to answer with."""

import json
import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Prometheus' own: whether a target answered, and which alerts there are; and the labels that it adds to every target.
OF_PROMETHEUS = {"up": {}, "ALERTS": {"alertname": None, "alertstate": None}}
OF_EVERY_TARGET = {"job": None, "instance": None}


def metrics():
    """Each name of metrics.txt with its type and its labels; a label that may be anything has None for its values."""
    known = {}
    for line in (ROOT / "Tests/Deploy/metrics.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, kind, *labels = line.split()
        pairs = (label.split("=", 1) for label in labels)
        known[name] = (kind, {key: None if values == "*" else set(values.split("|")) for key, values in pairs})
    return known


def series():
    """The same by the names that are stored: a histogram is three of them."""
    stored = dict(OF_PROMETHEUS)
    for name, (kind, labels) in metrics().items():
        if kind == "histogram":
            stored |= {name + "_bucket": labels | {"le": None}, name + "_sum": labels, name + "_count": labels}
        else:
            stored[name] = labels
    return {name: labels | OF_EVERY_TARGET for name, labels in stored.items()}


def alerts():
    groups = yaml.safe_load((ROOT / "deploy/alerts.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def dashboard():
    return json.loads((ROOT / "deploy/grafana-dashboard.json").read_text())


def panels():
    for panel in dashboard()["panels"]:
        yield panel
        yield from panel.get("panels", [])


def of_dashboard():
    """Every expression of the dashboard with a name for it, with a period in the place of Grafana's variables."""
    asked = [(panel["title"], target["expr"]) for panel in panels() for target in panel.get("targets", [])]
    asked += [(query["name"], query["expr"]) for query in dashboard()["annotations"]["list"]]
    return [(title, re.sub(r"\$__(rate_)?interval\b", "5m", expression)) for title, expression in asked]


def of_alerts():
    return [(rule["alert"], rule["expr"]) for rule in alerts()]


# The words of the query language that the expressions use; every other word has to be a name of the relay's.
LANGUAGE = {
    "sum", "max", "min", "count", "by", "and", "or", "rate", "increase", "changes", "histogram_quantile", "time",
    "vector",
}


def selectors(expression):
    """The name, the matchers (label, operator, value), and the labels grouped by, of an expression."""
    grouped = [label.strip() for group in re.findall(r"\bby \(([^)]*)\)", expression) for label in group.split(",")]
    rest = re.sub(r"\bby \([^)]*\)", " ", expression)
    found = []
    for match in re.finditer(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([^}]*)\})?', re.sub(r"\[[^\]]*\]", " ", rest)):
        name, inside = match.groups()
        # 200e6 is a number: its letter is no word.
        if name in LANGUAGE or rest[: match.start()][-1:].isdigit() or re.fullmatch(r"e\d+", name):
            continue
        found.append((name, re.findall(r'(\w+)(=~|!~|!=|=)"([^"]*)"', inside or "")))
    return found, grouped
