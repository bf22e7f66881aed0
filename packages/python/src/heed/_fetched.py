"""What a response to a request for robots.txt contains: for heed.robotparser and heed.scrapy. Nothing of it is for users."""

from __future__ import annotations

import codecs
import functools
import zlib
from typing import Any

from . import File
from ._library import as_bytes, library, written

MAX_BYTES = 500 * 1024
"""So much of a robots.txt is read. A line that the limit cuts is ignored, and all after it, as RFC 9309 allows."""

_MAX_ENCODINGS = 3  # servers encode a body once, and a proxy perhaps again
_MAX_PARTS = 100  # of one gzip file; each of them is copied with what follows


class NoRobotsTxt(ValueError):
    """A body is no robots.txt. The message says why."""


class Rules:
    """A robots.txt, with the policies that were asked. It is never changed, but replaced, since other threads may use it."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        keep = functools.lru_cache(100)  # of each, for so many crawlers
        policy = keep(File(body).agent)
        self.policy = policy
        self.sheet = keep(lambda useragent: policy(useragent).show())

    def __reduce__(self) -> Any:
        return Rules, (self.body,)


def most_bytes(limit: int) -> int:
    """Returns how many bytes of a compressed body are used, if limit bytes of its text are."""
    return 2 * limit + 1024


def text_of(status: int, encodings: str, body: bytes, limit: int) -> bytes:
    """Returns the robots.txt of a response with a status of 200 to 299, in UTF-8, or raises NoRobotsTxt.

    status: that of the response; 206 also if it has a Content-Range.
    encodings: its Content-Encoding.
    body: more than limit bytes, if it has more.
    """
    body, others = _decoded(body, encodings, limit)
    is_cut = len(body) > limit
    text = _utf8(body[: limit + 1])
    names = as_bytes(others, "the encodings")
    why = written(library().refusal, status, names, len(names), text, len(text)).decode()
    if why:
        raise NoRobotsTxt(why)
    return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1] if is_cut else text


def _decoded(body: bytes, encodings: str, limit: int) -> tuple[bytes, str]:
    """Returns what a body contains, and those of its encodings that Python cannot decode."""
    names = [name.strip().lower() for name in encodings.split(",")]
    if sum(name in _DECODERS for name in names) > _MAX_ENCODINGS:
        raise NoRobotsTxt(f"the body is encoded as {encodings!a:.100}, more than {_MAX_ENCODINGS} times")
    for name in reversed(names):
        if name in _DECODERS:
            try:
                body = _DECODERS[name](body[: most_bytes(limit)], most_bytes(limit))
            except zlib.error as error:
                raise NoRobotsTxt(f"the body cannot be decoded as {name}: {error}") from error
    return body, ",".join(name for name in names if name not in _DECODERS)


def _gzip(body: bytes, most: int) -> bytes:
    """Decompresses a gzip file, which may have several parts."""
    text = b""
    for _ in range(_MAX_PARTS):
        if not body or len(text) >= most:
            return text
        part, body = _inflated(body, 31, most - len(text))
        text += part
    raise NoRobotsTxt("the compressed body has too many parts")


def _deflate(body: bytes, most: int) -> bytes:
    """Decompresses both forms that servers send as "deflate": with the header of zlib, as the standard says, and without."""
    if not body:
        return b""
    has_header = body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    text, rest = _inflated(body, 15 if has_header else -15, most)
    if rest:
        raise NoRobotsTxt("the compressed body has bytes after its end")
    return text


def _inflated(body: bytes, kind: int, most: int) -> tuple[bytes, bytes]:
    """Returns at most so many bytes of what the first part of compressed data contains, and the data behind that part."""
    part = zlib.decompressobj(kind)
    text = part.decompress(body, most)
    if len(text) < most and not part.eof:
        raise NoRobotsTxt("the end of the compressed body is missing")
    return text, part.unused_data


_DECODERS = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "zlib": _deflate}


def _utf8(body: bytes) -> bytes:
    """Returns a body in UTF-8. An incomplete character at the end of UTF-16 is dropped: it would belong to the last pattern."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return codecs.getincrementaldecoder("utf-16")("replace").decode(body).encode()
    return body
