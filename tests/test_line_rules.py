"""One decision for each line, wherever it was found."""

from __future__ import annotations

import pytest

from tbprof.line_rules import LINE_KINDS, LineKind, LineUse, rule_of
from tbprof.rules.checking import most_specific_first
from tbprof.rules.registry import RULES


@pytest.mark.parametrize(
    ("use", "code"),
    [
        (LineUse(kind="scalar_read", call="item", per_step=2), "SYN01"),
        (LineUse(kind="scalar_read", call="item", per_step=3), "SYN05"),
        (LineUse(kind="scalar_read", call="item", per_step=None), "SYN01"),
        (LineUse(kind="control_flow", call="__bool__", per_step=1), "SYN02"),
        (LineUse(kind="control_flow", call="__bool__", per_step=9), "SYN05"),
        (LineUse(kind="scalar_read", call="item", via="torch/amp/grad_scaler.py", per_step=9), "SYN08"),
        (LineUse(kind="scalar_read", call="item", via="torch/nn/utils/clip_grad.py"), "SYN12"),
        (LineUse(kind="upload", call="to"), "CPY01"),
        (LineUse(kind="upload", call="to", is_pinned=True), "CPY02"),
        (LineUse(kind="upload", call="to", is_made_there=True), "CPY04"),
        (LineUse(kind="upload", call="to", is_constant=True), "CPY03"),
        (LineUse(kind="upload", call="tensor"), "CPY05"),
        (LineUse(kind="upload", call="tensor", nbytes=1 << 20), "CPY01"),
        (LineUse(kind="synchronize", call="empty_cache"), "MEM02"),
        (LineUse(kind="race", call="add"), "CPY10"),
    ],
)
def test_what_a_line_does_says_which_rule_it_breaks(use: LineUse, code: str) -> None:
    assert rule_of(use) == code


@pytest.mark.parametrize(
    "use",
    [
        LineUse(kind="upload", call="to", is_pinned=True, is_made_there=True, is_constant=True),
        LineUse(kind="upload", call="to", is_made_there=True, is_constant=True),
        LineUse(kind="upload", call="tensor", is_constant=True),
    ],
)
def test_of_several_rules_about_an_upload_the_one_that_a_trace_prefers_is_named(use: LineUse) -> None:
    broken = {
        "CPY02": use.is_pinned,
        "CPY04": use.is_made_there,
        "CPY05": use.call == "tensor",
        "CPY03": True,
    }
    order = most_specific_first(RULES)
    assert rule_of(use) == min((code for code in broken if broken[code]), key=order.index)


@pytest.mark.parametrize("kind", [kind for kind in LINE_KINDS if kind != "device_mismatch"])
def test_a_trace_shows_the_kind_of_line_that_was_predicted(kind: LineKind) -> None:
    code = rule_of(LineUse(kind=kind, call="to"))
    assert next(rule.kind for rule in RULES if rule.code == code) == kind
