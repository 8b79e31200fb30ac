"""What the command line takes, as its parsers say it: for tests of texts that name commands."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator, Mapping
from functools import cache

from tbprof.cli import main as command
from tbprof.experiment import ab, verify
from tbprof.hook.options import HookOptions
from tbprof.hook.run import parser as run_parser
from tbprof.preflight import bisect
from tbprof.preflight import command as preflight_command
from tbprof.preflight.fits import command as fits_command
from tbprof.preflight.fix import command as fix_command
from tbprof.preflight.proof import command as proof_command

OTHER_PROGRAMS = frozenset(
    {".", "mypy", "pre-commit", "pip", "tensorboard", "python", "echo", "pytest", "zcat", "npm", "ruff"}
)
"""What a block of shell commands may begin with, besides `tbprof`."""

_FROM_HERE = ("uvx", "--from", ".")
"""Before a command that is not installed."""
_FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@cache
def commands() -> Mapping[str, frozenset[str]]:
    """By command, all of its options."""
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    for name in command._COMMANDS:
        command._add(name, subparsers)
    found = {name: _options(each) for name, each in subparsers.choices.items()}
    # These hand everything on to a module that needs torch.
    found["run"] = _options(run_parser(HookOptions))
    found["preflight"] = _options(preflight_command._parser())
    found["fits"] = _options(fits_command._parser())
    found["fix"] = _options(fix_command._parser())
    found["ab"] = _options(ab._parser())
    found["verify"] = _options(verify._parser())
    found["bisect"] = _options(bisect._parser())
    found["prove"] = _options(proof_command._parser())
    return found


def _options(parser: argparse.ArgumentParser) -> frozenset[str]:
    return frozenset(option for action in parser._actions for option in action.option_strings)


def options_of_all() -> frozenset[str]:
    return frozenset().union(*commands().values())


def code_blocks(markdown: str) -> Iterator[tuple[str, str]]:
    """The language of each fenced block, "" for a shell, and its lines."""
    yield from ((found[1], found[2]) for found in _FENCED.finditer(markdown))


def problems_of_line(line: str) -> list[str]:
    """What is wrong with a line of shell commands; options after `--` are another program's."""
    found = []
    for words in _programs(shlex.split(line, comments=True)):
        program, *rest = words[len(_FROM_HERE) :] if tuple(words[: len(_FROM_HERE)]) == _FROM_HERE else words
        if program != "tbprof":
            found += [] if program in OTHER_PROGRAMS else [f"{program} is no known program: {line}"]
            continue
        name = rest[0] if rest else ""
        if name not in commands():
            found.append(f"there is no command {name!r}: {line}")
            continue
        given = (
            word.partition("=")[0] for word in _own(name, rest[1:]) if word.startswith("-") and word != "-"
        )
        found += [
            f"tbprof {name} has no {option}: {line}" for option in given if option not in commands()[name]
        ]
    return found


def _programs(words: list[str]) -> Iterator[list[str]]:
    """The commands of one line, which `&&` and `|` part; what stands behind `>` is a file."""
    open_words: list[str] = []
    for word in [*words, "&&"]:
        if word in ("&&", "|"):
            yield open_words
            open_words = []
        else:
            open_words.append(word)


def _own(name: str, words: list[str]) -> list[str]:
    """Without what is given to the program that `run`, `preflight` or `check` starts."""
    if "--" in words:
        return words[: words.index("--")]
    script = next((at for at, word in enumerate(words) if word.endswith(".py")), len(words))
    return words[:script] if name == "run" else words
