"""Ask heed serve from Python; only the standard library is needed. See docs/serve.md."""

import calendar
import itertools
import json
import os
import sys
import time
from http.client import HTTPConnection, HTTPSConnection
from urllib.parse import urlencode, urlsplit


class HeedError(OSError):
    """heed answered with an error. After status 429 or 503, wait for retry_after seconds, and then ask again.

    retry_after is None if the answer has no such number. text is the body of the answer.
    """

    def __init__(self, status, retry_after, text):
        self.status, self.text = status, text
        self.retry_after = int(retry_after) if retry_after.isdecimal() else None
        wait = "" if self.retry_after is None else f", Retry-After: {self.retry_after}"
        super().__init__(f"status {status}{wait}: {text}")

    def __reduce__(self):  # pickle cannot find the arguments of __init__ by itself
        return HeedError, (self.status, str(self.retry_after), self.text)


class Heed:
    """A client of heed serve, by default of the one in HEED_URL, with the token in HEED_TOKEN.

    If heed does not answer, an OSError is raised; it means no permission.
    """

    def __init__(self, base=None, token=None):
        base = (base or os.environ.get("HEED_URL") or "127.0.0.1:8309").rstrip("/")
        self.base = urlsplit(base if "://" in base else "http://" + base)
        token = token or os.environ.get("HEED_TOKEN")
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def check(self, url, agent):
        """Return the verdict for a URL. agent is a product token, or a list of them."""
        query = urlencode({"url": url, "agent": agent}, doseq=True)
        return json.load(self._ask("GET", "/v1/check?" + query))

    @staticmethod
    def valid_seconds(verdict):
        """Return how many seconds a verdict may be kept after it came. 0: do not keep it."""
        site = verdict.get("site", {})
        if verdict.get("pending") or site.get("stale", True) or not {"fetched", "next_retrieval"} <= site.keys():
            return 0
        fetched, until = (calendar.timegm(time.strptime(site[name], "%Y-%m-%dT%H:%M:%SZ")) for name in ("fetched", "next_retrieval"))
        return max(0, until - fetched - site["age_seconds"] - 2)  # 2: the times are whole seconds

    def turn(self, url, agent, valid_seconds=0):
        """Return the verdict. If the URL is allowed, wait until the crawl delay of the site allows it.

        valid_seconds: how much longer the turn is valid, if the daemon is far away.
        """
        while True:
            asked = time.time()  # the answer may need long to arrive
            question = json.dumps({"url": url, "agent": agent, "valid_seconds": valid_seconds})
            answer = json.load(self._ask("POST", "/v1/turn", question))
            if not answer["allowed"]:
                return answer
            turn = answer["turn"]
            time.sleep(turn["wait_seconds"])
            late = time.time() - asked - turn["wait_seconds"] - turn.get("valid_seconds", float("inf"))
            if late <= 0:
                return answer
            valid_seconds = min(valid_seconds + late, 10)  # the turn is over: ask for another one, which is valid longer

    def check_many(self, questions, batch=1000):
        """Yield the verdicts for questions such as {"url": …, "agent": …}, in their order."""
        questions = iter(questions)
        while some := list(itertools.islice(questions, batch)):
            lines = "".join(json.dumps(question) + "\n" for question in some)
            answers = [json.loads(line) for line in self._ask("POST", "/v1/check", lines)]
            if len(answers) != len(some) or "url" not in answers[-1]:
                raise OSError(f"{len(some)} questions have {len(answers)} answers: {answers[-1:]}")
            yield from answers

    def _ask(self, method, path, body=None):
        connect = HTTPSConnection if self.base.scheme == "https" else HTTPConnection
        connection = connect(self.base.netloc)
        connection.request(method, self.base.path + path, body, self.headers)
        response = connection.getresponse()
        if response.status != 200:
            text = response.read().decode(errors="replace").strip()
            raise HeedError(response.status, response.getheader("Retry-After", ""), text)
        return response


if __name__ == "__main__":  # python3 heed.py SITE
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python3 heed.py SITE, such as https://www.example.com")
    heed, site = Heed(), sys.argv[1]
    print("check", heed.check(site + "/cart", "ExampleBot")["allowed"])
    many = ({"url": f"{site}/{i}", "agent": "ExampleBot"} for i in range(2000))
    print("stream", sum(answer["allowed"] for answer in heed.check_many(many)))
    print("turn", heed.turn(site + "/", "ExampleBot")["allowed"])
