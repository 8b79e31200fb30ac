"""Changes of a program's own lines: only where they are mechanical, and only what they must."""

from __future__ import annotations

import pytest

from tbprof.rules.declared import rule_of
from tbprof.views.edits import EditRow, mechanical_edits


def edits(rule: str, code: str, *marked: int, first_line: int = 1) -> list[tuple[int, str, str]]:
    """The changes as (line, before, after); without `marked` every line is."""
    lines = code.split("\n")
    declared = rule_of(rule)
    assert declared is not None
    everywhere = range(first_line, first_line + len(lines))
    found = mechanical_edits(declared.edit, first_line, lines, frozenset(marked or everywhere))
    return [(edit.line, edit.before, edit.after) for edit in found]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = batch.to(device)", "x = batch.to(device, non_blocking=True)"),
        ("x = batch.cuda()", "x = batch.cuda(non_blocking=True)"),
        ("x = batch.to(device, torch.half,)", None),
        ("a, b = a.to(d), b.to(d,)", "a, b = a.to(d, non_blocking=True), b.to(d,non_blocking=True)"),
        ('损失 = "é".join(x.to(d))', '损失 = "é".join(x.to(d, non_blocking=True))'),
        ("x = batch.to(device, non_blocking=False)", None),
        ("x = batch.to(**options)", None),
        ("x = batch.to(*where)", None),
        ("x = move(batch)", None),
        ("x = batch.to(", None),
    ],
)
def test_a_blocking_move_gets_its_argument(before: str, after: str | None) -> None:
    assert edits("CPY02", before) == ([] if after is None else [(1, before, after)])


def test_only_marked_lines_are_changed_and_indentation_stays() -> None:
    code = "    for x, y in loader:\n        x = x.to(d)\n        y = y.to(d)"
    assert edits("CPY02", code, 12, first_line=10) == [
        (12, "        y = y.to(d)", "        y = y.to(d, non_blocking=True)")
    ]


def test_the_loader_that_is_there_is_told_to_pin() -> None:
    code = "loader = DataLoader(data, 8)\nx = next(iter(loader)).to(d)"
    first, second = edits("CPY01", code, 2)
    assert first == (1, "loader = DataLoader(data, 8)", "loader = DataLoader(data, 8, pin_memory=True)")
    assert second[0] == 2
    # Where nothing of the finding is changed, its loader is not either.
    assert edits("CPY01", "loader = DataLoader(data, 8)\nx = move(loader)") == []


def test_an_argument_of_a_long_call_gets_a_line_of_its_own() -> None:
    code = "loader = DataLoader(\n    data,\n    8,\n)\nx = x.to(d)"
    assert edits("CPY01", code)[0] == (4, "", "    pin_memory=True,")
    # Without a comma at the end it would take two changes: the rule's example stands in.
    assert [line for line, _, _ in edits("CPY01", code.replace("8,", "8"))] == [5]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("m = torch.ones(n, 2).to(x.device)", "m = torch.ones(n, 2, device=x.device)"),
        ("m = torch.randn(n).cuda()", 'm = torch.randn(n, device="cuda")'),
        ('m = 2 * torch.zeros(3).to("cuda:1")', "m = 2 * torch.zeros(3, device='cuda:1')"),
        ("m = torch.ones(n).to(torch.half)", None),
        ("m = torch.ones(n).to(other)", None),
        ("m = torch.ones(n, device=d).to(device)", None),
        ("m = make(n).to(device)", None),
    ],
)
def test_a_tensor_is_made_where_it_is_moved_to(before: str, after: str | None) -> None:
    assert edits("CPY04", before) == ([] if after is None else [(1, before, after)])


def test_an_excerpt_that_is_no_whole_program_is_read_line_by_line() -> None:
    excerpt = ("        deeper = 1", "    x = x.to(d)", "    if x.to(d):")
    assert mechanical_edits("do_not_block", 7, excerpt, frozenset({8, 9})) == (
        EditRow(8, "    x = x.to(d)", "    x = x.to(d, non_blocking=True)"),
    )


LOOP = """\
def step(loader, device):
    for images in loader:
        weight = torch.tensor([0.9, 0.1], device=device)
        loss = (images * weight).sum()
"""


@pytest.mark.parametrize("rule", ["CPY03", "CPY05"])
def test_a_constant_goes_in_front_of_its_loop(rule: str) -> None:
    made = "weight = torch.tensor([0.9, 0.1], device=device)"
    assert edits(rule, LOOP) == [(2, "", f"    {made}"), (3, f"        {made}", "")]
    assert edits(rule, LOOP, 4) == []


@pytest.mark.parametrize(
    "change",
    [
        ("device=device", "device=images.device"),
        ("[0.9, 0.1]", "[random(), 0.1]"),
        ("torch.tensor(", "make("),
        ("loss = (images", "weight += 1; loss = (images"),
        ("loss = (images", "weight[0] = 1; loss = (images"),
        ("loss = (images", "weight.mul_(2); loss = (images"),
        ("for images in loader:", "if loader:"),
        ("weight =", "weight = other ="),
    ],
)
def test_what_a_loop_changes_stays_in_it(change: tuple[str, str]) -> None:
    assert edits("CPY05", LOOP.replace(*change)) == []


def test_other_rules_change_nothing_mechanically() -> None:
    assert edits("SYN01", "x = batch.to(device)") == []
