"""robots.txt, decided as RFC 9309 and four other dialects say.

    >>> import heed
    >>> file = heed.parse("User-agent: *\\nDisallow: /cart\\n")
    >>> policy = file.agent("ExampleBot")
    >>> policy.check("https://www.example.com/cart")
    Decision(allowed=False, line=2, reason='rule')

parse returns a File. Its method agent returns a Policy: what the file says to one crawler. A Policy decides about URLs.

Texts are str or bytes (also bytearray and memoryview), and may have any characters and bytes. check disallows a text that is no
URL, and raises no exception; explain and usage raise an ArgumentError. The dialect "google" has no such texts: it reads each one as a name, or as a URL with a
path, as Google's parser does, and allows it if no rule disallows it. In a str, a lone surrogate that os.fsdecode made from a
byte is read as that byte; other lone surrogates are read as U+FFFD.

Threads: all functions and methods may be called from several threads at the same time, also on the same object.

Fork: if a program has called Heed and then calls os.fork(), the child cannot use Heed: each call raises a ForkedError. Only
importing heed is no such call.
"""

from __future__ import annotations

import json
import reprlib
from array import array
from ctypes import byref, c_double, c_uint64
from typing import Any, Iterable, Mapping, Optional, Sequence, Tuple, Union

from ._library import (
    ARGUMENT,
    DECISIONS,
    REASONS,
    ArgumentError,
    ClosedError,
    Decision,
    ForkedError,
    HeedError,
    Text,
    Texts,
    answer,
    as_bytes,
    call,
    library,
    made,
    several,
    written,
)

__all__ = [
    "ArgumentError",
    "ClosedError",
    "Decision",
    "File",
    "ForkedError",
    "HeedError",
    "Policy",
    "REASONS",
    "crawlers",
    "diff",
    "lint",
    "parse",
]

for _class in (ArgumentError, ClosedError, Decision, ForkedError, HeedError):
    _class.__module__ = __name__  # messages name them as users do, such as heed.ClosedError

# For URLs up to this length, in bytes, the lock of the interpreter is not released during a decision: if other threads wait for
# the lock, releasing it costs more than the decision. A hostile file makes such a decision take at most about 2 ms.
_SHORT = 8192


class _Object:
    """What a File and a Policy have in common: a handle of the library."""

    __slots__ = ("_handle", "_library", "_about", "__weakref__")

    def __repr__(self) -> str:
        return f"<heed.{type(self).__name__} {self._about}>"

    def close(self) -> None:
        """Frees the memory immediately. Without close(), it is freed when nothing refers to the object any more.

        Any later use raises a ClosedError, except a second close(), which does nothing. A call in another thread
        that is in progress still finishes.
        """
        self._library.close(self._handle, None)  # the error of an object that is closed already is ignored
        self._about = "closed"

    def __del__(self) -> None:
        if hasattr(self, "_handle"):  # without a handle, __init__ has failed
            self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a heed.{type(self).__name__} cannot be copied or pickled; parse the robots.txt again instead")


def _each(token: Union[Text, Sequence[Text]]) -> Sequence[Text]:
    """Returns the product tokens of a list, or a single one as a list."""
    if not isinstance(token, (list, tuple)):
        return [token]  # type: ignore[list-item]
    tokens = list(token)  # a copy: the list of a subclass may have other members each time
    if not tokens:
        raise ArgumentError(ARGUMENT, "the list of product tokens is empty")
    return tokens


class File(_Object):
    """A parsed robots.txt; heed.parse makes it.

    `with heed.parse(body) as file:` closes it at the end. Its policies can still be used then.
    """

    __slots__ = ()

    def __init__(self, body: Text, dialect: str = "rfc9309") -> None:
        body, name = as_bytes(body, "the robots.txt"), as_bytes(dialect, "the dialect")
        self._library = library()
        self._handle = made(self._library.parse, body, len(body), name, len(name))
        self._about = f"{len(body)} bytes, {name.decode()}"

    def agent(self, *tokens: Union[Text, Sequence[Text]]) -> Policy:
        """Returns the policy for a crawler, named by its product tokens, the most specific first.

        Most crawlers have one token. In a User-Agent header, or a text such as "ExampleBot/1.0", the token is found. A token is read
        up to the first character that no name can have: "bad!" as "bad". Without tokens, and for "*", the policy is for a crawler
        without a group. If a text has no token in it, such as "", the policy disallows everything. The dialect "google" uses each text
        as it is, also a header. A list is the same as its members. Keep the policy: making it takes longer than a decision.
        """
        return Policy(self, [token for each in tokens for token in _each(each)])

    def sitemaps(self) -> list[str]:
        """Returns the URLs of the Sitemap lines. What is not an absolute URL is left out.

        Bytes that are not UTF-8 are lone surrogates, as os.fsdecode makes them.
        """
        return written(self._library.sitemaps, self._handle).decode("utf-8", "surrogateescape").split("\n")[:-1]

    def __enter__(self) -> File:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Policy(_Object):
    """What a robots.txt says to one crawler; File.agent makes it."""

    __slots__ = ()

    def __init__(self, file: File, tokens: Iterable[Text]) -> None:
        names = list(tokens)
        texts = Texts(names, "a product token")
        self._library = file._library
        self._handle = made(self._library.agent, file._handle, *texts.arguments)
        self._about = f"for {', '.join(map(reprlib.repr, names)) or repr('*')}: {file._about}"

    def check(self, url: Text) -> Decision:
        """Decides about a URL: an absolute one, or a path, with its query, that begins with "/".

        Any other text is disallowed, but in the dialect "google" the rules decide about it too. The text "//a.example/b" is a
        path. The scheme, host and port of an absolute URL are not checked.
        The host of the URL is not compared with anything: use the policy of the robots.txt of its origin.
        """
        data = as_bytes(url, "a URL")
        lib = self._library
        check = lib.check_short if len(data) <= _SHORT else lib.check
        decision = c_uint64()
        if check(self._handle, data, len(data), byref(decision), None) != 0:
            call(check, self._handle, data, len(data), byref(decision))  # again, for the message
        return DECISIONS[decision.value]

    def check_all(self, urls: Iterable[Text]) -> list[Decision]:
        """Decides about many URLs, and returns the decisions in the same order. This is about six times as fast as check.

        A str or bytes value never raises an exception, whatever is in it. If one value is of another type, there is a TypeError
        and no decision.
        """
        texts = Texts(urls, "a URL")
        numbers = array("Q", bytes(8 * texts.count))
        call(self._library.check_all, self._handle, *texts.arguments, numbers.buffer_info()[0])
        return [DECISIONS[number] for number in numbers]

    def requested(self, url: Text) -> str:
        """Returns the form of a URL to check before it is requested: `policy.check(policy.requested(url))`.

        Programs request some URLs in two forms. Browsers remove tabs and line ends, and white space at the end, and read a
        backslash before the first "?" or "#" as "/"; other programs request the URL as it is written. The result is the URL as
        it is written, or the form of browsers if only that form is disallowed. So a request in either form is allowed if
        the result is. Bytes that are not UTF-8 are lone surrogates, as os.fsdecode makes them.
        """
        data = as_bytes(url, "a URL")
        return written(self._library.requested, self._handle, data, len(data)).decode("utf-8", "surrogateescape")

    def explain(self, url: Text) -> dict[str, Any]:
        """Returns all steps of a decision about a URL, in every dialect: the JSON of "heed explain".

        If check returns the reason "invalid-agent" or "invalid-target", there are no steps: then it raises an ArgumentError. The
        dialect "google" has neither reason.
        """
        data = as_bytes(url, "a URL")
        return answer(self._library.explain, self._handle, data, len(data))

    def usage(
        self,
        url: Text,
        purposes: Sequence[str] = (),
        profile: str = "all",
        headers: Union[Mapping[str, Union[str, Sequence[str]]], Iterable[Tuple[str, str]]] = (),
        html: str = "",
        tdmrep: Any = None,
    ) -> dict[str, Any]:
        """Returns the decision about a URL, and what the page may be used for, by the robots.txt and by the other arguments.

        purposes is a list of some of "train-ai", "search" and "ai-use"; an empty list means all of them. profile says which kinds of statements
        are read: "all", "ietf", "signals" or "eu-art4". headers are those of the response, html is the start of the page (64 KiB
        are read), tdmrep is the content of /.well-known/tdmrep.json, parsed. answer["usage"]["train-ai"]["preference"] is "allowed", "disallowed",
        "unknown" or "not-crawlable". If nothing is found about a purpose, it is "unknown", which is no permission.
        """
        lists: dict[str, list[str]] = {}
        for name, value in headers.items() if isinstance(headers, Mapping) else headers:
            lists.setdefault(name, []).extend([value] if isinstance(value, str) else value)
        question: dict[str, Any] = {"profile": profile, "headers": lists, "html": html}
        if purposes:
            question["for"] = several(purposes, 'a list of purposes, such as ["train-ai"]')
        if tdmrep is not None:
            question["tdmrep"] = tdmrep
        data, asked = as_bytes(url, "a URL"), json.dumps(question).encode()
        return answer(self._library.usage, self._handle, data, len(data), asked, len(asked))

    def crawl_delay(self) -> Optional[float]:
        """Returns the longest Crawl-delay for the crawler, in seconds, or None. The Google dialect has no crawl delays."""
        seconds = c_double()
        call(self._library.crawl_delay, self._handle, byref(seconds))
        return seconds.value if seconds.value >= 0 else None

    def show(self) -> dict[str, Any]:
        """Returns all that the file says to the crawler: the JSON of "heed show"."""
        return answer(self._library.show, self._handle)

    def __enter__(self) -> Policy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def parse(body: Text, dialect: str = "rfc9309") -> File:
    """Parses a robots.txt. Any text can be parsed; only an unknown dialect, or more than 256 MiB, is an error.

    dialect: "rfc9309", "google", "draft2019", "draft1996" or "standard1994".
    Give the whole text: a dialect reads as much of it as it should.
    """
    return File(body, dialect)


def lint(body: Text) -> list[dict[str, Any]]:
    """Returns what is wrong with a robots.txt: the JSON of "heed lint", a list of findings."""
    data = as_bytes(body, "the robots.txt")
    return answer(library().lint, data, len(data))


def diff(older: File, newer: File, crawlers: Iterable[Text] = ()) -> dict[str, Any]:
    """Returns which URLs two files decide in different ways: the JSON of "heed diff".

    crawlers: a list. Each member is a product token, or several with colons between them, the most specific first. Without
    crawlers, Heed compares the files for all crawlers: the member "crawlers" of the answer is about each crawler that a file
    names, and about "*", which is every crawler that neither file names. "purposes" lists the known crawlers that are affected.
    """
    for file in (older, newer):
        if not isinstance(file, File):
            raise TypeError(f"a file of type {type(file).__name__}; expected heed.File, which heed.parse makes")
    texts = Texts(crawlers, "a crawler")
    return answer(library().diff, older._handle, newer._handle, *texts.arguments)


def crawlers() -> list[dict[str, Any]]:
    """Returns the table of known crawlers: the JSON of "heed crawlers", a list.

    Each also has an "agent": the product tokens whose groups it follows, for File.agent; "*" if no group can name it.
    """
    return answer(library().crawlers)
