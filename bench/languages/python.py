"""Measures Heed for Python and urllib.robotparser: python3 python.py ROBOTS URLS AGENT

ROBOTS is the path of a robots.txt, URLS the path of a file with a URL on each line. Each line of the output is JSON, with
times in nanoseconds.
"""

import json
import subprocess
import sys
import time
import urllib.robotparser
from pathlib import Path

import heed
import heed.robotparser

BATCH = 1000
ROUNDS = 7

FIRST = """
import time
start = time.perf_counter_ns()
body = open({robots!r}, encoding="utf-8", errors="surrogateescape").read()
{answer}
print(time.perf_counter_ns() - start)
"""
HEED_ANSWERS = "import heed; heed.parse(body).agent({agent!r}).check({url!r})"
RIVAL_ANSWERS = """
import urllib.robotparser
parser = urllib.robotparser.RobotFileParser()
parser.parse(body.splitlines())
parser.can_fetch({agent!r}, {url!r})
"""


def main(robots: str, urls: str, agent: str) -> None:
    body = Path(robots).read_text(encoding="utf-8", errors="surrogateescape")
    some = Path(urls).read_text().split()
    batch = (some * (BATCH // len(some) + 1))[:BATCH]
    policy = heed.parse(body).agent(agent)
    rival, ours = urllib.robotparser.RobotFileParser(), heed.robotparser.RobotFileParser()
    rival.parse(body.splitlines())
    ours.parse(body)

    def first(answer: str) -> int:
        program = FIRST.format(robots=robots, answer=answer.format(agent=agent, url=batch[0]))
        return int(subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True).stdout)

    show("first answer", lambda: first(HEED_ANSWERS), lambda: first(RIVAL_ANSWERS))
    show(
        "parse",
        timed(lambda: heed.parse(body).agent(agent), 1),
        timed(lambda: urllib.robotparser.RobotFileParser().parse(body.splitlines()), 1),
    )

    def rival_one() -> None:
        for url in batch:
            rival.can_fetch(agent, url)

    def heed_one() -> None:
        for url in batch:
            policy.check(url)

    def heed_can_fetch() -> None:
        for url in batch:
            ours.can_fetch(agent, url)

    show("one decision", timed(heed_one, BATCH), timed(rival_one, BATCH))
    show("can_fetch of heed.robotparser", timed(heed_can_fetch, BATCH), timed(rival_one, BATCH))
    show(f"in batches of {BATCH:,} (each)", timed(lambda: policy.check_all(batch), BATCH), timed(rival_one, BATCH))


def timed(run, count: int):
    """Returns a function that measures run. Its result is the time of one of the count operations of a run, in nanoseconds."""

    def measure() -> float:
        runs, took = 1, 0
        while took < 20_000_000:
            start = time.perf_counter_ns()
            for _ in range(runs):
                run()
            took, last, runs = time.perf_counter_ns() - start, runs, runs * 2
        return took / last / count

    return measure


def show(what: str, ours, rival) -> None:
    """Calls the two measuring functions in turns, and prints the best time of each."""
    times = [(ours(), rival()) for _ in range(ROUNDS)]
    best = [round(min(each)) for each in zip(*times)]
    print(json.dumps({"what": what, "heed": best[0], "rival": best[1]}), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
