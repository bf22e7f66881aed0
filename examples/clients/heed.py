"""Ask heed serve from Python; only the standard library is needed. See docs/serve.md."""

import json
import sys
import threading
import time
from http.client import HTTPConnection
from urllib.parse import urlencode


class Heed:
    """A heed serve. If it does not answer, an exception is raised: that is no permission."""

    def __init__(self, address="127.0.0.1:8309", token=None):
        self.address = address
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def check(self, url, agent):
        """Return the verdict for a URL. agent is a product token, or a list of them."""
        return self._ask("GET", "/v1/check?" + urlencode({"url": url, "agent": agent}, doseq=True))

    def turn(self, url, agent):
        """Return the verdict; if the URL is allowed, when the crawl delay of the site allows it."""
        answer = self._ask("POST", "/v1/turn", json.dumps({"url": url, "agent": agent}))
        if answer["allowed"]:
            time.sleep(answer["turn"]["wait_seconds"])
        return answer

    def check_many(self, questions):
        """Yield the verdicts for questions such as {"url": …, "agent": …}, in their order."""
        connection, asked = HTTPConnection(self.address), 0
        connection.putrequest("POST", "/v1/check")
        for name, value in {**self.headers, "Transfer-Encoding": "chunked"}.items():
            connection.putheader(name, value)
        connection.endheaders()

        def send():
            for question in questions:
                line = json.dumps(question).encode() + b"\n"
                connection.send(b"%x\r\n%s\r\n" % (len(line), line))
            connection.send(b"0\r\n\r\n")

        threading.Thread(target=send, daemon=True).start()
        for line in self._response(connection):
            answer = json.loads(line)
            if "url" not in answer:
                raise OSError(answer["error"])  # the daemon ended the stream
            yield answer

    def _ask(self, method, path, body=None):
        connection = HTTPConnection(self.address)
        connection.request(method, path, body, self.headers)
        return json.load(self._response(connection))

    def _response(self, connection):
        response = connection.getresponse()
        if response.status != 200:
            raise OSError(f"status {response.status}: {json.load(response)['error']}")
        return response


if __name__ == "__main__":  # heed.py ADDRESS SITE
    heed, site = Heed(sys.argv[1]), sys.argv[2]
    print("check", heed.check(site + "/cart", "ExampleBot")["allowed"])
    many = ({"url": f"{site}/{i}", "agent": "ExampleBot"} for i in range(10_000))
    print("stream", sum(answer["allowed"] for answer in heed.check_many(many)))
    print("turn", heed.turn(site + "/", "ExampleBot")["allowed"])
