"""The pages and settings for contributors: what they name is there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cli_grammar import code_blocks, problems_of_line

import tbprof

REPOSITORY = Path(__file__).parents[1]
GITHUB = REPOSITORY / ".github"
GUIDE = (GITHUB / "CONTRIBUTING.md").read_text(encoding="utf-8")
SETTINGS = sorted([*GITHUB.rglob("*.yml"), REPOSITORY / ".pre-commit-config.yaml"])


def commands() -> list[str]:
    """All lines of shell blocks, and the commands of the table of generated files."""
    blocks = (text for language, text in code_blocks(GUIDE) if language == "")
    return [line for text in blocks for line in text.splitlines()] + re.findall(r"`(python [^`]+)`", GUIDE)


def test_commands_are_known() -> None:
    assert [problem for line in commands() for problem in problems_of_line(line)] == []


def test_scripts_of_npm_are_those_of_the_frontend() -> None:
    package = json.loads((REPOSITORY / "plugin_frontend" / "package.json").read_text(encoding="utf-8"))
    named = set(re.findall(r"npm (?:run )?(\w+)", GUIDE)) - {"ci"}
    assert named == set(package["scripts"])


def test_files_and_modules_in_commands_are_there() -> None:
    lines = [line for line in commands() if line.startswith(("python ", "pytest "))]
    words = [word for line in lines for word in re.sub(r"\s>\s", " ", line).split()]
    modules = [word for word in words if word.startswith("tbprof.")]
    paths = [word for word in words if "/" in word and not word.startswith(".")]
    paths += [f"{module.replace('.', '/')}.py" for module in modules]
    assert [path for path in paths if not (REPOSITORY / path).exists()] == []


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in GITHUB.glob("*.md"):
        links = re.findall(r"\]\((?!https://)([^)]+)\)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (GITHUB / link).is_file()] == []


def loaded(path: Path) -> Any:
    yaml = pytest.importorskip("yaml", reason="PyYAML comes with the extra 'frameworks'")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def test_settings_are_yaml() -> None:
    assert [path.name for path in SETTINGS if not isinstance(loaded(path), dict)] == []


@pytest.mark.parametrize("name", ["bug.yml", "feature.yml"])
def test_issue_forms_ask_for_fields_with_a_name_and_a_label(name: str) -> None:
    form = loaded(GITHUB / "ISSUE_TEMPLATE" / name)
    assert {"name", "description", "body"} <= set(form)
    fields = [(field["id"], field["attributes"]["label"]) for field in form["body"]]
    assert len(dict(fields)) == len(fields) > 2


@pytest.mark.parametrize("name", ["ci.yml", "release.yml"])
def test_workflows_run_what_ci_runs_and_hold_no_secret(name: str) -> None:
    path = GITHUB / "workflows" / name
    workflow = loaded(path)
    runs = [step.get("run") for job in workflow["jobs"].values() for step in job["steps"]]
    assert ".ci/run" in runs
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_a_release_publishes_only_what_was_built_tried_tested_and_attested() -> None:
    jobs = loaded(GITHUB / "workflows" / "release.yml")["jobs"]
    publish = jobs["publish"]
    assert set(publish["needs"]) == {"build", "test", "try-the-wheel"}
    used = [step.get("uses", "").partition("@")[0] for step in publish["steps"]]
    assert used.index("actions/attest-build-provenance") < used.index("pypa/gh-action-pypi-publish")


def test_commands_of_workflows_are_known() -> None:
    for path in (GITHUB / "workflows").glob("*.yml"):
        lines = [
            line.strip().removeprefix("- run: ") for line in path.read_text(encoding="utf-8").splitlines()
        ]
        tbprofs = [line for line in lines if line.startswith("tbprof ")]
        assert [problem for line in tbprofs for problem in problems_of_line(line)] == []


def test_the_changelog_has_the_version_or_what_comes() -> None:
    headings = re.findall(
        r"^## \[([^\]]+)\]", (GITHUB / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert headings[0] == "Unreleased"
    assert headings[1:] == [] or headings[1] == tbprof.__version__
