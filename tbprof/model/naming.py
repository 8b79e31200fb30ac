"""What a finding is called, and how a line asks not to be found."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterable

from tbprof.digests import sha256_hex


def fingerprint(rule: str, file: str, function: str, ops: tuple[str, ...], code: str = "") -> str:
    """A finding's name that outlives edits elsewhere in its file: 16 hex digits.

    Args:
        rule: Its code.
        file: As traces name it.
        function: What the line is in.
        ops: Innermost first.
        code: The text of the line; "" where it was not recorded. What a formatter changes doesn't count:
            blanks, the kind of quotes, a comment.
    """
    return _digest((rule, file, function, *ops, *([code_without_format(code)] if code else [])))


def code_without_format(code: str) -> str:
    """A line of a program as it stays when a formatter was at it: no text to show."""
    return "".join(_without_comment(code).split()).replace("'", '"')


def _without_comment(code: str) -> str:
    """A line of a program up to its comment; a `#` in a string begins none."""
    if "#" not in code:
        return code
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type == tokenize.COMMENT:
                return code[: token.start[1]]
            if token.type == tokenize.ERRORTOKEN:
                # A string that is open here. From Python 3.12 on it raises.
                break
    except (tokenize.TokenError, SyntaxError):
        # The line is a part of something longer, and what was read of it had no comment.
        return code
    return code


def disambiguated(fingerprints: Iterable[str]) -> tuple[str, ...]:
    """The same fingerprints with no two alike: the first keeps its own, the n-th has its number in it.

    Findings come in the order of their lines. Alike are two that stand in lines of the same text,
    or whose text is not known: they keep their names wherever their function moves to.
    """
    seen: Counter[str] = Counter()
    distinct = []
    for name in fingerprints:
        distinct.append(_digest((name, str(seen[name]))) if seen[name] else name)
        seen[name] += 1
    return tuple(distinct)


def _digest(parts: tuple[str, ...]) -> str:
    return sha256_hex("\0".join(parts).encode("utf-8", "surrogatepass"))[:16]


_SUPPRESSION = re.compile(r"#\s*tbprof:\s*ignore(?:\[(?P<codes>[\w\s,]*)\])?\s*(?P<reason>.*)")


def suppression(line: str, rule: str) -> str | None:
    """Why a line of a program asks a rule to be silent about it; None where it does not.

    The line ends in `# tbprof: ignore[SYN01] reason`, with several codes or, without brackets,
    for every rule. The reason may be empty.
    """
    found = _SUPPRESSION.search(line)
    if found is None:
        return None
    codes = found["codes"]
    if codes is not None and rule not in (code.strip() for code in codes.split(",")):
        return None
    return found["reason"].strip()
