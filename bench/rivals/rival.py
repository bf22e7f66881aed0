"""Runs Python's urllib.robotparser on sites with questions, which it reads as JSON.

With the argument "decisions" it prints the decisions as JSON, with any other argument the time of a question.
"""

import base64
import json
import sys
import time
import urllib.robotparser


def prepared(file):
    """Return a file as text, and its questions."""
    robots = base64.b64decode(file["Robots"]).decode("utf-8", "replace")
    return robots, [(q["Agent"], q["URL"]) for q in file["Questions"]]


def parse(body):
    parser = urllib.robotparser.RobotFileParser()
    parser.parse(body.splitlines())
    return parser


def best(run):
    """Return the processor time of one run in nanoseconds: the shortest mean of several batches of runs."""
    times, count = [], 1
    while len(times) < 5:
        start = time.process_time_ns()
        for _ in range(count):
            run()
        took = time.process_time_ns() - start
        if took < 50_000_000:
            count *= 2
        else:
            times.append(took / count)
    return min(times)


def measure(kind, robots, questions):
    """Return the time of each question about a file, in nanoseconds."""
    parser = parse(robots)

    def run():
        if kind == "parse":
            parse(robots)
            return
        for agent, url in questions:
            (parse(robots) if kind == "anew" else parser).can_fetch(agent, url)

    return best(run) / len(questions)


def decide(robots, questions):
    parser = parse(robots)
    return [parser.can_fetch(agent, url) for agent, url in questions]


files = [prepared(file) for file in json.load(sys.stdin)]
what = sys.argv[1]
print(json.dumps([decide(*file) for file in files] if what == "decisions" else measure(what, *files[0])))
