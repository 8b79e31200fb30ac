"""Whether a program decides by what it read as soon as it has it."""

from __future__ import annotations

import pytest
from source_scene import known_training

from tbprof.model import Source, SourceText
from tbprof.rules.base.immediate_use import is_used_immediately

AT_ONCE = [
    "if x.item() > 3:\n    y = 1",
    "while not done.all():\n    step()",
    "assert torch.isfinite(loss)",
    "y = 1 if loss.item() > best else 2",
    "row = table[index.item()]",
    "for i in range(int(count)):\n    step()",
    "for value in losses.tolist():\n    step()",
    "mask = torch.zeros(lengths.max().item())",
    "kept = [box for box in boxes if box.score.item() > 0.5]",
    "value = loss.item()\nif value > best:\n    best = value",
    "count = int(mask.sum())\nrows = table[:count]",
]
LATER = [
    "running += loss.item()",
    "total += losses[index].item()",
    "if step % 50 == 0: log(loss.item())",
    "log(loss.item() if loss is not None else 0.0)",
    "for name, loss in losses.items():\n    total += loss.item()",
    "log(loss.item(), step)",
    "value = loss.item()\nlog(value)\nif value > best:\n    best = value",
    "history['loss'].append(loss.item())",
    "print(f'{loss.item():.3f}')",
    "matrix = torch.zeros(4) + loss.cpu()",
    "with timer:\n    total = loss.item()",
]


def used(code: str, line: int = 1) -> bool:
    text = SourceText("train.py", 11, code)
    return is_used_immediately(Source("train.py", 10 + line, "train", True, ()), [text])


@pytest.mark.parametrize("code", AT_ONCE)
def test_a_branch_an_index_or_a_shape_needs_the_value_now(code: str) -> None:
    assert used(code)


@pytest.mark.parametrize("code", LATER)
def test_what_is_added_up_or_logged_can_wait(code: str) -> None:
    assert not used(code)


def test_the_body_of_a_branch_is_not_its_test() -> None:
    assert not used("if step % 50 == 0:\n    log(loss.item())", line=2)


def test_code_that_begins_or_ends_in_the_middle_is_read_line_by_line() -> None:
    assert used("    elif loss.item() > 3:\n        stop()\n  else", line=1)
    assert not used("    except ValueError:\n        total += loss.item()\n  else", line=2)


def test_without_the_code_or_the_line_nothing_is_said() -> None:
    text = SourceText("train.py", 11, "if x.item() > 3:\n    y = 1")
    assert not is_used_immediately(None, [text])
    assert not is_used_immediately(Source("train.py", 10, "train", False, ()), [text])
    assert not is_used_immediately(Source("other.py", 11, "train", True, ()), [text])
    assert not is_used_immediately(Source("train.py", 40, "train", True, ()), [text])


def test_of_several_lines_that_it_can_be_all_must_decide() -> None:
    text = SourceText("train.py", 1, "if x.item() > 3:\n    y = 1\ntotal += x.item()")
    both = Source("train.py", 1, "train", False, (1, 3))
    assert not is_used_immediately(both, [text])
    assert is_used_immediately(Source("train.py", 1, "train", False, (1, 1)), [text])


def test_a_finding_says_so() -> None:
    findings = {finding.rule: finding for finding in known_training().findings}
    assert findings["SYN02"].remedy.used_at_once
    assert not findings["SYN01"].remedy.used_at_once
    assert not findings["CPY01"].remedy.used_at_once
