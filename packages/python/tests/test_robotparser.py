"""RobotFileParser, and each of its differences from urllib.robotparser, which the README lists."""

import copy
import gc
import gzip
import http.server
import inspect
import os
import pickle
import sys
import threading
import time
import tracemalloc
import unittest
import urllib.error
import urllib.robotparser
import warnings
import zlib

from heed.robotparser import RequestRate, RobotFileParser

# What differs, a robots.txt, a crawler, a URL, what urllib answers, what Heed answers. The README has the same rows.
VERDICTS = [
    ("the longest rule that matches decides, not the first", "User-agent: *\nDisallow: /a\nAllow: /a/b", "Bot", "/a/b", False, True),
    ("`*` in a rule is any characters", "User-agent: *\nDisallow: /*.pdf", "Bot", "/a.pdf", True, False),
    ("`$` at the end of a rule is the end of the URL", "User-agent: *\nDisallow: /a$", "Bot", "/a", True, False),
    ("an empty `Disallow` changes nothing for other rules", "User-agent: *\nDisallow:\nDisallow: /a", "Bot", "/a", True, False),
    ("all groups of a crawler apply", "User-agent: Bot\nDisallow: /a\n\nUser-agent: Bot\nDisallow: /b", "Bot", "/b", True, False),
    ("all groups for `*` apply", "User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b", "Bot", "/b", True, False),
    ("a group names a whole product token", "User-agent: Bot\nDisallow: /", "NewsBot", "/", False, True),
    ("a version after the product token is ignored", "User-agent: Bot/1.0\nDisallow: /", "Bot/2.0", "/", True, False),
    ("a `User-Agent` header is searched for the token", "User-agent: Bot\nDisallow: /", "Mozilla/5.0 (compatible; Bot/1.0)", "/", True, False),
    ("an empty name is no crawler's, and may fetch nothing", "User-agent: Bot\nDisallow: /a", "", "/", True, False),
    ("a header without a product token is no crawler's", "User-agent: *\nDisallow: /x", "Mozilla/5.0 (X11)", "/y", True, False),
    ("an empty line ends no group", "User-agent: *\n\nDisallow: /", "Bot", "/", True, False),
    ("other lines end no list of names", "User-agent: Bot\nCrawl-delay: 1\nUser-agent: Other\nDisallow: /", "Bot", "/", True, False),
    ("common misspellings are read", "User-agent: *\nDissallow: /", "Bot", "/", True, False),
    ("a missing colon is read", "User-agent: *\nDisallow /", "Bot", "/", True, False),
    ("a byte order mark is ignored", "\ufeffUser-agent: *\nDisallow: /", "Bot", "/", True, False),
    ("`%2F` is not `/`", "User-agent: *\nDisallow: /a%2Fb", "Bot", "/a/b", False, True),
    ("`/robots.txt` is always allowed", "User-agent: *\nDisallow: /", "Bot", "/robots.txt", False, True),
    ("what is no URL and no path is disallowed", "User-agent: *\nDisallow: /a", "Bot", "b.html", True, False),
]


def parsed(kind, text):
    parser = kind()
    parser.parse(text.split("\n"))
    return parser


class Verdicts(unittest.TestCase):
    def test_differences(self):
        with open(os.environ["HEED_README"], encoding="utf-8") as readme:
            readme = readme.read()
        for what, text, agent, url, urllib_answers, heed_answers in VERDICTS:
            with self.subTest(what):
                self.assertEqual(parsed(RobotFileParser, text).can_fetch(agent, url), heed_answers)
                if sys.version_info < (3, 14):  # later ones may have become better
                    self.assertEqual(parsed(urllib.robotparser.RobotFileParser, text).can_fetch(agent, url), urllib_answers)
                answers = " | ".join("allowed" if each else "disallowed" for each in (urllib_answers, heed_answers))
                lines = text.replace("\ufeff", "U+FEFF ").split("\n")
                shown = "<br>".join(f"`{line}`" if line else "" for line in lines)
                row = f"| {what} | {shown} | {f'`{agent}`' if agent else 'an empty text'}, `{url}` | {answers} |"
                self.assertTrue(row in readme, row)

    def test_the_same(self):
        text = "User-agent: *\nDisallow: /a\nCrawl-delay: 3\nRequest-rate: 1/5\n\nUser-agent: Bot\nAllow: /a/b\nDisallow: /a\nDisallow: /%C3%BC\nSitemap: https://x/s.xml"
        ours, other = parsed(RobotFileParser, text), parsed(urllib.robotparser.RobotFileParser, text)
        for agent in ("Bot", "bot", "Bot/1.0", "Other", "*"):
            for url in ("/", "/a", "/a/b", "https://www.example.com", "https://www.example.com/a?b", "/\u00fc", "/b#a"):
                self.assertEqual(ours.can_fetch(agent, url), other.can_fetch(agent, url), (agent, url))
            self.assertEqual(ours.crawl_delay(agent), other.crawl_delay(agent), agent)
            self.assertEqual(ours.request_rate(agent), other.request_rate(agent), agent)
        self.assertEqual(ours.site_maps(), other.site_maps())
        self.assertIs(RequestRate, urllib.robotparser.RequestRate)

    def test_what_browsers_request(self):
        """R-24."""
        parser = parsed(RobotFileParser, "User-agent: *\nDisallow: /secret")
        for url in ("http://a.example\\secret", "/se\tcret", "/se\r\ncret", "http://a.example/secret\n"):
            self.assertIs(parser.can_fetch("Bot", url), False, url)
        self.assertIs(parser.can_fetch("Bot", "/a\\secret"), True)

    def test_signatures(self):
        for name, function in inspect.getmembers(urllib.robotparser.RobotFileParser, inspect.isfunction):
            if not name.startswith("_") or name == "__init__":
                names = list(inspect.signature(function).parameters)
                self.assertEqual(list(inspect.signature(getattr(RobotFileParser, name)).parameters), names)
        parser = RobotFileParser(url="https://www.example.com:81/robots.txt")
        other = urllib.robotparser.RobotFileParser("https://www.example.com:81/robots.txt")
        for name in ("url", "host", "path", "allow_all", "disallow_all", "last_checked"):
            self.assertEqual(getattr(parser, name), getattr(other, name))


class Others(unittest.TestCase):
    """The other differences, in the order of the README."""

    def test_before_read(self):
        for kind in (RobotFileParser, urllib.robotparser.RobotFileParser):
            parser = kind()
            self.assertIs(parser.can_fetch("Bot", "/"), False)
            self.assertEqual((parser.mtime(), parser.crawl_delay("Bot"), parser.request_rate("Bot"), parser.site_maps()), (0, None, None, None))
            parser.modified()  # is not enough for Heed, since nothing was parsed
            self.assertIs(parser.can_fetch("Bot", "/"), kind is not RobotFileParser)
            parser.allow_all = True
            self.assertIs(parser.can_fetch("Bot", "/"), True)
            parser.disallow_all = True
            self.assertIs(parser.can_fetch("Bot", "/"), False)

    def test_names(self):
        text = "User-agent: *\nDisallow: /a\nCrawl-delay: 2"
        ours, other = parsed(RobotFileParser, text), parsed(urllib.robotparser.RobotFileParser, text)
        for name in ("", "Mozilla/5.0 (X11)"):
            self.assertEqual((ours.crawl_delay(name), other.crawl_delay(name)), (None, 2), name)
        self.assertRaises(TypeError, ours.can_fetch, None, "/")
        self.assertIs(other.can_fetch(None, "/"), True)

    def test_parse_replaces(self):
        for kind in (RobotFileParser, urllib.robotparser.RobotFileParser):
            parser = kind()
            parser.parse(["User-agent: Bot", "Disallow: /a"])
            before = time.time()
            parser.parse(["User-agent: Bot", "Disallow: /b"])
            self.assertIs(parser.can_fetch("Bot", "/a"), kind is RobotFileParser)
            self.assertGreaterEqual(parser.mtime(), before)

    def test_parse_of_texts(self):
        text = "User-agent: *\nDisallow: /a\n"
        for lines in (text, text.encode(), text.splitlines(), text.splitlines(True), iter(text.encode().splitlines()), text.replace("\n", "\r\n").splitlines(True)):
            parser = RobotFileParser()
            parser.parse(lines)
            self.assertIs(parser.can_fetch("Bot", "/a"), False, lines)
            self.assertEqual(str(parser).rstrip(), text.rstrip())
        self.assertIs(parsed(urllib.robotparser.RobotFileParser, text).can_fetch("Bot", "/a"), False)
        other = urllib.robotparser.RobotFileParser()
        other.parse(text)  # letters as lines
        self.assertIs(other.can_fetch("Bot", "/a"), True)
        self.assertRaises(TypeError, RobotFileParser().parse, [3])

    def test_records(self):
        text = "User-agent: *\nCrawl-delay: 2.5\nCrawl-delay: 1\nRequest-rate: 9/10\nRequest-rate: 1/2m\nRequest-rate: x\nRequest-rate: 5/1\nAllow: /\n"
        ours, other = parsed(RobotFileParser, text), parsed(urllib.robotparser.RobotFileParser, text)
        self.assertEqual((ours.crawl_delay("Bot"), other.crawl_delay("Bot")), (2.5, 1))
        self.assertEqual((ours.request_rate("Bot"), other.request_rate("Bot")), ((1, 120), (5, 1)))
        self.assertIsInstance(parsed(RobotFileParser, "User-agent: *\nCrawl-delay: 3").crawl_delay("Bot"), int)
        self.assertIsNone(parsed(RobotFileParser, "User-agent: *\nCrawl-delay: x\nRequest-rate: x").crawl_delay("Bot"))
        self.assertIsNone(parsed(RobotFileParser, "User-agent: *\nCrawl-delay: x\nRequest-rate: x").request_rate("Bot"))

    def test_text(self):
        text = "# shop\nUser-agent:*\nDisallow:/a"
        self.assertEqual(str(parsed(RobotFileParser, text)), text)
        self.assertEqual(str(parsed(urllib.robotparser.RobotFileParser, text)), "User-agent: *\nDisallow: /a")
        self.assertEqual(str(RobotFileParser()), "")

    def test_copies(self):
        parser = parsed(RobotFileParser, "User-agent: *\nDisallow: /a\n")
        parser.can_fetch("Bot", "/a")
        for made in (copy.copy(parser), copy.deepcopy(parser), pickle.loads(pickle.dumps(parser))):
            self.assertEqual((made.can_fetch("Bot", "/a"), made.can_fetch("Bot", "/"), made.mtime()), (False, True, parser.mtime()))
        self.assertIs(pickle.loads(pickle.dumps(RobotFileParser())).can_fetch("Bot", "/"), False)

    def test_many_crawlers(self):
        parser = parsed(RobotFileParser, "User-agent: *\nDisallow: /a\n\nUser-agent: Boty\nDisallow: /b\n")
        for _ in range(2):
            for i in range(300):
                name = "Bot" + "".join(chr(ord("a") + int(digit)) for digit in str(i))
                self.assertIs(parser.can_fetch(name, "/a"), False)
            self.assertIs(parser.can_fetch("boty", "/a"), True)


class Site(http.server.BaseHTTPRequestHandler):
    """Answers as the test says."""

    answer = staticmethod(lambda handler: None)

    def do_GET(self):
        type(self).answer(self)

    def send(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in {"Content_Length": str(len(body)), **headers}.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # the client has read enough

    def log_message(self, *_):
        pass


NO = b"User-agent: *\nDisallow: /a\n"


class Read(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/robots.txt"

    def tearDown(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def read(self, answer, kind=RobotFileParser, parser=None):
        Site.answer = staticmethod(answer)
        parser = parser or kind(self.url)
        if isinstance(parser, RobotFileParser):
            parser.read()
            return parser
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # urllib leaves responses open
            parser.read()
            gc.collect()
        return parser

    def both(self, answer, urls=("/a", "/b")):
        """Returns what both parsers say about URLs after read()."""
        kinds = (urllib.robotparser.RobotFileParser, RobotFileParser)
        return [[self.read(answer, kind).can_fetch("Bot", url) for url in urls] for kind in kinds]

    def test_file(self):
        self.assertEqual(self.both(lambda h: h.send(200, NO)), [[False, True]] * 2)
        parser = self.read(lambda h: h.send(200, NO))
        self.assertGreater(parser.mtime(), time.time() - 60)
        self.assertEqual(self.both(lambda h: h.send(200, NO, Content_Length=None)), [[False, True]] * 2)
        parser = RobotFileParser(self.url)
        parser.timeout, ended = 5, threading.Event()
        try:  # a server that does not close the connection
            self.read(lambda h: (h.send(200, NO), ended.wait(20)), parser=parser)
        finally:
            ended.set()

    def test_status(self):
        for status, other, ours in [
            (401, False, False), (403, False, False), (404, True, True), (410, True, True), (429, True, False), (500, False, False), (503, False, False),
        ]:
            self.assertEqual(self.both(lambda h: h.send(status, NO)), [[other] * 2, [ours] * 2], status)

    def test_redirects(self):
        def redirect(h):
            return h.send(302, Location="/other") if h.path == "/robots.txt" else h.send(200, NO)

        self.assertEqual(self.both(redirect), [[False, True]] * 2)
        self.assertEqual(self.both(lambda h: h.send(302, Location=h.path)), [[False, False]] * 2)  # for ever
        for nowhere in ("http://[x/", "http://example.com:x/", "http://" + "a" * 70 + ".example/"):
            self.assertIsInstance(self.fails(lambda h: h.send(302, Location=nowhere)), urllib.error.URLError, nowhere)

    def test_later_failure(self):
        """What was read before a failure decides no more: a server that fails may disallow everything."""
        for kind in (urllib.robotparser.RobotFileParser, RobotFileParser):
            parser = self.read(lambda h: h.send(200, NO), kind)
            self.read(lambda h: h.send(500), parser=parser)
            self.assertIs(parser.can_fetch("Bot", "/b"), kind is not RobotFileParser)
            if kind is RobotFileParser:
                self.assertEqual(parser.mtime(), 0)
            self.read(lambda h: h.send(403), parser=parser)
            self.read(lambda h: h.send(200, NO), parser=parser)
            self.assertIs(parser.can_fetch("Bot", "/b"), kind is RobotFileParser)  # urllib keeps the 403

    def fails(self, answer=None, parser=None):
        parser = parser or RobotFileParser(self.url)
        with self.assertRaises(OSError) as raised:
            self.read(answer, parser=parser)
        self.assertIs(parser.can_fetch("Bot", "/b"), False)
        self.assertEqual(parser.mtime(), 0)
        parser.allow_all = True  # as a program may decide
        self.assertIs(parser.can_fetch("Bot", "/b"), True)
        return raised.exception

    def test_network(self):
        self.assertIsInstance(self.fails(parser=RobotFileParser("http://127.0.0.1:1/robots.txt")), urllib.error.URLError)
        self.assertIsInstance(self.fails(lambda h: h.wfile.write(b"nonsense\r\n\r\n")), urllib.error.URLError)
        self.fails(lambda h: h.wfile.write(b""))
        parser = RobotFileParser("nowhere")
        self.assertRaises(ValueError, parser.read)
        self.assertIs(parser.can_fetch("Bot", "/b"), False)

    def test_part_of_a_file(self):
        self.assertIsInstance(self.fails(lambda h: h.send(200, NO, Content_Length="1000")), urllib.error.URLError)
        chunk = b"1b\r\n" + NO + b"\r\n"
        self.assertEqual(len(NO), 0x1B)
        chunked = {"Content_Length": None, "Transfer_Encoding": "chunked"}
        Site.protocol_version = "HTTP/1.1"
        try:
            self.assertIsInstance(self.fails(lambda h: h.send(200, chunk, **chunked)), urllib.error.URLError)
            parser = self.read(lambda h: h.send(200, chunk + chunk + b"0\r\n\r\n", **chunked))
            self.assertIs(parser.can_fetch("Bot", "/b"), True)
        finally:
            Site.protocol_version = "HTTP/1.0"

    def test_no_text(self):
        """R-21: what is no robots.txt, though the status says so."""
        gzipped, stored = gzip.compress(NO), gzip.compress(NO, 0)
        for status, body, headers in [
            (200, gzipped, {}),
            (200, stored, {}),
            (200, zlib.compress(NO), {}),
            (200, b"\x28\xb5\x2f\xfd\x00\nDisallow: /a\n", {}),
            (200, b"\x0b\x0d\x80User-ag\x01\x02t: *\nDisallow: /a\n", {}),  # as Brotli stores it
            (200, NO, {"Content_Encoding": "br"}),
            (200, NO, {"Content_Encoding": "utf-8, BR"}),
            (200, NO, {"Content_Encoding": "gzip"}),
            (200, gzipped[:-9], {"Content_Encoding": "gzip"}),
            (200, gzipped[:12] + b"\xff" + gzipped[13:], {"Content_Encoding": "gzip"}),
            (200, gzipped + b"x", {"Content_Encoding": "gzip"}),
            (200, gzip.compress(b"") * 101 + gzipped, {"Content_Encoding": "gzip"}),
            (200, zlib.compress(NO) + b"x", {"Content_Encoding": "deflate"}),
            (200, zlib.compress(NO)[:-1], {"Content_Encoding": "deflate"}),
            (200, gzip.compress(gzip.compress(gzip.compress(gzipped))), {"Content_Encoding": "gzip,gzip,gzip,gzip"}),
            (200, gzip.compress(gzipped), {"Content_Encoding": "gzip"}),
            (200, b"nothing", {"Content_Encoding": "utf-8"}),
            (200, b"\x89PNG\0\0", {}),
            (202, b"", {}),
            (206, NO, {}),
            (200, NO, {"Content_Range": "bytes 0-26/100"}),
        ]:
            error = self.fails(lambda h: h.send(status, body, **headers))
            self.assertIsInstance(error, urllib.error.URLError, (status, body, headers))

    def test_encodings(self):
        """Those that Go reads; test_no_text has those that it does not."""
        gzipped = gzip.compress(NO)
        large = b"User-agent: *\nDisallow: /a\n" + b"#" * 5_000_000
        for status, body, encoding in [
            (200, NO, "utf-8"),
            (200, NO, " UTF-8 ,none,identity"),
            (200, b"", "utf-8"),
            (200, b"", "gzip"),
            (200, b"", "deflate"),
            (200, gzipped, "gzip"),
            (200, gzipped, "X-GZIP, utf-8"),
            (200, gzip.compress(NO[:20]) + gzip.compress(NO[20:]), "gzip"),
            (200, gzip.compress(gzip.compress(gzipped)), "gzip, gzip, gzip"),
            (200, zlib.compress(NO), "deflate"),
            (200, zlib.compress(NO)[2:-4], "deflate"),
            (200, gzip.compress(zlib.compress(NO)), "deflate, gzip"),
            (200, gzip.compress(NO.decode().encode("utf-16")), "gzip"),
            (200, gzip.compress(large), "gzip"),
            (202, NO, "identity"),
            (204, b"", "identity"),
        ]:
            parser = self.read(lambda h: h.send(status, body, Content_Encoding=encoding))
            want = [False, True] if body else [True, True]
            self.assertEqual([parser.can_fetch("Bot", url) for url in ("/a", "/b")], want, (body[:40], encoding))

    def test_not_utf8(self):
        latin = b"# \xfc\n" + NO
        self.assertIs(self.read(lambda h: h.send(200, latin)).can_fetch("Bot", "/a"), False)
        odd = "\ufeffUser-agent: *\nDisallow: /a".encode("utf-16-le")
        for body in (odd + b"\n", odd + b"\x3d\xd8"):  # half a character behind the last pattern
            self.assertIs(self.read(lambda h: h.send(200, body)).can_fetch("Bot", "/a"), False)
        for encoding in ("utf-16", "utf-8-sig"):
            parser = self.read(lambda h: h.send(200, NO.decode().encode(encoding)))
            self.assertEqual([parser.can_fetch("Bot", url) for url in ("/a", "/b")], [False, True], encoding)

    def test_size(self):
        """The rest of a large file is ignored, with the line that the limit cuts."""
        self.assertEqual(RobotFileParser.max_bytes, 512_000)
        for size in (512_000, 1_000):
            for more, rest, want in [(0, b"", False), (0, b"\nDisallow: /e\n", False), (1, b"\nDisallow: /e\n", True)]:
                line = b"Disallow: /bcd"
                body = b"User-agent: *\n#" + b"x" * (size - 15 - 1 - len(line) + more) + b"\n" + line
                self.assertEqual(len(body), size + more)
                parser = RobotFileParser(self.url)
                parser.max_bytes = size
                for sent, encoding in [(body + rest, None), (gzip.compress(body + rest), "gzip"), (gzip.compress(body + rest, 0), "gzip")]:
                    self.read(lambda h: h.send(200, sent, Content_Encoding=encoding), parser=parser)
                    self.assertEqual([parser.can_fetch("Bot", url) for url in ("/bcd", "/bc", "/e")], [want, True, True], (size, more, rest, encoding))
        bomb = gzip.compress(NO + b"\n" * 50_000_000, 1)
        tracemalloc.start()
        try:
            parser = self.read(lambda h: h.send(200, bomb, Content_Encoding="gzip"))
            self.assertLess(tracemalloc.get_traced_memory()[1], 10_000_000)
        finally:
            tracemalloc.stop()
        self.assertIs(parser.can_fetch("Bot", "/a"), False)

    def test_installed_opener(self):
        """What a program gave to install_opener is used, as urllib.robotparser does."""
        opener = urllib.request.build_opener()
        opener.addheaders = [("User-Agent", "ExampleBot/1.0")]
        urllib.request.install_opener(opener)
        try:
            only_mine = lambda h: h.send(200, NO) if h.headers["User-Agent"] == "ExampleBot/1.0" else h.send(403)
            self.assertEqual(self.both(only_mine), [[False, True]] * 2)
            self.assertEqual(self.both(only_mine), [[False, True]] * 2)
        finally:
            urllib.request.install_opener(None)

    def test_time(self):
        urllib.request.install_opener(None)
        for _ in range(2):  # the second time, urllib has an opener
            self.time()
            urllib.request.urlopen("data:,").close()

    def time(self):
        ended = threading.Event()

        def slowly(h):
            h.send(200, Content_Length="100000")
            while not ended.wait(0.01):
                h.wfile.write(b"#")

        def again(each, first=b""):
            """Returns an answer that sends something again and again: no wait for it is long."""

            def answer(h):
                h.wfile.write(first)
                while not ended.wait(0.01):
                    h.wfile.write(each)

            return answer

        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        try:
            for answer in (
                lambda h: ended.wait(20),
                slowly,
                again(b"#", b"HTTP/1.1 200 OK\r\n\r\n"),  # a body that ends with its connection
                again(b"1"),  # in the status line
                again(b"x", b"HTTP/1.1 200 OK\r\n"),  # in a header
                again(b"HTTP/1.1 100 Continue\r\n\r\n"),
                again(b"0", chunked),  # in the size of a chunk
                again(b"x: y\r\n", chunked + b"0\r\n"),  # headers at the end
            ):
                parser = RobotFileParser(self.url)
                parser.timeout = 0.1
                start = time.monotonic()
                self.assertIsInstance(self.fails(answer, parser), TimeoutError if answer is not slowly else OSError)
                self.assertLess(time.monotonic() - start, 10)
        finally:
            ended.set()
