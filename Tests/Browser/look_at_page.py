#!/usr/bin/python3
"""Opens pages in headless Chromium as a phone and a desk show them, light and dark, and says what is wrong with them.

    look_at_page.py [--pictures FOLDER] PAGE.html...

The folder gets a copy of each page, and a picture of each view.
A line for each view: "NAME WIDTH SCHEME: fine", or what is wrong. The exit code is 1 when something is. It speaks the
DevTools protocol over a pipe, so it needs nothing but Python and Debian's chromium.
"""

import base64
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WIDTHS = {390: 844, 1280: 800}
SCHEMES = ("light", "dark")

# Runs in the page, given the width of the screen; returns the complaints. (The window's own width tells nothing: a phone
# widens it for a page that does not fit.) The page itself has no script, and its policy forbids any.
LOOK = r"""
(width => {
  const wrong = [];
  const say = (words, element) => wrong.push(
    words + " (" + (element.id ? "#" + element.id : element.tagName + "." + element.getAttribute("class"))
      + ": " + (element.textContent || "").trim().slice(0, 40) + ")");
  for (const details of document.querySelectorAll("details")) details.open = true;
  const whole = Math.max(document.documentElement.scrollWidth, document.body.scrollWidth);
  if (whole > width) wrong.push(`the document is ${whole} px wide on a screen of ${width}`);

  const hidden = element => {
    for (let each = element; each; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (style.display === "none" || style.visibility === "hidden" || style.clipPath !== "none") return true;
    }
    return ["STYLE", "TITLE", "DESC"].includes(element.tagName.toUpperCase());
  };
  const channels = text => text.match(/[\d.]+/g).map(Number);
  const luminance = color => {
    const [r, g, b] = color.map(c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const paper = luminance(channels(getComputedStyle(document.body).backgroundColor));

  for (const element of document.body.querySelectorAll("*")) {
    if (hidden(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 0.5 || box.left < -0.5)) say("is beyond the edge", element);
    const words = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!words) continue;
    const style = getComputedStyle(element);
    const ink = luminance(channels(element.ownerSVGElement ? style.fill : style.color));
    const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
    if (contrast < 4.5) say(`has a contrast of ${contrast.toFixed(2)}`, element);
    if (parseFloat(style.fontSize) < 12) say(`is set in ${style.fontSize}`, element);
  }

  for (const chart of document.querySelectorAll("svg.chart")) {
    const words = [...chart.querySelectorAll("text")].filter(text => !hidden(text));
    const boxes = words.map(text => text.getBoundingClientRect());
    boxes.forEach((one, i) => boxes.slice(i + 1).forEach((other, j) => {
      if (one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom) {
        say("lies over " + words[i + 1 + j].textContent, words[i]);
      }
    }));
  }

  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map(heading => Number(heading.tagName[1]));
  if (levels.filter(level => level === 1).length !== 1) wrong.push("there is not one h1");
  levels.forEach((level, i) => { if (level > (levels[i - 1] ?? 0) + 1) wrong.push(`h${level} follows too early`); });
  return wrong;
})
"""


class Browser:
    """A headless Chromium, and what it reports."""

    def __init__(self, profile):
        commands, answers = os.pipe(), os.pipe()

        def hand_over():
            # The protocol is read from descriptor 3 and written to 4; out of the way first, as a pipe may have these.
            reads, writes = os.dup(commands[0]), os.dup(answers[1])
            os.dup2(reads, 3)
            os.dup2(writes, 4)

        # It shows pages that were just written here; its sandbox is not to be had in every container.
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            close_fds=False, preexec_fn=hand_over,
        )
        os.close(commands[0])
        os.close(answers[1])
        self.commands, self.answers = os.fdopen(commands[1], "wb", 0), os.fdopen(answers[0], "rb", 0)
        self.numbers, self.session, self.unread, self.events = itertools.count(1), None, b"", []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def message(self):
        """The next message, when it comes."""
        while b"\0" not in self.unread:
            octets = os.read(self.answers.fileno(), 1 << 20)
            if not octets:
                raise SystemExit("chromium ended early: run it by hand to see why")
            self.unread += octets
        first, self.unread = self.unread.split(b"\0", 1)
        return json.loads(first)

    def ask(self, method, **parameters):
        """Sends a command and waits for its answer; events before it are kept."""
        number = next(self.numbers)
        command = {"id": number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        self.commands.write(json.dumps(command).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == number:
                if "error" in message:
                    raise SystemExit(f"chromium refuses {method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, address):
        """Opens a page; the events until it had loaded."""
        self.events = []
        self.ask("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def end(self):
        """Ends it, and waits until it has."""
        self.commands.close()
        self.answers.close()
        self.process.terminate()
        self.process.wait()


def complaints(browser, address, width):
    """What is wrong with the page that was just opened."""
    wrong = browser.ask("Runtime.evaluate", expression=f"{LOOK}({width})", returnByValue=True)["result"]["value"]
    for event in browser.events:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent" if parameters["request"]["url"] != address:
                wrong.append(f"requests {parameters['request']['url']}")
            case "Log.entryAdded":
                wrong.append(f"the console says: {parameters['entry']['text']}")
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                wrong.append(f"a script ran: {parameters}")
    return wrong


def take_picture(browser, path):
    """Saves the whole page as a PNG."""
    picture = browser.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True)
    path.write_bytes(base64.b64decode(picture["data"]))


def main(arguments):
    """Looks at each page in each view."""
    pictures = None
    if arguments[:1] == ["--pictures"]:
        pictures, arguments = pathlib.Path(arguments[1]), arguments[2:]
        pictures.mkdir(parents=True, exist_ok=True)
    if not arguments:
        raise SystemExit(__doc__)
    all_wrong = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            for name, (width, height), scheme in itertools.product(arguments, WIDTHS.items(), SCHEMES):
                page = pathlib.Path(name).resolve()
                browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                            deviceScaleFactor=2 if width < 600 else 1, mobile=width < 600)
                browser.ask("Emulation.setEmulatedMedia",
                            features=[{"name": "prefers-color-scheme", "value": scheme}])
                browser.open(page.as_uri())
                if pictures:
                    (pictures / page.name).write_bytes(page.read_bytes())
                    take_picture(browser, pictures / f"{page.stem}-{width}-{scheme}.png")
                wrong = complaints(browser, page.as_uri(), width)
                print(f"{page.stem} {width} {scheme}: {'; '.join(wrong) or 'fine'}", flush=True)
                all_wrong += len(wrong)
        finally:
            browser.end()
    return 1 if all_wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
