"""Answers the questions of internal/testing/caserun. It gives all texts to heed as bytes."""

import sys

import heed


def main() -> None:
    lines, answers, file = sys.stdin.buffer, [], None
    for header in lines:
        kind, *numbers = header.split()
        numbers = [int(number) for number in numbers]
        if kind == b"F":
            dialect, body = texts(lines, numbers)
            file = heed.parse(body, dialect.decode() or "rfc9309")
        else:
            *tokens, url = texts(lines, numbers[1:])
            answers.append(answer(file, tokens, url))
    sys.stdout.write("".join(answers))


def texts(lines, lengths):
    """Returns texts of the given lengths, and skips the line end after them."""
    found = [lines.read(length) for length in lengths]
    lines.readline()
    return found


def answer(file: heed.File, tokens, url: bytes) -> str:
    try:
        policy = file.agent(*tokens)
        one, (same,) = policy.check(url), policy.check_all([url])
    except heed.HeedError as error:
        return f"error {error}\n"
    if one != same:
        return f"error check and check_all differ: {one} {same}\n"
    return f"{one.allowed:d} {one.line}\n"


main()
