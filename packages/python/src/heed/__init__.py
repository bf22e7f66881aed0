"""robots.txt, decided as RFC 9309 and four other dialects say.

    >>> import heed
    >>> file = heed.parse("User-agent: *\\nDisallow: /cart\\n")
    >>> policy = file.agent("ExampleBot")
    >>> policy.check("https://www.example.com/cart")
    Decision(allowed=False, line=2, reason='rule')

A file is parsed from a robots.txt. A policy is what a file says to one crawler. A policy is asked about URLs.

Texts are str or bytes (also bytearray and memoryview), and may have any characters and bytes: a URL that is none is
disallowed, it never raises an exception. In the dialect "google" it is not: there each text is a name of a crawler and has a
path, as for Google's parser, and is allowed if no rule disallows it. In a str, the lone surrogates that os.fsdecode makes are the bytes which they
are for; other lone surrogates are read as U+FFFD.

Threads: all functions and methods may be called from several threads, also about the same object.

Fork: a process that os.fork() makes after a call of Heed cannot use it, and gets a ForkedError. To import heed is no call.
"""

from __future__ import annotations

import json
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
    _class.__module__ = __name__  # as users write them, in messages too

# A decision takes longer than a switch between threads only if the URL is long: up to 8 KiB a hostile file makes
# about 2 ms of it. To release the lock of the interpreter for a shorter one costs more than the decision itself,
# if other threads wait for the lock.
_SHORT = 8192


class _Object:
    """What a File and a Policy have in common: a handle of the library."""

    __slots__ = ("_handle", "_library", "__weakref__")

    def close(self) -> None:
        """Gives the memory back at once. It is given back anyway when nothing refers to the object any more.

        Any later use raises a ClosedError, except a second close(), which does nothing. A call of another thread
        that is under way still finishes.
        """
        self._library.close(self._handle, None)  # that it is closed already is no error

    def __del__(self) -> None:
        if hasattr(self, "_handle"):  # else it could not be made
            self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"a heed.{type(self).__name__} cannot be copied or pickled; parse the robots.txt again instead")


def _each(token: Union[Text, Sequence[Text]]) -> Sequence[Text]:
    """Returns the product tokens of a list, or a single one as a list."""
    if not isinstance(token, (list, tuple)):
        return [token]  # type: ignore[list-item]
    tokens = list(token)  # once: subclasses may have another length, or other members the next time
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

    def agent(self, *tokens: Union[Text, Sequence[Text]]) -> Policy:
        """Returns the policy for a crawler, named by its product tokens, the most specific first.

        Most crawlers have one token. A User-Agent header or "ExampleBot/1.0" is read as the token in it. Without tokens, and
        for "*", the policy is for a crawler that no group names. If a token is none, such as "", the policy disallows
        everything. In the dialect "google" each token, also a header, is used as it is. A list is the same as its members. Keep the policy for many questions: to make it takes longer than to ask it.
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
        texts = Texts(tokens, "a product token")
        self._library = file._library
        self._handle = made(self._library.agent, file._handle, *texts.arguments)

    def check(self, url: Text) -> Decision:
        """Decides about a URL: an absolute one, or a path, with its query, that begins with "/".

        Any other text is disallowed, but in the dialect "google" the rules decide about it too.
        Which host the URL has is not looked at: ask the policy of the robots.txt of its origin.
        """
        data = as_bytes(url, "a URL")
        lib = self._library
        check = lib.check_short if len(data) <= _SHORT else lib.check
        decision = c_uint64()
        if check(self._handle, data, len(data), byref(decision), None) != 0:
            call(check, self._handle, data, len(data), byref(decision))  # again, for the message
        return DECISIONS[decision.value]

    def check_all(self, urls: Iterable[Text]) -> list[Decision]:
        """Decides about many URLs, in their order: for many this is about ten times as quick as check.

        A str or bytes value never raises an exception, whatever is in it; one of another type is a TypeError for all.
        """
        texts = Texts(urls, "a URL")
        numbers = array("Q", bytes(8 * texts.count))
        call(self._library.check_all, self._handle, *texts.arguments, numbers.buffer_info()[0])
        return [DECISIONS[number] for number in numbers]

    def requested(self, url: Text) -> str:
        """Returns the reading of a URL that decides about a request for it: `policy.check(policy.requested(url))`.

        Browsers remove tabs and line ends from a URL, and white space behind it, and read a backslash before the first "?"
        or "#" as "/"; other programs request it as it is written. It is the URL itself, or what browsers request if only
        that is disallowed. Bytes that are not UTF-8 are lone surrogates, as os.fsdecode makes them.
        """
        data = as_bytes(url, "a URL")
        return written(self._library.requested, self._handle, data, len(data)).decode("utf-8", "surrogateescape")

    def explain(self, url: Text) -> dict[str, Any]:
        """Returns all steps of a decision about a URL, in every dialect: the JSON of "heed explain".

        Where check has the reason "invalid-agent" or "invalid-target" there are no steps: it raises an ArgumentError. In the
        dialect "google" these reasons do not exist.
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
        """Returns the decision about a URL, and what the page may be used for: by the robots.txt, and by what is given beside it.

        purposes are "train-ai", "search" and "ai-use"; none: all of them. profile is whose statements count: "all", "ietf", "signals" or
        "eu-art4". headers are those of the response, html is the beginning of the page (64 KiB are read), tdmrep is what is in
        /.well-known/tdmrep.json, parsed. answer["usage"]["train-ai"]["preference"] is "allowed", "disallowed", "unknown" or
        "not-crawlable". A preference of which nothing is found is unknown, and no permission.
        """
        lists: dict[str, list[str]] = {}
        for name, value in headers.items() if isinstance(headers, Mapping) else headers:
            lists.setdefault(name, []).extend([value] if isinstance(value, str) else value)
        question: dict[str, Any] = {"profile": profile, "headers": lists, "html": html}
        if purposes:
            question["for"] = list(purposes)
        if tdmrep is not None:
            question["tdmrep"] = tdmrep
        data, asked = as_bytes(url, "a URL"), json.dumps(question).encode()
        return answer(self._library.usage, self._handle, data, len(data), asked, len(asked))

    def crawl_delay(self) -> Optional[float]:
        """Returns the longest Crawl-delay for the crawler, in seconds; None: there is none. The Google dialect has none."""
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
    """Parses a robots.txt. Every text is one, so the only errors are an unknown dialect and more than 256 MiB.

    dialect: "rfc9309", "google", "draft2019", "draft1996" or "standard1994".
    Give the whole text: a dialect reads as much of it as it should.
    """
    return File(body, dialect)


def lint(body: Text) -> dict[str, Any]:
    """Returns what is wrong with a robots.txt: a dict whose "findings" are like the JSON of "heed lint"."""
    data = as_bytes(body, "the robots.txt")
    return answer(library().lint, data, len(data))


def diff(older: File, newer: File, crawlers: Iterable[Text] = ()) -> dict[str, Any]:
    """Returns which URLs two files decide in different ways: the JSON of "heed diff".

    crawlers: each is a product token, or several with colons between them, the most specific first. Without any: all
    that one of the files names, and all others.
    """
    for file in (older, newer):
        if not isinstance(file, File):
            raise TypeError(f"a file of type {type(file).__name__}; expected heed.File, which heed.parse makes")
    texts = Texts(crawlers, "a crawler")
    return answer(library().diff, older._handle, newer._handle, *texts.arguments)


def crawlers() -> dict[str, Any]:
    """Returns the table of known crawlers: the JSON of "heed crawlers"."""
    return answer(library().crawlers)
