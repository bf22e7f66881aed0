"""Use heed from Python: one process answers any number of questions.

A question is a dict. "url" is required; "agent", "dialect", and "robots" or "robots_file"
replace the flags of the process. All other keys, such as an "id", are copied to the answer.
See docs/questions.md. Run this file to see an answer and the number of questions a second.
"""

import itertools
import json
import subprocess
import sys
import time


class Heed:
    """A running heed: with Heed("--robots", "files") as heed: …"""

    def __init__(self, *flags, command="heed"):
        self.process = subprocess.Popen(
            [command, "check", "--input", "jsonl", *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, url, agent, **more):
        """Return the answer to one question, such as robots="User-agent: …"."""
        return next(self.ask_many([{"url": url, "agent": agent, **more}]))

    def ask_many(self, questions, batch=5000):
        """Yield the answers to many questions, in their order.

        It writes a whole batch, and then reads the same number of answers. The answers of a
        batch must be less than 16 MiB: heed keeps that much while nobody reads.
        """
        questions = iter(questions)
        while some := list(itertools.islice(questions, batch)):
            lines = "".join(json.dumps(question) + "\n" for question in some)
            self.process.stdin.write(lines.encode())
            self.process.stdin.flush()
            answers = list(itertools.islice(self.process.stdout, len(some)))
            if len(answers) < len(some):
                raise EOFError(f"heed ended with exit status {self.process.wait()}")
            yield from json.loads(b"[" + b",".join(answers) + b"]")  # faster than one by one

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def main(command="heed", count=100_000):
    shop = "User-agent: *\nDisallow: /cart\n\nUser-agent: GPTBot\nDisallow: /\n"
    news = "User-agent: Googlebot\nAllow: /free\nDisallow: /\n"
    crawlers = ["Googlebot", "GPTBot", ["Googlebot-News", "Googlebot"]]
    with Heed(command=command) as heed:
        answer = heed.ask("https://shop.example/cart", "GPTBot", robots=shop)
        print("allowed" if answer["allowed"] else "disallowed", answer["rule"])
        questions = [
            {
                "url": f"https://a.example/free/{i}",
                "agent": crawlers[i % 3],
                "robots": (shop, news)[i % 2],
                "id": i,
            }
            for i in range(int(count))
        ]
        start = time.perf_counter()
        answers = list(heed.ask_many(questions))
        seconds = time.perf_counter() - start
    assert [a["id"] for a in answers] == list(range(int(count)))
    print(sum(a["allowed"] for a in answers), "of", len(answers), "are allowed")
    print(f"{len(answers) / seconds:.0f} questions a second", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
