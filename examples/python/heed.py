"""Ask heed from Python: one process answers any number of questions.

A question is a dict with "url" and, unless a flag says it, "agent", "robots" or
"robots_file", and "dialect". Whatever else is in it, such as an "id", comes back in the
answer. "heed help check" says more. Run this file to see it work, and how fast.
"""

import itertools
import json
import subprocess
import sys
import time


class Heed:
    """A running heed: with Heed("--robots-dir", "files") as heed: …"""

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

        A batch is written as a whole, and then as many answers are read: heed keeps
        some 16 MiB of answers for a program that does not read yet.
        """
        questions = iter(questions)
        while some := list(itertools.islice(questions, batch)):
            lines = "".join(json.dumps(question) + "\n" for question in some)
            self.process.stdin.write(lines.encode())
            self.process.stdin.flush()
            answers = list(itertools.islice(self.process.stdout, len(some)))
            if len(answers) < len(some):
                raise EOFError(f"heed ended with exit status {self.process.wait()}")
            yield from json.loads(b"[" + b",".join(answers) + b"]")  # at once: it is faster

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
