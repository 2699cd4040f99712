"""Plays the relay's main job for whoever watches, and checks every step. scripts/demo prepares and runs it.

    scripts/demonstration play RELAY [--stay]
    scripts/demonstration push SUBSCRIPTION [TYPE]
"""

import signal

# Ctrl-C while the modules below are loaded ends the program without a word; main() takes over from there.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import json
import os
import sys
import time
from pathlib import Path

from parties import TEXTS, App, post_push
from play import Play
from stage import Failed, set_stage
from terminal import BOLD, GREEN, RED, paint


def perform(relay_program, stay):
    began = time.monotonic()
    with set_stage(relay_program) as stage:
        print(paint("Pixelfed's Web Push in, Apple's alerts out", BOLD))
        print(f"The relay listens on {stage.relay}. Apple is simulated on {stage.apple}, with HTTP/2 and TLS.\n")
        play = Play(stage, App(f"http://{stage.relay}", stage.token))
        try:
            _, bob = play.run()
        except Failed as failure:
            log = "\n".join(stage.relay_log.read_text(errors="replace").splitlines()[-8:])
            raise Failed(f"{failure}\nThe end of the relay's log:\n{log}") from None
        summary = (f"All {play.checks} checks passed in {time.monotonic() - began:.1f} s: {play.pushes} pushes came in, "
                   f"{play.alerts} alerts went out, 1 wiped phone was forgotten.")
        if stay:
            print("\n" + paint(summary, BOLD, GREEN))
            invite(stage, bob)
            signal.pause()
    print("\n" + paint(summary, BOLD, GREEN))


def invite(stage, bob):
    (stage.folder / "bob.json").write_text(json.dumps(bob))
    print(f"""
Everything keeps running until Ctrl-C. In another terminal, in the same folder as here:

  RELAY=http://{stage.relay}
  DEMO={stage.folder}
  AUTH='Authorization: Bearer {stage.token}'
  ID={bob['subscription_id']}    # bob's subscription

  curl -i $RELAY/healthz
  scripts/demo push $DEMO/bob.json comment    # or like, mention, follow, follow_request
  curl -i $RELAY/subscribe/$ID/unread -H "$AUTH" -d '{{"count":41}}'
  curl -i $RELAY/subscribe/$ID/badges -H "$AUTH" -d '{{"enabled":false}}'
  curl -i $RELAY/subscribe/$ID/read   -H "$AUTH" -X POST
  curl -i $RELAY/subscribe/$ID        -H "$AUTH"
  curl -i $RELAY/subscribe/$ID/test   -H "$AUTH" -X POST
  curl -i $RELAY/subscribe/$ID        -H "$AUTH" -X DELETE
  curl -i $RELAY/subscribe -H "$AUTH" -d '{{"device_token":"0123456789abcdef","account":"carol"}}'

  # As its operator: the page is at http://{stage.numbers}/
  relay() {{ command {stage.program} "$@" --env-file $DEMO/relay.env; }}
  relay check; relay subscriptions    # one line of the check fails here: this is no https
  relay send $(relay subscriptions | awk 'END {{ print $1 }}')
  relay backup; curl -s http://{stage.numbers}/metrics | grep pushes_total

  # What Apple received last, and the relay's log:
  grep '"request"' $DEMO/apple.log | tail -n 1 | /usr/bin/python3 -m json.tool
  tail $DEMO/relay.log
""")


def push_again(file, kind="like"):
    status, octets = post_push(json.loads(Path(file).read_text()), kind, Path(file).parent / "vapid.pem")
    print(f"{octets:,} octets posted, the relay answered {status}")
    if status != 201:
        raise Failed("the push was not accepted")


def main(arguments):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ["no_proxy"] = "*"  # everything is on loopback, where no proxy leads
    sys.stdout.reconfigure(encoding="utf-8", line_buffering=True)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        match arguments:
            case ["play", relay, *rest] if rest in ([], ["--stay"]):
                perform(relay, stay=bool(rest))
            case ["push", file, *rest] if len(rest) <= 1 and set(rest) <= set(TEXTS):
                push_again(file, *rest)
            case _:
                print("demo: wrong arguments; scripts/demo --help shows the right ones", file=sys.stderr)
                return 64
    except BrokenPipeError:  # whoever watched has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (Failed, OSError) as error:
        print("\n" + paint(f"demo: {error}", BOLD, RED), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0 if "--stay" in arguments else 128 + signal.SIGINT
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
