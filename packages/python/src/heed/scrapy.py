"""A downloader middleware that obeys robots.txt, in place of Scrapy's own one. If a robots.txt cannot be read, nothing is allowed.

The settings of a project that use it:

    ROBOTSTXT_OBEY = True
    DOWNLOADER_MIDDLEWARES = {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "heed.scrapy.RobotsTxtMiddleware": 595,
    }
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from typing import Any, Optional

from scrapy import signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Headers, Request, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.python.failure import Failure

from ._fetched import MAX_BYTES, NoRobotsTxt, Rules, most_bytes, text_of

__all__ = ["RobotsTxtMiddleware"]

logger = logging.getLogger(__name__)

_RAW = "heed_robotstxt"  # the key in Request.meta of a dict, where _downloaded puts the response as the server sent it


class RobotsTxtMiddleware:
    """Ignores requests that a robots.txt disallows, and all requests to an origin whose robots.txt cannot be read.

    Statuses are read as in RFC 9309: 400 to 499, except 429, allow everything. 429, 500 to 599, failures of the network,
    too many redirects, and a body that is no robots.txt, such as a damaged one, allow nothing. Scrapy retries the request for
    robots.txt, and follows its redirects, by the same settings as for any request.
    """

    MAX_AGE = 24 * 60 * 60.0
    """For how many seconds a robots.txt is used; RFC 9309 allows 24 hours."""

    FAILURE_AGE = 10 * 60.0
    """For how many seconds nothing is allowed after a failure. The next request after this time fetches the robots.txt again."""

    MAX_ORIGINS = 1000
    """How many origins' robots.txt files are kept: those that were used last."""

    def __init__(self, crawler: Any) -> None:
        settings = crawler.settings
        if not settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured("the setting ROBOTSTXT_OBEY is not True: no robots.txt is obeyed")
        Rules(b"")  # raises an error if the library cannot be loaded
        self._crawler = crawler
        self._agent = settings.get("ROBOTSTXT_USER_AGENT")
        self._usual_agent = Headers(settings.get("DEFAULT_REQUEST_HEADERS") or {}).get("User-Agent")
        self._answers: OrderedDict[str, _Answer] = OrderedDict()  # by origin; the one that was used last is at the end
        self._has_explained = False
        crawler.signals.connect(self._downloaded, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Any) -> RobotsTxtMiddleware:
        return cls(crawler)

    def process_request(self, request: Request, spider: Any = None) -> Optional[Deferred]:
        """Decides about a request. The result is None if it is allowed, otherwise the error IgnoreRequest with the reason."""
        if request.meta.get("dont_obey_robotstxt") or request.url.startswith(("data:", "file:")):
            return None
        origin = _origin(request)
        return self._answer(origin).addCallback(self._decide, request, origin)

    def _decide(self, answer: _Answer, request: Request, origin: str) -> None:
        if answer.rules is None:
            self._refuse(request, f"nothing is allowed at {origin}, since its robots.txt cannot be read: {answer.why}")
        agent = self._agent or self._sent(request)
        policy = answer.rules.policy(agent)
        decision = policy.check(policy.requested(request.url))
        if decision.allowed:
            return
        if decision.line:
            self._refuse(request, f"line {decision.line} of {origin}/robots.txt")
        if decision.reason == "invalid-agent":
            why = (
                f"invalid-agent: there is no name of a crawler in the User-Agent {agent!a:.200}, so nothing is allowed; "
                'set ROBOTSTXT_USER_AGENT to the name of your crawler, such as "ExampleBot"'
            )
            if not self._has_explained:
                self._has_explained = True
                logger.error("%s: %s", origin, why)
            self._refuse(request, why)
        self._refuse(request, decision.reason)

    def _refuse(self, request: Request, why: str) -> None:
        logger.debug("Forbidden by robots.txt: %s: %s", request, why)
        self._crawler.stats.inc_value("robotstxt/forbidden")
        raise IgnoreRequest(f"Forbidden by robots.txt: {why}")

    def _sent(self, request: Request) -> Any:
        """Returns the User-Agent that a request will be sent with. A later middleware may set it, from the same settings."""
        of_spider = getattr(self._crawler.spider, "user_agent", None) or self._crawler.settings.get("USER_AGENT")
        return request.headers.get("User-Agent") or self._usual_agent or of_spider or ""

    def _answer(self, origin: str) -> Deferred:
        """Returns the answer of an origin. Its robots.txt is fetched if there is no answer, or if it is too old."""
        answer = self._answers.get(origin)
        if answer is None or not answer.holds(time.time()):
            answer = self._answers[origin] = _Answer()
            fetched = maybeDeferred(self._fetch, origin)
            fetched.addErrback(self._failed, origin).addBoth(answer.end)
        self._answers.move_to_end(origin)
        while len(self._answers) > self.MAX_ORIGINS:  # requests that wait for a dropped answer still get it
            self._answers.popitem(last=False)
        return answer.ended()

    def _fetch(self, origin: str) -> Deferred:
        """Fetches a robots.txt. The result has its Rules, and for how many seconds they are used."""
        self._crawler.stats.inc_value("robotstxt/request_count")
        raw: dict[str, _Sent] = {}
        request = Request(
            f"{origin}/robots.txt",
            headers={"Accept-Encoding": "gzip, deflate"},  # what text_of decodes
            meta={
                "dont_obey_robotstxt": True,
                "dont_cache": True,  # an older copy must not be used: MAX_AGE begins now
                "allow_offsite": True,  # a redirect may lead to another host
                "download_fail_on_dataloss": True,
                _RAW: raw,
            },
            priority=1000,
            callback=NO_CALLBACK,
        )
        return self._crawler.engine.download(request).addCallback(lambda response: self._read(raw.get("last") or _Sent(response)))

    def _downloaded(self, response: Response, request: Request, spider: Any = None) -> None:
        """Keeps what the server sent. Scrapy would decompress a damaged body as far as it can, without an error."""
        if _RAW in request.meta:
            request.meta[_RAW]["last"] = _Sent(response)

    def _read(self, sent: _Sent) -> tuple[Rules, float]:
        status = sent.status
        self._crawler.stats.inc_value("robotstxt/response_count")
        self._crawler.stats.inc_value(f"robotstxt/response_status_count/{status}")
        if 400 <= status <= 499 and status != 429:
            return Rules(b""), self.MAX_AGE
        if not 200 <= status <= 299:
            raise NoRobotsTxt(f"status {status}")
        if sent.is_cut:
            raise NoRobotsTxt("the end of the body is missing")
        return Rules(text_of(206 if sent.is_part else status, sent.encodings, sent.body, MAX_BYTES)), self.MAX_AGE

    def _failed(self, failure: Failure, origin: str) -> tuple[str, float]:
        error = failure.value
        why = f"{error}" if isinstance(error, NoRobotsTxt) else f"{type(error).__name__}: {error}"
        why = why[:300].encode("unicode_escape").decode()  # safe to print: a part may be from a server
        self._crawler.stats.inc_value(f"robotstxt/exception_count/{failure.type}")
        logger.warning("Nothing is allowed at %s for %d s, since its robots.txt cannot be read: %s", origin, self.FAILURE_AGE, why)
        return why, self.FAILURE_AGE


class _Sent:
    """The parts of a response that are needed. They are copied, since Scrapy changes the headers later."""

    def __init__(self, response: Response) -> None:
        self.status = response.status
        self.is_cut = not {"dataloss", "download_stopped"}.isdisjoint(response.flags)
        self.is_part = "Content-Range" in response.headers
        self.encodings = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1")
        self.body = response.body[: most_bytes(MAX_BYTES)]


class _Answer:
    """What the robots.txt of an origin says, or why it cannot be read."""

    def __init__(self) -> None:
        self.rules: Optional[Rules] = None
        self.why = ""
        self._waiting: Optional[list[Deferred]] = []  # who waits for this answer; None: it has come
        self._times = (0.0, 0.0)  # when the answer came, and for how many seconds it is used

    def holds(self, now: float) -> bool:
        came, age = self._times
        return self._waiting is not None or 0 <= now - came < age  # less than 0 if the clock was set back

    def ended(self) -> Deferred:
        """Returns a Deferred whose result is this answer, as soon as it has come."""
        waits: Deferred = Deferred()
        if self._waiting is None:
            waits.callback(self)
        else:
            self._waiting.append(waits)
        return waits

    def end(self, result: Any) -> None:
        """Sets the result of a retrieval, and calls back all who wait for it."""
        found, age = (result.getErrorMessage(), 0.0) if isinstance(result, Failure) else result
        if isinstance(found, Rules):
            self.rules = found
        else:
            self.why = found
        self._times = (time.time(), age)
        waiting, self._waiting = self._waiting, None
        for each in waiting or ():
            each.callback(self)


def _origin(request: Request) -> str:
    """Returns the scheme, host and port of a request. A robots.txt applies to these three, and not to a host in all schemes."""
    url = urlparse_cached(request)
    host, port = url.netloc.rpartition("@")[2], {"http": ":80", "https": ":443"}.get(url.scheme)
    return f"{url.scheme}://{host[: -len(port)] if port and host.endswith(port) else host}"
