"""Threads, forks and memory."""

import gc
import inspect
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import unittest

import heed

BODY = b"User-agent: *\n" + b"".join(b"Disallow: /%d/*/private\n" % i for i in range(40))


def check(url: str) -> bool:
    """Is called in other processes."""
    return heed.parse("User-agent: *\nDisallow: /cart\n").agent("a").check(url).allowed


class Threads(unittest.TestCase):
    def test_ten_threads_and_closing(self):
        """Each answer is right, or the object is closed."""
        files = [heed.parse("User-agent: *\n" + "\n" * i + "Disallow: /cart\n") for i in range(20)]
        policies = [file.agent("a") for file in files]
        urls = ["/cart", "/"] * 20
        wrong, closed, ended = [], set(), threading.Event()

        def ask():
            last = False
            while not last:
                last = ended.is_set()
                for i, policy in enumerate(policies):
                    try:
                        got = {d.line for d in policy.check_all(urls)} | {policy.check("/cart").line, policy.check("/").line}
                        if got != {0, i + 2}:
                            wrong.append(got)
                    except heed.ClosedError:
                        closed.add(i)

        threads = [threading.Thread(target=ask) for _ in range(10)]
        for thread in threads:
            thread.start()
        for policy in policies[::2]:
            time.sleep(0.01)
            policy.close()
        ended.set()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(closed, set(range(0, 20, 2)))

    def test_other_threads_run_meanwhile(self):
        """Calls that can take long release the lock of the interpreter, which nothing else does here. A short one keeps it."""
        ticks, ended = [], threading.Event()

        def tick():
            while not ended.wait(0.001):
                ticks.append(1)

        thread = threading.Thread(target=tick)
        thread.start()
        interval = sys.getswitchinterval()
        sys.setswitchinterval(60)
        try:
            file, other = heed.parse(BODY), heed.parse("")
            policy = file.agent("a")
            for call, releases in [
                (lambda: heed.parse(BODY), True),
                (lambda: file.agent("a"), True),
                (lambda: policy.check("/" * 10_000), True),
                (lambda: policy.check("/" * 1_000), False),
                (lambda: policy.check_all(["/"] * 100), True),
                (lambda: policy.explain("/"), True),
                (lambda: policy.show(), True),
                (lambda: heed.lint(BODY), True),
                (lambda: heed.diff(file, other), True),
                (lambda: heed.crawlers(), True),
            ]:
                time.sleep(0.002)
                before, start = len(ticks), time.perf_counter()
                while time.perf_counter() < start + (10 if releases else 0.05) and len(ticks) == before:
                    call()
                self.assertEqual(len(ticks) > before, releases, inspect.getsource(call))
        finally:
            sys.setswitchinterval(interval)
            ended.set()
            thread.join()


@unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
class Fork(unittest.TestCase):
    def run_program(self, program: str) -> str:
        done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_child_of_a_user_gets_a_clear_error(self):
        out = self.run_program(
            "import heed, os, sys\n"
            "file = heed.parse('')\n"
            "policy = file.agent('a')\n"
            "if os.fork() == 0:\n"
            "    for call in (lambda: heed.parse(''), lambda: file.agent('a'), lambda: policy.check('/'), lambda: policy.check_all(['/']),\n"
            "                 lambda: policy.show(), lambda: heed.lint(''), heed.crawlers):\n"
            "        try:\n"
            "            call()\n"
            "        except heed.ForkedError as error:\n"
            "            print(isinstance(error, RuntimeError), error)\n"
            "    policy.close()\n"
            "    del file\n"
            "    sys.exit()\n"
            "status = os.wait()[1]\n"
            "print('parent', status, policy.check('/').allowed)\n"
        )
        self.assertEqual(out.count("True this process was made by fork"), 7, out)
        self.assertTrue(out.endswith("parent 0 True\n"), out)

    def test_child_of_an_importer_works(self):
        out = self.run_program(
            "import heed, heed.robotparser, os, sys\n"
            "parser = heed.robotparser.RobotFileParser('https://www.example.com/robots.txt')\n"
            "for _ in range(2):\n"
            "    if os.fork() == 0:\n"
            "        parser.parse([])\n"
            "        print(parser.can_fetch('a', '/'), heed.parse('').agent('a').check('/').allowed)\n"
            "        sys.exit()\n"
            "    os.wait()\n"
        )
        self.assertEqual(out, "True True\n" * 2)

    def test_start_methods(self):
        check("/")
        with multiprocessing.get_context("fork").Pool(1) as pool:
            self.assertRaisesRegex(heed.ForkedError, "spawn", pool.map, check, ["/"])
        for method in ("spawn", "forkserver"):
            with multiprocessing.get_context(method).Pool(1) as pool:
                self.assertEqual(pool.map(check, ["/cart", "/"]), [False, True], method)


@unittest.skipUnless(sys.platform == "linux", "reads /proc")
class Memory(unittest.TestCase):
    def test_flat(self):
        turns = 1_000_000 if os.environ.get("HEED_WHOLE") else 50_000

        def run(count):
            for i in range(count):
                policy = heed.parse(BODY).agent("a")
                policy.check("/")
                if i % 10 == 0:
                    policy.check_all(["/", "/1/2/private"])
                    policy.show(), policy.explain("/1/2/private")
                if i % 2:
                    policy.close()  # and else when nothing refers to it

        run(5_000)
        gc.disable()  # the collector of Python is not needed
        try:
            before = resident()
            run(turns)
            grown = resident() - before
        finally:
            gc.enable()
        self.assertLess(grown, 20 << 20)


def resident() -> int:
    with open("/proc/self/statm") as numbers:
        return int(numbers.read().split()[1]) * os.sysconf("SC_PAGESIZE")
