"""Writes the URLs of a list that a crawler may fetch, with robots.txt files in a folder.

python3 filter.py urllib|protego FOLDER LIST CRAWLER

It parses the file of each host once.
"""

import pathlib
import sys
from urllib.parse import urlsplit
from urllib.robotparser import RobotFileParser

name, folder, urls, agent = sys.argv[1:]


def with_urllib(text):
    parser = RobotFileParser()
    parser.parse(text.splitlines())
    return lambda url: parser.can_fetch(agent, url)


def with_protego(text):
    from protego import Protego

    parser = Protego.parse(text)
    return lambda url: parser.can_fetch(url, agent)


parse = {"urllib": with_urllib, "protego": with_protego}[name]
if name == "protego":
    import protego  # noqa: F401, fails here, before the work, if it is not installed

rules = {}
with open(urls, encoding="utf-8") as lines:
    for line in lines:
        url = line.rstrip("\n")
        host = urlsplit(url).netloc
        can_fetch = rules.get(host)
        if can_fetch is None:
            body = pathlib.Path(folder, host + ".txt").read_bytes()
            can_fetch = rules[host] = parse(body.decode("utf-8-sig", "replace"))
        if can_fetch(url):
            sys.stdout.write(line)
