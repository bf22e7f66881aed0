"""Calls the C library of Heed with ctypes. Nothing in this module is for users of the package."""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
from array import array
from ctypes import c_char_p, c_int, c_size_t, c_uint64, c_void_p
from typing import Any, Iterable, NamedTuple, Optional, Union

Text = Union[str, bytes, bytearray, memoryview]


class HeedError(Exception):
    """Heed cannot answer.

    All errors of this package are of this class, except TypeError for an argument of a wrong type.

    code: the number of the error in the C library (heed.h), which never changes; 0: the library cannot be loaded.
    message: what is wrong, on one line that is safe to print.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.message


class ClosedError(HeedError, ValueError):
    """A file or a policy was used after close()."""


class ArgumentError(HeedError, ValueError):
    """An argument has a value that is not allowed, such as an unknown dialect or a robots.txt of more than 256 MiB."""


class ForkedError(HeedError, RuntimeError):
    """This process was made by os.fork() after its parent had used Heed. Heed cannot work in such a process.

    Use the start method "spawn" or "forkserver" of multiprocessing, or call Heed for the first time in the child.
    """


_CLOSED, ARGUMENT, _TOO_LARGE, _FORKED = 1, 3, 4, 7  # of enum heed_code
_CLASSES = {_CLOSED: ClosedError, ARGUMENT: ArgumentError, _TOO_LARGE: ArgumentError, _FORKED: ForkedError}


class Decision(NamedTuple):
    """Whether a crawler may fetch a URL, and why. It is true if `allowed` is: `if policy.check(url):`."""

    allowed: bool
    """True: the crawler may fetch the URL."""

    line: int
    """The line of the rule that decided, counted from 1; 0: no rule decided."""

    reason: str
    """Why: one of heed.REASONS. These words never change."""

    def __bool__(self) -> bool:
        return self.allowed


REASONS = (
    "undecided",
    "rule",
    "no-rule-matched",
    "no-group",
    "robots-txt-itself",
    "unavailable",
    "unreachable",
    "restricted",
    "other-origin",
    "invalid-agent",
    "invalid-target",
    "ignores-everyone",
)
"""The reasons of decisions. The index is the number that heed_decision in heed.h has. Only these are returned by this package:

rule: a rule matched and decided. no-rule-matched: a group is for the crawler, but none of its rules matches; allowed.
no-group: no group is for the crawler; allowed. robots-txt-itself: /robots.txt is always allowed, in rfc9309 and draft2019. invalid-agent: no
product token is in the name of the crawler; disallowed. invalid-target: the URL is neither absolute nor a path that begins
with "/"; disallowed. ignores-everyone: there is no group for the crawler, and it does not follow the groups for "*"; allowed. The dialect google has no invalid-agent and
no invalid-target: there the rules decide about each text.
"""


class _Decisions(dict):  # type: ignore[type-arg]
    """A cache of Decisions, by the eight bytes of a heed_decision. Few of them are different, and making one takes long."""

    def __missing__(self, number: int) -> Decision:
        line, allowed, reason, _ = struct.unpack("=IBBH", struct.pack("=Q", number))
        decision = Decision(allowed == 1, line, REASONS[reason])
        if len(self) >= 50_000:  # only with a hostile file, or very many files
            self.clear()
        self[number] = decision
        return decision


DECISIONS = _Decisions()


class _Error(ctypes.Structure):
    _fields_ = [("code", c_int), ("message", ctypes.c_char * 500)]


class _Text(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]


# The types of arguments: a handle, a text with its length, several texts with their lengths, a result, an error.
_HANDLE, _TEXT, _TEXTS = [c_uint64], [c_char_p, c_size_t], [c_char_p, c_size_t, c_void_p, c_size_t]
_RESULT, _ERROR = [c_void_p], [c_void_p]

_NAME = "libheed.dylib" if sys.platform == "darwin" else "libheed.so"


class Library:
    """The functions of the C library."""

    def __init__(self) -> None:
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), _NAME)
        try:
            library = ctypes.CDLL(path)  # other threads of Python run during a call
        except OSError as error:
            raise HeedError(0, f"the library cannot be loaded; the installed package has it, the sources have not: {error}") from error
        holding = ctypes.PyDLL(path, handle=library._handle)  # other threads wait: for calls that are shorter than a switch between threads

        self.parse = _function(library, "heed_parse", _TEXT + _TEXT + _RESULT + _ERROR)
        self.agent = _function(library, "heed_agent", _HANDLE + _TEXTS + _RESULT + _ERROR)
        self.check = _function(library, "heed_check", _HANDLE + _TEXT + _RESULT + _ERROR)
        self.check_short = _function(holding, "heed_check", _HANDLE + _TEXT + _RESULT + _ERROR)
        self.check_all = _function(library, "heed_check_all", _HANDLE + _TEXTS + _RESULT + _ERROR)
        self.requested = _function(library, "heed_requested", _HANDLE + _TEXT + _RESULT + _ERROR)
        self.refusal = _function(library, "heed_refusal", [c_int] + _TEXT + _TEXT + _RESULT + _ERROR)
        self.explain = _function(library, "heed_explain", _HANDLE + _TEXT + _RESULT + _ERROR)
        self.usage = _function(library, "heed_usage", _HANDLE + _TEXT + _TEXT + _RESULT + _ERROR)
        self.show = _function(library, "heed_show", _HANDLE + _RESULT + _ERROR)
        self.crawl_delay = _function(library, "heed_crawl_delay", _HANDLE + _RESULT + _ERROR)
        self.sitemaps = _function(library, "heed_sitemaps", _HANDLE + _RESULT + _ERROR)
        self.lint = _function(library, "heed_lint", _TEXT + _RESULT + _ERROR)
        self.diff = _function(library, "heed_diff", _HANDLE + _HANDLE + _TEXTS + _RESULT + _ERROR)
        self.crawlers = _function(library, "heed_crawlers", _RESULT + _ERROR)
        self.close = _function(holding, "heed_close", _HANDLE + _ERROR)
        self.free = _function(holding, "heed_free", [c_void_p])


def _function(library: ctypes.CDLL, name: str, arguments: list[Any]) -> Any:
    function = library[name]  # each time a new object, with argument types of its own
    function.argtypes = arguments
    return function


_loaded: Optional[Library] = None


def library() -> Library:
    """Returns the library. The first call loads it; before that, a process can be forked.

    It does no harm if two threads load it at the same time: the system loads it once.
    """
    global _loaded
    if _loaded is None:
        _loaded = Library()
    return _loaded


def call(function: Any, *arguments: Any) -> None:
    """Calls a function of the library, and raises its error."""
    error = _Error()
    if function(*arguments, ctypes.byref(error)) != 0:
        message = error.message.decode()
        if error.code == _FORKED:
            message += '; give multiprocessing the start method "spawn" or "forkserver"'
        raise _CLASSES.get(error.code, HeedError)(error.code, message)


def made(function: Any, *arguments: Any) -> int:
    """Calls a function that makes a file or a policy, and returns its handle."""
    handle = c_uint64()
    call(function, *arguments, ctypes.byref(handle))
    return handle.value


def answer(function: Any, *arguments: Any) -> Any:
    """Calls a function that answers with JSON, and returns its value."""
    return json.loads(written(function, *arguments))


def written(function: Any, *arguments: Any) -> bytes:
    """Calls a function that answers with a text, and returns its bytes."""
    text = _Text()
    call(function, *arguments, ctypes.byref(text))
    try:
        return ctypes.string_at(text.data, text.length)
    finally:
        library().free(ctypes.byref(text))


def as_bytes(text: Text, what: str) -> bytes:
    """Returns the bytes of a text.

    A str is encoded in UTF-8. A lone surrogate that os.fsdecode made from a byte becomes that byte again; any other
    lone surrogate becomes U+FFFD. Methods of subclasses are not called: with a wrong length from one of them,
    the library would read beyond the end of the text.
    """
    if type(text) is bytes:
        return text
    if isinstance(text, str):
        try:
            return str.encode(text, "utf-8", "surrogateescape")
        except UnicodeEncodeError:
            return "".join(map(_without_surrogate, str.__iter__(text))).encode("utf-8", "surrogateescape")
    if isinstance(text, (bytes, bytearray, memoryview)):
        return memoryview(text).tobytes()
    raise TypeError(f"{what} is of type {type(text).__name__}; expected str or bytes")


def _without_surrogate(character: str) -> str:
    is_byte = "\udc80" <= character <= "\udcff"
    return "\ufffd" if "\ud800" <= character <= "\udfff" and not is_byte else character


def several(texts: Iterable[Text], expected: str) -> list[Text]:
    """Returns texts as a list. One text is an error, though Python could read it as a list of its letters. expected is for this error."""
    if isinstance(texts, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"one {type(texts).__name__}; expected {expected}")
    return list(texts)


_SIZES = "Q" if ctypes.sizeof(c_size_t) == 8 else "I"


class Texts:
    """Several texts in the form that the library reads: joined without separators, and their lengths."""

    def __init__(self, texts: Iterable[Text], what: str) -> None:
        each = several(texts, f"a list in which {what} is str or bytes")
        joined = "".join(each) if set(map(type, each)) <= {str} else "\ufffd"  # subclasses may return a wrong length
        if joined.isascii():  # each character is one byte, so nothing must be encoded one by one
            self._bytes = joined.encode()
        else:
            each = [as_bytes(text, what) for text in each]
            self._bytes = b"".join(each)
        self._lengths = array(_SIZES, map(len, each))
        self.count = len(each)
        # The arguments for the library. They are valid as long as this object exists.
        self.arguments = (self._bytes, len(self._bytes), self._lengths.buffer_info()[0], self.count)
