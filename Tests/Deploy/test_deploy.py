"""The alerts and the dashboard against what the relay serves and what DEPLOY.md says. Run by scripts/check-deploy."""

import re
import subprocess
import tempfile
import unittest

import yaml

import expressions
from expressions import ROOT
from test_completion import COMMANDS


def anchor(heading):
    """The fragment that a page of Markdown gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")


def headings(text):
    return {anchor(line.lstrip("#").strip()) for line in text.splitlines() if re.match(r"#{1,6} ", line)}


class Expressions(unittest.TestCase):
    def test_they_name_only_what_the_relay_serves(self):
        stored = expressions.series()
        for title, expression in expressions.of_alerts() + expressions.of_dashboard():
            found, grouped = expressions.selectors(expression)
            with self.subTest(title, expression=expression):
                self.assertTrue(found)
                labels = set()
                for name, matchers in found:
                    self.assertIn(name, stored)
                    labels |= stored[name].keys()
                    for label, operator, value in matchers:
                        self.assertIn(label, stored[name])
                        allowed = stored[name][label]
                        if allowed is not None:
                            self.assertLessEqual(set(value.split("|") if "~" in operator else [value]), allowed)
                self.assertLessEqual(set(grouped), labels)

    def test_every_number_of_the_relay_is_on_the_dashboard(self):
        asked = [expressions.selectors(expression)[0] for _, expression in expressions.of_dashboard()]
        shown = {re.sub(r"_(bucket|count|sum)$", "", name) for found in asked for name, _ in found}
        self.assertLessEqual(expressions.metrics().keys(), shown)

    def test_prometheus_can_read_them(self):
        rules = [
            {"record": f"test:expression:{number}", "expr": expression}
            for number, (_, expression) in enumerate(expressions.of_alerts() + expressions.of_dashboard())
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            yaml.safe_dump({"groups": [{"name": "test", "rules": rules}]}, file)
            file.flush()
            result = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


class Alerts(unittest.TestCase):
    def test_each_has_a_summary_a_description_and_a_section_of_the_runbook(self):
        sections = headings((ROOT / "DEPLOY.md").read_text())
        for rule in expressions.alerts():
            with self.subTest(rule["alert"]):
                self.assertIn(rule["labels"]["severity"], {"critical", "warning"})
                self.assertEqual(rule["annotations"].keys(), {"summary", "description", "runbook"})
                self.assertEqual(rule["annotations"]["runbook"], "DEPLOY.md#" + anchor(rule["alert"]))
                self.assertIn(anchor(rule["alert"]), sections)

    def test_each_is_tested_where_it_fires_and_where_it_does_not(self):
        cases = yaml.safe_load((ROOT / "Tests/Deploy/alerts_test.yml").read_text())["tests"]
        for rule in expressions.alerts():
            name = rule["alert"]
            fires, rests = False, False
            for case in cases:
                # A case about the alert is one with the first of its metrics.
                metric = expressions.selectors(rule["expr"])[0][0][0]
                if not any(re.match(metric + r"\{", one["series"]) for one in case["input_series"]):
                    continue
                for check in case["promql_expr_test"]:
                    firing = f'alertname="{name}"' in str(check.get("exp_samples"))
                    fires, rests = fires or firing, rests or not firing
            self.assertTrue(fires and rests, name)


class Dashboard(unittest.TestCase):
    def test_its_panels_have_numbers_of_their_own_and_do_not_overlap(self):
        panels = list(expressions.panels())
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))
        taken = set()
        for panel in panels:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells

    def test_its_one_variable_is_the_data_source_that_every_panel_asks(self):
        board = expressions.dashboard()
        self.assertEqual([(one["name"], one["type"]) for one in board["templating"]["list"]], [("datasource",) * 2])
        source = {"type": "prometheus", "uid": "${datasource}"}
        for panel in expressions.panels():
            if panel["type"] == "row":
                continue
            self.assertEqual(panel["datasource"], source, panel["title"])
            references = [target["refId"] for target in panel["targets"]]
            self.assertEqual(len(set(references)), len(references), panel["title"])
            for target in panel["targets"]:
                self.assertEqual(target["datasource"], source, panel["title"])


class Containers(unittest.TestCase):
    def test_the_image_and_compose_ask_after_the_relay_in_the_same_way(self):
        compose = yaml.safe_load((ROOT / "deploy/docker-compose.yml").read_text())["services"]["relay"]["healthcheck"]
        image = re.search(r"^HEALTHCHECK (.*) CMD (\[.*\])$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
        options = dict(option.lstrip("-").split("=") for option in image[1].split())
        self.assertEqual(["CMD", *yaml.safe_load(image[2])], compose["test"])
        self.assertEqual(options["interval"], compose["interval"])
        self.assertEqual(options["timeout"], compose["timeout"])
        self.assertEqual(options["start-period"], compose["start_period"])
        self.assertEqual(int(options["retries"]), compose["retries"])


class Unit(unittest.TestCase):
    SHARED = {"DynamicUser", "StateDirectory", "StateDirectoryMode", "UMask", "EnvironmentFile", "LoadCredential"}

    def test_as_relay_runs_as_the_unit_does(self):
        unit = (ROOT / "deploy/relay.service").read_text()
        script = (ROOT / "deploy/as-relay").read_text()
        paths = {"%S": "/var/lib", "%d": "/run/credentials/relay-command.service"}
        for line in unit.splitlines():
            key, _, value = line.partition("=")
            for short, path in paths.items():
                value = value.replace(short, path)
            if key in self.SHARED:
                self.assertIn(f" -p {key}={value} ", script)
            elif key == "Environment":
                self.assertIn(f" -E {value} ", script)
        # A user of its own name is the unit's too.
        self.assertIn(" -p User=relay ", script)
        self.assertIn(" --unit=relay-command ", script)


class Runbook(unittest.TestCase):
    def test_its_links_lead_somewhere(self):
        text = (ROOT / "DEPLOY.md").read_text()
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith("#"):
                self.assertIn(target[1:], headings(text))
            elif "://" not in target:
                self.assertTrue((ROOT / target.partition("#")[0]).exists(), target)

    def test_it_gives_every_command_of_the_relay_and_no_other(self):
        # At the start of a line, behind what else may stand there, or in the middle of a sentence.
        words = r"(?:(?:`|&& | /usr/local/bin/|--rm )relay|(?m:^    relay)|as-relay) ([a-z][a-z-]+)"
        given = set(re.findall(words, (ROOT / "DEPLOY.md").read_text()))
        # `docker compose ps` prints "relay running".
        self.assertEqual(given - {"running"}, set(COMMANDS) - {"serve"})

    def test_prometheus_takes_its_lines(self):
        (lines,) = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "DEPLOY.md").read_text(), re.DOTALL | re.MULTILINE)
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write(lines.replace("/etc/prometheus/relay-alerts.yml", str(ROOT / "deploy/alerts.yml")))
            file.flush()
            result = subprocess.run(["promtool", "check", "config", file.name], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
