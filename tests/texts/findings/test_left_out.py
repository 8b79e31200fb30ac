"""Why a rule or a file was left out is said in a sentence."""

from __future__ import annotations

import ast
from pathlib import Path

import tbprof
from tbprof.model import GPU_RATES
from tbprof.texts import finding_notes
from tbprof.texts.finding_notes import not_checked_sentence, skipped_sentence

PACKAGE = Path(tbprof.__file__).parent


def test_a_need_and_a_reason_are_sentences() -> None:
    assert not_checked_sentence("shapes") == "not checked: no shapes recorded"
    assert not_checked_sentence("steps", "shapes") == "not checked: no steps and no shapes recorded"
    assert not_checked_sentence(GPU_RATES) == "not checked: the rates of this GPU are not known"
    assert not_checked_sentence("steps", GPU_RATES) == (
        "not checked: no steps recorded, and the rates of this GPU are not known"
    )
    assert "--tbprof_follow_links" in skipped_sentence("link_leaves_logdir", in_tab=True)
    assert skipped_sentence("no_permission", in_tab=True) == skipped_sentence("no_permission")
    assert skipped_sentence("of_another_version") == "of another version"


def test_every_reason_to_skip_a_file_is_explained() -> None:
    sources = [
        PACKAGE / "store" / "discovery.py",
        PACKAGE / "plugin" / "routes" / "log_directory.py",
    ]
    reasons = {
        node.value.value
        for source in sources
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and "." not in node.value.value
    }
    assert reasons == set(finding_notes._SKIPPED)
