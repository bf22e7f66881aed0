"""The package, and hostile inputs."""

import copy
import inspect
import json
import os
import pickle
import subprocess
import sys
import typing
import unittest

import heed
import heed.robotparser

BODY = "User-agent: *\nDisallow: /cart\n\nUser-agent: a-news\nDisallow: /\n\nUser-agent: a\nAllow: /\n"


class Answers(unittest.TestCase):
    def test_decision(self):
        policy = heed.parse(BODY).agent("ExampleBot")
        no, yes = policy.check("https://www.example.com/cart"), policy.check("https://www.example.com/")
        self.assertEqual(no, heed.Decision(False, 2, "rule"))
        self.assertEqual(yes, heed.Decision(True, 0, "no-rule-matched"))
        self.assertFalse(no)  # its truth is that it is allowed
        self.assertTrue(yes)
        self.assertEqual(pickle.loads(pickle.dumps(no)), no)

    def test_requested(self):
        """R-24."""
        policy = heed.parse(b"User-agent: *\nDisallow: /cart\nDisallow: /\xffb\n").agent("b")
        for url, want in [
            ("/ca\trt", "/cart"), ("https://example.com\\cart\n", "https://example.com/cart"), ("/a\t", "/a\t"), ("\ufeff/cart", "\ufeff/cart"),
            (b"/\xff\tb", "/\udcffb"), ("cart", "cart"), ("", ""),
        ]:
            self.assertEqual(policy.requested(url), want)
        self.assertFalse(policy.check(policy.requested(b"/\xff\tb")))
        self.assertRaises(TypeError, policy.requested, 1)

    def test_reasons(self):
        for agent, url, want in [
            ("b", "/cart", "rule"),
            ("b", "/robots.txt", "robots-txt-itself"),
            ("b", "cart", "invalid-target"),
            ("", "/", "invalid-agent"),
            ("*", "/", "no-rule-matched"),
        ]:
            self.assertEqual(heed.parse(BODY).agent(agent).check(url).reason, want, (agent, url))
        self.assertEqual(heed.parse("").agent("b").check("/"), heed.Decision(True, 0, "no-group"))

    def test_agents(self):
        file = heed.parse(BODY)
        for tokens, want in [((), 2), (("a",), 8), (("a-news", "a"), 5), (("none", b"A"), 8), (("A/2.0",), 8), (("*",), 2)]:
            self.assertEqual(file.agent(*tokens).check("/cart").line, want, tokens)

    def test_all_is_one_after_the_other(self):
        policy = heed.parse(BODY + "Disallow: /\u00fc\n").agent("a")
        lists = [
            [],
            ["/"],
            ["/cart", "", "/x" * 9000, "/\0"],
            ["/cart", "/\u00fc", "/%C3%BC", "\U0001f600"],
            ["/cart", b"/cart", bytearray(b"/\xc3\xbc"), memoryview(b"/"), "/\udcc3\udcbc"],
        ]
        for urls in lists:
            self.assertEqual(policy.check_all(urls), [policy.check(url) for url in urls])
        self.assertEqual(policy.check_all(iter(["/\u00fc"])), [heed.Decision(False, 9, "rule")])
        self.assertEqual(policy.check_all(("/" for _ in range(3))), policy.check_all(["/"] * 3))

    def test_many_different_decisions(self):
        file = heed.parse("User-agent: *\n" + "".join(f"Disallow: /{i}$\n" for i in range(60_000)), "google")
        lines = [decision.line for decision in file.agent().check_all([f"/{i}" for i in range(60_000)])]
        self.assertEqual(lines, list(range(2, 60_002)))

    def test_dialects(self):
        body = "User-agent: *\nDisallow: /*.pdf\n"
        self.assertFalse(heed.parse(body).agent().check("/a.pdf"))
        self.assertFalse(heed.parse(body, dialect="google").agent().check("/a.pdf"))
        self.assertTrue(heed.parse(body, "standard1994").agent().check("/a.pdf"))

    def test_json(self):
        file = heed.parse(BODY)
        policy = file.agent("ExampleBot")
        explained = policy.explain("/cart")
        self.assertEqual((explained["url"], explained["agents"], len(explained["dialects"])), ("/cart", ["ExampleBot"], 5))
        self.assertEqual(policy.show()["crawlers"][0]["rules"][0]["pattern"], "/cart")
        self.assertIn("missing-colon", [f["code"] for f in heed.lint("User-agent: *\nDisallow /\n")])
        other = heed.parse("")
        found = heed.diff(file, other, ["a-news:a", b"b"])["crawlers"]
        self.assertEqual([c["changes"][0]["witness"] for c in found], ["/", "/cart"])
        self.assertEqual(heed.diff(file, heed.parse(BODY))["result"], "equal")
        (mj,) = [c for c in heed.crawlers() if c["token"] == "MJ12bot"]  # the members of "heed crawlers --format json", and agent
        self.assertEqual((mj["read_as"], mj["agent"], sorted(mj["source"])[0]), ("MJ", "MJ", "by"))

    def test_repr(self):
        file = heed.parse("User-agent: *\n", "google")
        self.assertEqual(repr(file), "<heed.File 14 bytes, google>")
        self.assertEqual(repr(file.agent()), "<heed.Policy for '*': 14 bytes, google>")
        policy = file.agent("a\n", b"b" * 1000)
        self.assertRegex(repr(policy), r"^<heed.Policy for 'a\\n', b'b{1,20}\.\.\.b{1,20}': 14 bytes, google>$")
        policy.close()
        self.assertEqual(repr(policy), "<heed.Policy closed>")


class Usage(unittest.TestCase):
    def test_usage(self):
        policy = heed.parse("User-agent: *\nContent-Usage: train-ai=n\nDisallow: /cart\n").agent("ExampleBot")
        answer = policy.usage("https://example.com/x")
        self.assertEqual(list(answer["usage"]), ["train-ai", "search", "ai-use"])
        by = [{"carrier": "content-usage", "line": 2, "text": "Content-Usage: train-ai=n"}]
        self.assertEqual(answer["usage"]["train-ai"], {"preference": "disallowed", "by": by, "ignored": []})
        self.assertEqual(policy.usage("/cart", ["search"])["usage"]["search"]["preference"], "not-crawlable")
        for headers in [{"X-Robots-Tag": "noindex"}, {"x-robots-tag": ["noai", "noindex"]}, [("X-Robots-Tag", "noai"), ("X-Robots-Tag", "noindex")]]:
            self.assertEqual(policy.usage("/x", headers=headers)["usage"]["search"]["preference"], "disallowed")
        for wrong in [{"purposes": ["train"]}, {"profile": "eu"}, {"tdmrep": {}}]:
            self.assertRaises(heed.ArgumentError, policy.usage, "/x", **wrong)
        self.assertRaises(heed.ArgumentError, policy.usage, "mailto:someone")

    @unittest.skipUnless("HEED_USES" in os.environ, "the cases are not here")
    def test_cases(self):
        """AI-1 to AI-17: the cases of conformance/usage."""
        cases, folder = 0, os.environ["HEED_USES"]
        for name in os.listdir(folder):
            if not name.endswith(".jsonl"):
                continue
            with open(os.path.join(folder, name), encoding="utf-8") as lines:
                for line in lines:
                    case = json.loads(line)
                    agent = case["agent"]
                    policy = heed.parse(case["robots"], case.get("dialect", "rfc9309")).agent(*([agent] if isinstance(agent, str) else agent))
                    more = {each: case[each] for each in ("profile", "headers", "html", "tdmrep") if each in case}
                    answer = policy.usage(case["url"], list(case["usage"]), **more)
                    for purpose, want in case["usage"].items():
                        self.assertEqual(answer["usage"][purpose]["preference"], want, case["id"])
                    cases += 1
        self.assertGreater(cases, 100)


class Hints(unittest.TestCase):
    def test_all_have_them(self):
        """Types can be read in every version of Python, and each public thing has a text."""
        things = [getattr(heed, name) for name in heed.__all__ if name != "REASONS"]
        for kind in (heed.File, heed.Policy, heed.robotparser.RobotFileParser):
            things += [kind, *(each for name, each in vars(kind).items() if inspect.isfunction(each) and not name.startswith("_"))]
        for thing in things:
            self.assertTrue(thing.__doc__, thing)
            if inspect.isfunction(thing):
                self.assertIn("return", typing.get_type_hints(thing))
                self.assertNotIn(" | ", str(inspect.signature(thing)), "Python 3.9 has no | of types")


class Errors(unittest.TestCase):
    def test_classes(self):
        with self.assertRaises(heed.ArgumentError) as raised:
            heed.parse("", "x")
        error = raised.exception
        self.assertIsInstance(error, heed.HeedError)
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.code, str(error)), (3, error.message))
        self.assertIn('the dialect "x" is unknown; expected one of', error.message)
        same = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(same), same.code, same.message), (heed.ArgumentError, 3, error.message))
        self.assertEqual(repr(error).partition("(")[0], "ArgumentError")
        self.assertEqual(type(error).__module__, "heed")

    def test_types(self):
        file = heed.parse("")
        policy = file.agent("a")
        for call in [
            lambda: heed.parse(None),
            lambda: heed.parse(3),
            lambda: heed.parse("", None),
            lambda: heed.lint(["a"]),
            lambda: file.agent(None),
            lambda: file.agent([["a"]]),
            lambda: policy.check(None),
            lambda: policy.check_all("/one"),
            lambda: policy.check_all(b"/one"),
            lambda: policy.check_all(["/", None]),
            lambda: policy.check_all(None),
            lambda: policy.explain(1.5),
            lambda: heed.diff(file, "text"),
            lambda: heed.diff(policy, file),
            lambda: heed.diff(file, file, "a"),
            lambda: heed.diff(file, file, None),
            lambda: policy.usage("/", b"search"),
            lambda: heed.diff(file, file, [None]),
        ]:
            with self.assertRaises(TypeError):
                call()
        with self.assertRaisesRegex(TypeError, "a URL is of type int; expected str or bytes"):
            policy.check(3)
        with self.assertRaisesRegex(TypeError, r'one str; expected a list of purposes, such as \["train-ai"\]'):
            policy.usage("/", "train-ai")

    def test_subclasses(self):
        """Those of str and bytes are read as what they are, whatever their methods return."""

        class Bytes(bytes):
            def __len__(self):
                return 1 << 20

            def __bytes__(self):
                return b"/"

        class Str(str):
            def encode(self, *_):
                return b"/"

            def __iter__(self):
                return iter("/")

            def __len__(self):
                return 0

            def __hash__(self):
                return 0

            def __eq__(self, _):
                return True

        class Longer(Str):
            def __len__(self):
                return str.__len__(self) + 1

        class Shorter(Str):
            def __len__(self):
                return str.__len__(self) - 1

        class Tokens(list):
            def __len__(self):
                return 1

        policy = heed.parse(Bytes(BODY.encode())).agent(Bytes(b"ExampleBot"))
        for url in (Bytes(b"/cart"), Str("/cart"), Str("/cart\ud800")):
            for others in ([], [b"/"], ["/"], [Str("/")]):
                got = [policy.check(url), *policy.check_all([url, *others])]
                self.assertEqual(got[:2], [heed.Decision(False, 2, "rule")] * 2, (url, others))
        self.assertEqual([decision.line for decision in policy.check_all([Shorter("/cart"), Longer("/x")])], [2, 0])
        changes = heed.diff(heed.parse(BODY), heed.parse(""), [Str("a-news"), Str("b")])["crawlers"]
        self.assertEqual([change["agent"] for change in changes], ["a-news", "b"])
        self.assertRaises(heed.ArgumentError, heed.parse(BODY).agent, Tokens())  # it has none
        parser = heed.robotparser.RobotFileParser()
        parser.parse(BODY + "Crawl-delay: 3\n")
        self.assertEqual([parser.can_fetch(Str(name), "/x") for name in ("a", "a-news", "b")], [True, False, True])
        self.assertEqual([parser.crawl_delay(Str(name)) for name in ("b", "a")], [None, 3])

    def test_values(self):
        file = heed.parse("")
        for call in [
            lambda: heed.parse("", "rfc9309\0"),
            lambda: heed.diff(file, file, ["a::b"]),
            lambda: heed.diff(file, file, ["@nobody"]),
            lambda: heed.parse(bytes(257 << 20)),
            lambda: heed.lint(bytes(257 << 20)),
        ]:
            with self.assertRaises(heed.ArgumentError):
                call()

    def test_closed(self):
        file = heed.parse(BODY)
        policy = file.agent("a")
        file.close()
        file.close()
        self.assertEqual(policy.check("/cart").line, 8)  # it does not need its file
        policy.close()
        policy.close()
        for call in [
            lambda: file.agent("a"),
            lambda: heed.diff(file, heed.parse("")),
            lambda: policy.check("/"),
            lambda: policy.check("/" * 10_000),
            lambda: policy.check_all(["/"]),
            lambda: policy.check_all([]),
            lambda: policy.requested("/"),
            lambda: policy.explain("/"),
            lambda: policy.show(),
            lambda: policy.crawl_delay(),
            lambda: file.sitemaps(),
        ]:
            with self.assertRaisesRegex(heed.ClosedError, "closed"):
                call()

    def test_with(self):
        with heed.parse(BODY) as file, file.agent("a") as policy:
            self.assertEqual(policy.check("/cart").line, 8)
        self.assertRaises(heed.ClosedError, file.agent, "a")
        self.assertRaises(heed.ClosedError, policy.check, "/")

    def test_no_copies(self):
        file = heed.parse("")
        for thing in (file, file.agent("a")):
            for call in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                    call(thing)

    def test_failed_construction(self):
        """Nothing is printed when what could not be made is collected."""
        program = "import heed\nfor make in (heed.File, heed.Policy, lambda: heed.parse('', 'x')):\n try: make()\n except (TypeError, ValueError): print(1)"
        done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.stdout, "1\n" * 3)


class Records(unittest.TestCase):
    def test_records(self):
        body = b"User-agent: a\nCrawl-delay: 2.5\nCrawl-delay: 1\nAllow: /\nUser-agent: *\nCrawl-delay: 0\n"
        file = heed.parse(body + b"Sitemap: https://a.example/1\nSitemap: /2\nSitemap: https://a.example/\xff\xc2\x85\n")
        self.assertEqual(file.sitemaps(), ["https://a.example/1", "https://a.example/\udcff\x85"])
        self.assertEqual(heed.parse("").sitemaps(), [])
        delays = [file.agent("a").crawl_delay(), file.agent("other").crawl_delay(), heed.parse("").agent("a").crawl_delay()]
        self.assertEqual(delays, [2.5, 0, None])
        self.assertIsNone(heed.parse(body, "google").agent("a").crawl_delay())

    def test_lists_of_tokens(self):
        file = heed.parse("User-agent: news\nDisallow: /\n")
        for tokens in ([["other", b"news"]], [("news",)], ["other", ["news"]]):
            self.assertFalse(file.agent(*tokens).check("/"), tokens)
        for known in heed.crawlers():
            file.agent(known["agent"]).close()
        self.assertRaises(heed.ArgumentError, file.agent, [])
        self.assertRaises(TypeError, file.agent, ["a", None])


class Hostile(unittest.TestCase):
    def test_any_bytes(self):
        every = bytes(range(256))
        body = b"User-agent: *\nDisallow: /\xff\0b\n" + every
        policy = heed.parse(body).agent(b"Example\0Bot", every)
        decisions = policy.check_all([every, b"/\xff\0b", b"\0", b"", b"/" + every, "/\0"])
        self.assertEqual([d.reason for d in decisions[:1]], ["invalid-agent"])
        policy = heed.parse(body).agent("ExampleBot")
        self.assertEqual(policy.check(b"/\xff\0b"), heed.Decision(False, 2, "rule"))
        self.assertEqual(policy.check(b"/\xff"), heed.Decision(True, 0, "no-rule-matched"))  # the NUL does not end it
        self.assertIsInstance(policy.explain(b"/\xff\0b"), dict)
        self.assertIsInstance(policy.show(), dict)
        self.assertIsInstance(heed.lint(body), list)
        self.assertIsInstance(heed.diff(heed.parse(body), heed.parse(every)), dict)

    def test_surrogates(self):
        policy = heed.parse(b"User-agent: *\nDisallow: /\xff$\nDisallow: /\xef\xbf\xbd$\n").agent()
        self.assertEqual(policy.check(os.fsdecode(b"/\xff")).line, 2)
        for lone in ("\ud800", "\udfff", "\udc7f", "\udd00"):  # no byte has these
            self.assertEqual(policy.check("/" + lone).line, 3, ascii(lone))
        self.assertEqual([d.line for d in policy.check_all(["/\udcff", "/\ud800", "/\ud800\udc00", "/\udcff\ud800"])], [2, 3, 0, 0])
        file = heed.parse("User-agent: *\nDisallow: /\udcff\ud800\n")
        self.assertEqual(file.agent("\ud800").check("/").reason, "invalid-agent")
        self.assertEqual(file.agent("a").check(b"/\xff\xef\xbf\xbd").line, 2)
        self.assertIsInstance(heed.lint("\ud800"), list)

    def test_one_bad_url_changes_nothing_for_others(self):
        bad = ["", "\ud800", "\0", "cart", b"\xff", "https:", "https://[", "http://x:99999999/", "%", "/%zz", "\n" * 100, "a" * 1_000_000]
        policy = heed.parse(BODY).agent("b")
        for url in bad:
            got = policy.check_all(["/cart", url, "/"])
            self.assertEqual((got[0].line, got[2].reason), (2, "no-rule-matched"), ascii(url[:20]))
        self.assertEqual(policy.check("https:"), heed.Decision(False, 0, "invalid-target"))

    def test_large(self):
        size = 100_000_000 if os.environ.get("HEED_WHOLE") else 20_000_000
        line = b"Disallow: /0123456789abcdefghijklmnopqrstuvwxyz\n"
        for body in (b"User-agent: *\n" + line * (size // len(line)), bytes(size), b"a" * size):
            with heed.parse(body) as file, file.agent("a") as policy:
                self.assertTrue(policy.check("/"))
        policy = heed.parse("User-agent: *\nDisallow: /*a*a*a*b\n").agent()
        self.assertTrue(policy.check("/" + "a" * 1_000_000))
