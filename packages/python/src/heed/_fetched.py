"""Reads the robots.txt in a response, for heed.robotparser and heed.scrapy. Nothing in this module is for users."""

from __future__ import annotations

import codecs
import functools
import zlib
from typing import Any

from . import File
from ._library import as_bytes, library, written

MAX_BYTES = 500 * 1024
"""How many bytes of a robots.txt are read. A line that the limit cuts, and all lines after it, are ignored, as RFC 9309 allows."""

_MAX_ENCODINGS = 3  # servers encode a body once, and a proxy perhaps again
_MAX_PARTS = 100  # of a gzip file; limited because the rest of the file is copied for each part


class NoRobotsTxt(ValueError):
    """A body is no robots.txt. The message says why."""


class Rules:
    """A robots.txt, with a cache of policies. It is never changed, only replaced by another one, since other threads may use it."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        keep = functools.lru_cache(100)  # for up to 100 crawlers
        policy = keep(File(body).agent)
        self.policy = policy
        self.sheet = keep(lambda useragent: policy(useragent).show())

    def __reduce__(self) -> Any:
        return Rules, (self.body,)


def most_bytes(limit: int) -> int:
    """Returns how many bytes of a compressed body are read, if limit bytes of the text in it are wanted."""
    return 2 * limit + 1024


def text_of(status: int, encodings: str, body: bytes, limit: int) -> bytes:
    """Returns the robots.txt of a response with a status of 200 to 299, in UTF-8, or raises NoRobotsTxt.

    status: the status of the response, or 206 if it has a Content-Range.
    encodings: its Content-Encoding.
    body: its body; if that is longer than limit bytes, at least one byte more than limit.
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
    """Returns a body decompressed, and the encodings that cannot be decoded here."""
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
    """Decompresses the first part of some data, at most most bytes of it. Returns the text, and the data after that part."""
    part = zlib.decompressobj(kind)
    text = part.decompress(body, most)
    if len(text) < most and not part.eof:
        raise NoRobotsTxt("the end of the compressed body is missing")
    return text, part.unused_data


_DECODERS = {"gzip": _gzip, "x-gzip": _gzip, "deflate": _deflate, "zlib": _deflate}


def _utf8(body: bytes) -> bytes:
    """Returns a body in UTF-8. Half a character at the end of UTF-16 is dropped, or it would become a part of the last pattern."""
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return codecs.getincrementaldecoder("utf-16")("replace").decode(body).encode()
    return body
