"""heed.scrapy in crawls of sites on this machine, with the settings of the README. It needs Scrapy, so no other test runs it.

Twisted can run its reactor once. So all crawls are made before the tests, which look at what became of them.
"""

import gzip
import http.server
import logging
import os
import re
import socket
import struct
import tempfile
import threading
import unittest
import zlib
from unittest import mock

import scrapy
from scrapy.crawler import CrawlerRunner
from twisted.internet import defer, reactor

import heed.scrapy
from heed.scrapy import RobotsTxtMiddleware

RULES = b"User-agent: ExampleBot\nDisallow: /private\n\nUser-agent: *\nDisallow: /star\n"
GZIPPED = gzip.compress(RULES)
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"

with open(os.environ["HEED_README"], encoding="utf-8") as file:
    SETTINGS = {}
    exec(re.search("```python\n(# settings.py\n.*?)```", file.read(), re.DOTALL)[1], {}, SETTINGS)


class Page(http.server.BaseHTTPRequestHandler):
    """Answers /robots.txt, and where it redirects to, as the site says; all else is a page."""

    def do_GET(self):
        self.server.requested.append(self.path)
        if self.path.startswith("/robots"):
            self.server.answer(self)
        else:
            self.send(200, b"page")

    def send(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def reset(self):
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()

    def log_message(self, *_):
        pass


class Site(http.server.ThreadingHTTPServer):
    """An origin: it has a port of its own."""

    daemon_threads = True

    def __init__(self, answer=lambda h: h.send(200, RULES)):
        super().__init__(("127.0.0.1", 0), Page)
        self.answer, self.requested = answer, []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def handle_error(self, *_):
        pass  # the client left, or the connection was reset

    def robots(self):
        """Returns how often robots.txt was requested."""
        return self.requested.count("/robots.txt")


ended = threading.Event()  # those that hang end
target = Site()


def hang(h):
    ended.wait(60)


# What a site sends, a part of the reason why nothing is allowed ("": the file is read, or allows everything), and how often
# its robots.txt is requested.
STATUSES = {
    "200": (lambda h: h.send(200, RULES), "", 1),
    "empty": (lambda h: h.send(200), "", 1),
    "HTML": (lambda h: h.send(200, b"<!doctype html><p>Welcome", Content_Type="text/html"), "", 1),
    "gzip": (lambda h: h.send(200, GZIPPED, Content_Encoding="gzip"), "", 1),
    "deflate": (lambda h: h.send(200, zlib.compress(RULES), Content_Encoding="deflate"), "", 1),
    "utf-8": (lambda h: h.send(200, RULES, Content_Encoding="utf-8"), "", 1),
    "no length": (lambda h: h.send(200, RULES, Content_Length=None), "", 1),
    "br if asked": (lambda h: h.send(200, RULES, Content_Encoding="br" if "br" in h.headers["Accept-Encoding"] else None), "", 1),
    "redirect": (lambda h: h.send(301, Location=f"{target.url}/robots.txt"), "", 1),
    "400": (lambda h: h.send(400), "", 1),
    "401": (lambda h: h.send(401), "", 1),
    "403": (lambda h: h.send(403, b"User-agent: *\nDisallow: /"), "", 1),
    "404": (lambda h: h.send(404), "", 1),
    "410": (lambda h: h.send(410), "", 1),
    "429": (lambda h: h.send(429), "status 429", 3),
    "500": (lambda h: h.send(500), "status 500", 3),
    "503": (lambda h: h.send(503, RULES), "status 503", 3),
    "501": (lambda h: h.send(501), "status 501", 1),
    "599": (lambda h: h.send(599), "status 599", 1),
    "304": (lambda h: h.send(304), "status 304", 1),
    "302 without Location": (lambda h: h.send(302), "status 302", 1),
    "202": (lambda h: h.send(202), "status 202 without a group", 1),
    "206": (lambda h: h.send(206, RULES), "a part of the file", 1),
    "Content-Range": (lambda h: h.send(200, RULES, Content_Range="bytes 0-9/99"), "a part of the file", 1),
    "hangs": (hang, "TimeoutError", 3),
    "hangs in its body": (lambda h: (h.send(200, RULES, Content_Length="1000"), hang(h)), "TimeoutError", 3),
    "reset": (lambda h: h.reset(), "ResponseNeverReceived", 3),
    "reset in its body": (lambda h: (h.send(200, RULES, Content_Length="1000"), h.reset()), "Response", 3),
    "cut": (lambda h: h.send(200, RULES, Content_Length="1000"), "ResponseFailed", 3),
    "no HTTP": (lambda h: h.wfile.write(b"nonsense\r\n\r\n"), "Response", 3),
    "redirect loop": (lambda h: h.send(302, Location="/robots/loop"), "max redirections reached", 1),
    "redirect to no server": (lambda h: h.send(302, Location="http://127.0.0.1:1/robots.txt"), "ConnectionRefusedError", 1),
    "redirect to a failure": (lambda h: h.send(302, Location="/robots/2") if h.path == "/robots.txt" else h.send(500), "status 500", 1),
    "still gzip": (lambda h: h.send(200, GZIPPED), "still compressed, as gzip", 1),
    "gzip twice": (lambda h: h.send(200, gzip.compress(GZIPPED), Content_Encoding="gzip"), "still compressed, as gzip", 1),
    "gzip cut": (lambda h: h.send(200, GZIPPED[:-9], Content_Encoding="gzip"), "the end of the compressed body is missing", 1),
    "gzip damaged": (lambda h: h.send(200, GZIPPED[:-8] + bytes(8), Content_Encoding="gzip"), "the body cannot be decoded as gzip", 1),
    "br": (lambda h: h.send(200, RULES, Content_Encoding="br"), "encoded as|Brotli", 1),
    "xz": (lambda h: h.send(200, RULES, Content_Encoding="xz"), "encoded as", 1),
    "unknown coding": (lambda h: h.send(200, b"nothing", Content_Encoding="other"), "encoded as", 1),
    "binary": (lambda h: h.send(200, b"\x01\x02\x03\xff\x00\x03" * 9), "binary", 1),
}


class Spider(scrapy.Spider):
    """Requests URLs, one after the other, and notes for each why it was refused; "": its page came."""

    name = "spider"
    headers, meta = {}, {}

    def start_requests(self):
        self.next = iter(self.urls)
        for _ in range(len(self.urls) if self.at_once else 1):
            yield from self.page()

    def page(self):
        for url in self.next:
            self.before(url)
            yield scrapy.Request(url, self.came, errback=self.failed, dont_filter=True, headers=self.headers, meta={**self.meta, "asked": url})
            return

    def before(self, url):
        pass

    def came(self, response):
        self.found[response.meta["asked"]] = ""
        yield from self.page()

    def failed(self, failure):
        self.found[failure.request.meta["asked"]] = f"{type(failure.value).__name__}: {failure.value}"
        yield from self.page()


class Log(logging.Handler):
    """Keeps what the middleware logs."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        self.lines.append(f"{record.levelname} {record.getMessage()}")


class Crawl:
    """A crawl, after its end. The members are what became of each URL, the counts of Scrapy, and the lines of the log."""

    def __init__(self, urls, at_once=False, settings=(), headers_received=None, **members):
        self.found = {}
        spider = type("Made", (Spider,), {"urls": urls, "at_once": at_once, "found": self.found, **members})
        runner = CrawlerRunner({
            **SETTINGS, "DOWNLOAD_TIMEOUT": 1.5, "REDIRECT_MAX_TIMES": 5, "CONCURRENT_REQUESTS": 99, "CONCURRENT_REQUESTS_PER_DOMAIN": 99,
            "TELNETCONSOLE_ENABLED": False, "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7", **dict(settings),
        })
        self.crawler = runner.create_crawler(spider)
        if headers_received:
            self.crawler.signals.connect(headers_received, signal=scrapy.signals.headers_received)
        self.log = Log()
        logging.getLogger("heed.scrapy").addHandler(self.log)
        self.ended = runner.crawl(self.crawler).addBoth(self.end)

    def end(self, result):
        logging.getLogger("heed.scrapy").removeHandler(self.log)
        self.stats = self.crawler.stats.get_stats()
        return result if result is not None else self


made = {}  # all crawls, by a name
sites = {}  # those of some crawls


class Clock:
    now = 1e9

    def time(self):
        return self.now


@defer.inlineCallbacks
def crawls():
    def crawl(name, paths=("page",), answer=None, **options):
        """Makes a crawl of a new site."""
        sites[name] = Site(answer) if answer else Site()
        made[name] = Crawl([f"{sites[name].url}/{path}" for path in paths], **options)
        return made[name].ended

    for name, (answer, _, _) in STATUSES.items():
        sites[name] = Site(answer)
    made["statuses"] = Crawl([f"{sites[name].url}/{path}" for name in STATUSES for path in ("page", "private")], at_once=True)
    yield made["statuses"].ended

    yield crawl("rules", ["private", "page", "star", "robots.txt", "%70rivate"])
    yield crawl("many", [f"page{i}" for i in range(30)], at_once=True)
    address = sites["many"].url.partition("//")[2]
    made["hosts"] = Crawl([f"http://{address}/1", f"http://{address.replace('127.0.0.1', 'LOCALHOST')}/2", f"http://{address.replace('127.0.0.1', 'localhost')}/3"])
    yield made["hosts"].ended

    yield crawl("browser", ["a", "b"], settings={"ROBOTSTXT_USER_AGENT": None, "USER_AGENT": BROWSER})
    yield crawl("no name", ["a"], settings={"ROBOTSTXT_USER_AGENT": None, "USER_AGENT": None})
    yield crawl("named browser", ["page", "private"], settings={"USER_AGENT": BROWSER})
    for at in (595, 100):
        place = {"ROBOTSTXT_USER_AGENT": None, "DOWNLOADER_MIDDLEWARES": {**SETTINGS["DOWNLOADER_MIDDLEWARES"], "heed.scrapy.RobotsTxtMiddleware": at}}
        paths = ["private", "star"]
        yield crawl(("setting", at), paths, settings=place)
        yield crawl(("request", at), paths, headers={"User-Agent": "StarBot/1.0"}, settings=place)
        yield crawl(("spider", at), paths, user_agent="StarBot", settings=place)
        yield crawl(("defaults", at), paths, settings={**place, "DEFAULT_REQUEST_HEADERS": {"user-agent": "StarBot", "Accept": None}})

    yield crawl("off", ["private"], settings={"ROBOTSTXT_OBEY": False})
    yield crawl("not obeyed", ["private"], meta={"dont_obey_robotstxt": True})
    made["others"] = Crawl(["data:,page", "http:///page"])
    yield made["others"].ended

    def stop(headers, body_length, request, spider):
        if request.url.endswith("/robots.txt"):
            raise scrapy.exceptions.StopDownload(fail=False)

    yield crawl("stopped", headers_received=stop)
    yield crawl("dataloss", answer=lambda h: h.send(200, RULES, Content_Length="1000"), settings={"DOWNLOAD_FAIL_ON_DATALOSS": False})
    yield crawl("no retries", answer=lambda h: h.send(503), settings={"RETRY_ENABLED": False})
    with tempfile.TemporaryDirectory() as folder:
        cached = {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": folder}
        for name in ("cached", "cached later"):
            made[name] = Crawl([f"{target.url}/private", f"{target.url}/page"], settings=cached)
            yield made[name].ended

    clock, times = Clock(), []
    ages = [0, RobotsTxtMiddleware.MAX_AGE - 60, 120, 60, -60, -7200]

    def later(spider, url):
        times.append(sites["ages"].robots())
        clock.now += ages[int(url[-1])]

    with mock.patch.object(heed.scrapy, "time", clock):
        yield crawl("ages", [str(i) for i in range(len(ages))], before=later)
        made["ages"].times = times[1:] + [sites["ages"].robots()]
        failures = [0, RobotsTxtMiddleware.FAILURE_AGE - 60, 120, 1]

        def heals(spider, url):
            clock.now += failures[int(url[-1])]
            if url[-1] == "1":
                sites["heals"].answer = lambda h: h.send(200, RULES)

        yield crawl("heals", [str(i) for i in range(len(failures))], answer=lambda h: h.send(503), before=heals)
    with mock.patch.object(RobotsTxtMiddleware, "MAX_ORIGINS", 2):
        three = [Site() for _ in range(3)]
        made["origins"] = Crawl([f"{three[i].url}/{n}" for n, i in enumerate([0, 1, 0, 2, 0, 1])])
        yield made["origins"].ended
        made["origins"].robots = [each.robots() for each in three]
    with mock.patch.object(heed.scrapy, "text_of", side_effect=MemoryError("a \x1b\n")):
        yield crawl("error")
    yield crawl("odd", answer=lambda h: h.send(200, b"nothing", Content_Encoding="\x1b[31m\xff"))


def setUpModule():
    logging.getLogger("scrapy").setLevel(logging.CRITICAL)
    logging.getLogger("heed.scrapy").propagate = False
    logging.getLogger("heed.scrapy").addHandler(logging.NullHandler())
    failures = []

    def begin():
        crawls().addErrback(failures.append).addBoth(lambda _: reactor.stop())

    reactor.callWhenRunning(begin)
    reactor.run()
    ended.set()
    for failure in failures:
        failure.raiseException()


class Test(unittest.TestCase):
    maxDiff = None

    def found(self, name, path="page"):
        """Returns what became of a URL of the site of a crawl."""
        return made[name].found[f"{sites[name].url}/{path}"]

    def test_statuses(self):
        """R-14, R-15, R-21: what a response means. Nothing is allowed after a failure."""
        for name, (_, why, robots) in STATUSES.items():
            with self.subTest(name):
                page, private = [made["statuses"].found[f"{sites[name].url}/{path}"] for path in ("page", "private")]
                if why:
                    start = f"IgnoreRequest: Forbidden by robots.txt: nothing is allowed at {sites[name].url}, since its robots.txt cannot be read: "
                    self.assertTrue(page.startswith(start) and re.search(why, page), page)
                    self.assertEqual(page, private)
                    self.assertNotIn("/page", sites[name].requested)
                else:
                    self.assertEqual(page, "")
                    line = f"IgnoreRequest: Forbidden by robots.txt: line 2 of {sites[name].url}/robots.txt"
                    self.assertEqual(private, line if name in ("200", "gzip", "deflate", "utf-8", "no length", "br if asked", "redirect") else "")
                self.assertEqual(sites[name].robots(), robots)
        lines = made["statuses"].log.lines
        self.assertEqual(len(lines), sum(why != "" for _, why, _ in STATUSES.values()))
        start = f"WARNING Nothing is allowed at {sites['501'].url} for 600 s, since its robots.txt cannot be read: status 501"
        self.assertIn(start, lines)

    def test_rules(self):
        line = f"IgnoreRequest: Forbidden by robots.txt: line 2 of {sites['rules'].url}/robots.txt"
        found = [self.found("rules", path) for path in ("private", "page", "star", "robots.txt", "%70rivate")]
        self.assertEqual(found, [line, "", "", "", line])
        stats = made["rules"].stats
        self.assertEqual([stats[f"robotstxt/{name}"] for name in ("request_count", "response_count", "response_status_count/200", "forbidden")], [1, 1, 1, 2])
        self.assertEqual(made["rules"].log.lines, [])

    def test_one_request(self):
        """Requests that come while a robots.txt is fetched wait for it. A scheme, host and port have one file."""
        self.assertEqual(set(made["many"].found.values()), {""})
        self.assertEqual(set(made["hosts"].found.values()), {""})
        self.assertEqual(sites["many"].robots(), 1 + 2)

    def test_origins(self):
        for url, want in [
            ("http://a.example", "http://a.example"), ("HTTP://A.Example:80/x", "http://a.example"), ("http://u:p@a.example:443/", "http://a.example:443"),
            ("https://a.example:443/?:80", "https://a.example"), ("https://a.example:80", "https://a.example:80"),
        ]:
            self.assertEqual(heed.scrapy._origin(scrapy.Request(url)), want)

    def test_names(self):
        """The robots.txt is asked about the name that the request has; one that is none is said."""
        for name, agent in [("browser", ascii(BROWSER.encode())), ("no name", "''")]:
            why = f"invalid-agent: there is no name of a crawler in the User-Agent {agent}, so nothing is allowed; set ROBOTSTXT_USER_AGENT to the name of your crawler, such as \"ExampleBot\""
            self.assertEqual(self.found(name, "a"), f"IgnoreRequest: Forbidden by robots.txt: {why}")
            self.assertEqual(made[name].log.lines, [f"ERROR {sites[name].url}: {why}"])  # once
        self.assertEqual([self.found("named browser"), self.found("named browser", "private")[:13]], ["", "IgnoreRequest"])
        for at in (595, 100):
            for name, want in [("setting", [False, True]), ("request", [True, False]), ("spider", [True, False]), ("defaults", [True, False])]:
                self.assertEqual([self.found((name, at), path) == "" for path in ("private", "star")], want, (name, at))

    def test_settings(self):
        for name in ("off", "not obeyed"):
            self.assertEqual((self.found(name, "private"), sites[name].robots()), ("", 0))
        self.assertIn("ResponseFailed", self.found("dataloss"))
        self.assertIn("the end of the body is missing", self.found("stopped"))
        self.assertEqual(made["others"].found["data:,page"], "")
        self.assertIn("nothing is allowed at http://, since", made["others"].found["http:///page"])
        self.assertEqual(("status 503" in self.found("no retries"), sites["no retries"].robots()), (True, 1))
        for name in ("cached", "cached later"):
            self.assertEqual([each == "" for each in made[name].found.values()], [False, True])
        self.assertEqual(made["cached later"].stats["robotstxt/response_count"], 1)
        self.assertEqual(made["cached later"].stats.get("httpcache/hit"), 1)  # the page only

    def test_ages(self):
        """R-18: an answer holds for a day; a failure not so long."""
        self.assertEqual(set(made["ages"].found.values()), {""})
        self.assertEqual(made["ages"].times, [1, 1, 2, 2, 2, 3])
        self.assertEqual([self.found("heals", str(i)) == "" for i in range(4)], [False, False, True, True])
        self.assertEqual(sites["heals"].robots(), 3 + 1)
        self.assertEqual(set(made["origins"].found.values()), {""})
        self.assertEqual(made["origins"].robots, [1, 2, 1])

    def test_no_engine(self):
        """What cannot be asked for is refused, again and again."""
        crawler = mock.Mock(settings=scrapy.settings.Settings({**SETTINGS}))
        crawler.engine.download.side_effect = RuntimeError("no engine")
        middleware, failures = RobotsTxtMiddleware.from_crawler(crawler), []
        for _ in range(2):
            middleware.process_request(scrapy.Request("http://a.example/page")).addErrback(failures.append)
        self.assertEqual([str(each.value)[-23:] for each in failures], ["RuntimeError: no engine"] * 2)
        self.assertEqual(crawler.engine.download.call_count, 1)

    def test_what_browsers_request(self):
        """R-24. Scrapy escapes such characters; other kinds of requests may not."""
        crawler = mock.Mock(settings=scrapy.settings.Settings({**SETTINGS}))
        crawler.engine.download.return_value = defer.succeed(scrapy.http.Response("http://a.example/robots.txt", body=RULES))
        middleware, request, failures = RobotsTxtMiddleware(crawler), scrapy.Request("http://a.example/page"), []
        request._url = "http://a.example/pri\tvate"
        middleware.process_request(request).addErrback(failures.append)
        self.assertEqual(len(failures), 1)

    def test_errors(self):
        """A mistake is no permission either, and what a server wrote is safe to print."""
        self.assertTrue(self.found("error").endswith(r"MemoryError: a \x1b\n"), self.found("error"))
        self.assertIn("encoded as", self.found("odd"))
        self.assertTrue(self.found("odd").isascii() and self.found("odd").isprintable(), self.found("odd"))


if __name__ == "__main__":
    unittest.main()
