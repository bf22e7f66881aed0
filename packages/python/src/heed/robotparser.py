"""RobotFileParser with the interface of urllib.robotparser, and the verdicts of RFC 9309.

    from heed.robotparser import RobotFileParser  # in place of urllib.robotparser
"""

from __future__ import annotations

import contextlib
import copy
import functools
import http.client
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Iterable, Optional, Union
from urllib.robotparser import RequestRate

from ._library import as_bytes
from ._fetched import MAX_BYTES, Rules, most_bytes, text_of

__all__ = ["RequestRate", "RobotFileParser"]


class RobotFileParser:
    """Reads a robots.txt, and says what a crawler may fetch. README.md lists the differences from urllib.robotparser.

    The main ones: the longest matching rule decides, and not the first; "*" and "$" have a meaning in rules; all groups
    of a crawler apply together; a name in a group is a whole product token. A robots.txt that cannot be read allows nothing.
    Objects can be pickled and copied, and used by several threads.
    """

    timeout = 30.0
    """How many seconds read() may take for a connection, and how many in all. Set it on an object or a subclass."""

    max_bytes = MAX_BYTES
    """How many bytes read() reads. A line that the limit cuts, and all lines after it, are ignored, as RFC 9309 allows."""

    def __init__(self, url: str = "") -> None:
        """url: the URL of the robots.txt, for read()."""
        self.disallow_all = False
        self.allow_all = False
        self.last_checked: float = 0
        self._rules: Optional[Rules] = None  # None: nothing was read
        self.set_url(url)

    def set_url(self, url: str) -> None:
        """Sets the URL of the robots.txt, for read()."""
        self.url = url
        self.host, self.path = urllib.parse.urlparse(url)[1:3]

    def mtime(self) -> float:
        """Returns the time of the last call of parse() or modified(), in seconds since 1970, or 0."""
        return self.last_checked

    def modified(self) -> None:
        """Sets the time that mtime() returns to now."""
        self.last_checked = time.time()

    def read(self) -> None:
        """Fetches the robots.txt and parses it. What it had read before is forgotten.

        Status 401, 403, 429 and 500 to 599: everything is disallowed. Other statuses from 400 to 499: everything
        is allowed. A failure of the network, a timeout, and a body that is no robots.txt, such as one that is still
        compressed, raise an OSError, usually an urllib.error.URLError; then nothing is allowed. A wrong url raises a ValueError.
        """
        self.disallow_all = self.allow_all = False
        self._rules = None
        self.last_checked = 0
        request = urllib.request.Request(self.url)
        try:
            with _Limit(self.timeout) as limit, limit.opener().open(request, timeout=self.timeout) as response:
                body = _body(response, self.max_bytes)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code in (401, 403):
                self.disallow_all = True
            elif 400 <= error.code < 500 and error.code != 429:
                self.allow_all = True
        except (http.client.HTTPException, ValueError) as error:  # ValueError: the server redirects to a wrong URL
            raise urllib.error.URLError(error) from error
        else:
            self.parse(body)

    def parse(self, lines: Union[Iterable[Union[str, bytes]], str, bytes]) -> None:
        """Parses the lines of a robots.txt, with or without line ends, or its whole text. It replaces the robots.txt that was parsed before."""
        if not isinstance(lines, (str, bytes)):
            lines = b"\n".join(as_bytes(line, "a line").rstrip(b"\r\n") for line in lines)
        self._rules = Rules(as_bytes(lines, "the robots.txt"))
        self.modified()

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Reports whether a crawler may fetch a URL. Before read() or parse() it may not.

        useragent: its product token or its User-Agent header; "*": a crawler without a group.
        url: an absolute URL, or a path that begins with "/"; nothing else may be fetched. If browsers would request the URL in
        another form, both forms must be allowed: see Policy.requested.
        """
        if self.disallow_all:
            return False
        if self.allow_all:
            return True
        rules = self._rules
        if rules is None:
            return False
        policy = rules.policy(as_bytes(useragent, "the crawler"))
        return policy.check(policy.requested(url)).allowed

    def crawl_delay(self, useragent: str) -> Union[int, float, None]:
        """Returns the longest Crawl-delay for a crawler, in seconds; None: there is none."""
        delay = self._of(useragent).get("crawl_delay")
        return delay and delay["seconds"]

    def request_rate(self, useragent: str) -> Optional[RequestRate]:
        """Returns the lowest Request-rate for a crawler; None: there is none."""
        found = [each["record"] for each in self._of(useragent).get("records", ()) if each["name"] == "Request-rate" and "record" in each]
        if not found:
            return None
        lowest = min(found, key=lambda each: each["requests"] / each["seconds"])
        return RequestRate(lowest["requests"], lowest["seconds"])

    def site_maps(self) -> Optional[list[str]]:
        """Returns the URLs of the Sitemap lines; None: there are none."""
        rules = self._rules
        return (rules and [each["value"] for each in rules.sheet("*")["sitemaps"]]) or None

    def _of(self, useragent: str) -> dict[str, Any]:
        """Returns what the robots.txt says to a crawler, as Policy.show does; nothing before it was read."""
        rules = self._rules
        return rules.sheet(as_bytes(useragent, "the crawler"))["crawlers"][0] if rules else {}

    def __str__(self) -> str:
        """Returns the robots.txt, as it was parsed."""
        return self._rules.body.decode("utf-8", "replace") if self._rules else ""


class _Limit:
    """Ends all connections of a read() after some time. The timeout of a socket is not enough: it begins again with each byte."""

    def __init__(self, seconds: float) -> None:
        self._connections: list[socket.socket] = []
        self._is_over = False
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def opener(self) -> urllib.request.OpenerDirector:
        """Returns a copy of the opener that urlopen would use. The copy adds its connections to this limit."""
        known = getattr(urllib.request, "_opener", None) or urllib.request.build_opener()
        opener = urllib.request.OpenerDirector()
        opener.addheaders = known.addheaders
        for each in known.handlers:
            handler = copy.copy(each)
            if hasattr(handler, "do_open"):
                handler.do_open = functools.partial(self._do_open, handler.do_open)
            opener.add_handler(handler)
        return opener

    def _do_open(self, do_open: Any, connection_class: Any, *arguments: Any, **named: Any) -> Any:
        """Calls do_open of a handler, and adds the connection that it makes to this limit."""

        def connection(*arguments: Any, **named: Any) -> Any:
            made = connection_class(*arguments, **named)
            connect = made.connect
            made.connect = lambda: (connect(), self._add(made.sock))
            return made

        return do_open(connection, *arguments, **named)

    def _add(self, connection: socket.socket) -> None:
        self._connections.append(connection)
        if self._is_over:
            self._end()

    def _end(self) -> None:
        self._is_over = True
        for connection in self._connections:
            with contextlib.suppress(OSError):  # it is closed already
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> _Limit:
        self._timer.start()
        return self

    def __exit__(self, kind: Any, error: Any, _: Any) -> None:
        self._timer.cancel()
        if self._is_over:  # also without an error: a body without a length ends with its connection
            raise TimeoutError("the robots.txt takes too long") from error


def _body(response: Any, limit: int) -> bytes:
    """Returns at most limit bytes of the robots.txt in a response. If the end of the body is missing, that is an error."""
    encodings = ",".join(response.headers.get_all("Content-Encoding", ()))
    most = most_bytes(limit) if encodings else limit + 1
    body = bytearray()
    while len(body) < most:
        part = response.read1(most - len(body))
        if not part:
            missing = getattr(response, "length", None)  # None: the length is not known, or the body is in chunks
            if missing:
                raise http.client.IncompleteRead(bytes(body), missing)
            break
        body += part
    status = 206 if "Content-Range" in response.headers else getattr(response, "status", None) or 200
    return text_of(status, encodings, bytes(body), limit)
