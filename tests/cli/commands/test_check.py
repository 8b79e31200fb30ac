"""`tbprof check` on traces, reports and what preflight printed: formats, words, exit codes."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest
from command_line import SAMPLES, run_tbprof
from communication_scenes import exchanging
from trace_builder import TraceBuilder

from tbprof.cli.main import main

SAMPLE = SAMPLES / "h100_bert_small_infer" / "h100_bert_small.json.gz"
PREDICTED = Path(__file__).parents[2] / "data" / "preflight.json"

Capture = pytest.CaptureFixture[str]


def check(*arguments: str | Path) -> int:
    return main(["check", *map(str, arguments)])


def test_without_a_word_nothing_fails_and_all_is_listed(capsys: Capture) -> None:
    assert check(SAMPLE) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == str(SAMPLE)
    assert any("modeling_attn_mask_utils.py:429" in line and line.startswith("new") for line in lines)
    assert lines[-2].startswith("1 finding (1 new, ")
    assert lines[-1] == "no policy given: nothing can fail; add --forbid, --budget or --overlap"


@pytest.mark.parametrize(
    ("word", "code"),
    [("new", 1), ("SYN02", 1), ("syn", 1), ("control-flow", 1), ("CPY", 0), ("upload,race", 0)],
)
def test_a_forbidden_word_fails_the_build(word: str, code: int) -> None:
    assert check(SAMPLE, "--forbid", word) == code


@pytest.mark.parametrize(
    ("budget", "code"), [("communication=20%", 0), ("communication=19%", 1), ("idle=30%", 1), ("idle=31%", 0)]
)
def test_a_part_of_the_steps_may_have_a_budget(budget: str, code: int, tmp_path: Path) -> None:
    # Of 10 ms: 5 ms computing, 2 ms communication that nothing covers.
    trace = exchanging(2_000).write(tmp_path / "host_1.1000.pt.trace.json")
    assert check(trace, "--budget", budget, "--no-cache") == code


def test_the_last_line_says_what_failed(capsys: Capture) -> None:
    assert check(SAMPLE, "--budget", "1", "--forbid", "CPY") == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("failed: over the budget of sync points; 1 finding (1 new, ")
    assert check(SAMPLE, "--forbid", "new") == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("failed: 1 finding is forbidden; 1 finding (")


@pytest.mark.parametrize("form", ["text", "json", "markdown", "github"])
def test_a_part_that_nobody_recorded_is_no_zero(form: str, tmp_path: Path, capsys: Capture) -> None:
    built = TraceBuilder()
    built.op("aten::add", 0, 10)
    trace = built.write(tmp_path / "host_1.1000.pt.trace.json")
    assert check(trace, "--budget", "idle=1%", "--format", form, "--no-cache") == 2
    printed = capsys.readouterr().out
    assert "idle was not recorded in " in printed
    assert "0.0 %" not in printed
    assert form in ("json", "github") or "not judged" in printed
    assert form != "json" or json.loads(printed)["passed"] is False


def _overlapping(folder: Path, covered: dict[str, float]) -> Path:
    """Windows of one step of 10 ms, each with a collective of 4 ms that computing covers for so many us."""
    for name, covered_us in covered.items():
        built = TraceBuilder()
        built.step(1, 0, 10_000)
        built.launch(1, 2, runs=(1_000, 5_000))
        if covered_us >= 0:
            built.op("record_param_comms", 10, 13)
            begin = 5_000 - covered_us
            built.launch(11, 12, runs=(begin, begin + 4_000), name="ncclDevKernel_AllReduce_Sum", stream=20)
        built.write(folder / f"{name}.1000.pt.trace.json")
    return folder


_NONE = -1.0
"""A window without a collective."""


@pytest.mark.parametrize(
    ("covered", "overlap", "code", "said"),
    [
        (
            {"rank0": 3_000},
            "75%",
            0,
            ["^overlap .*rank0.*: computing covers 75.0 % of .*, 75 % asked"],
        ),
        ({"rank0": 3_000}, "76%", 1, ["^FAILS .*: of a step 3.0 ms are covered and 1.0 ms exposed"]),
        # Less than asked is never rounded up to it.
        ({"rank0": 2_999}, "75%", 1, ["computing covers 74.9 % .*, 75 % asked"]),
        (
            {"rank0": 4_000, "rank1": 1_000},
            "50%",
            1,
            [
                "rank0.* 100.0 %",
                "^FAILS .*rank1.* 25.0 %",
                "^failed: too little overlap in 1 window; ",
            ],
        ),
        (
            {"rank0": 4_000, "rank1": _NONE},
            "50%",
            2,
            [
                "rank1.*: no collective was recorded",
                "^not judged: .*; the overlap of 1 window could",
            ],
        ),
    ],
)
def test_each_window_has_to_cover_its_communication(
    covered: dict[str, float], overlap: str, code: int, said: list[str], tmp_path: Path, capsys: Capture
) -> None:
    assert check(_overlapping(tmp_path, covered), "--overlap", overlap, "--no-cache") == code
    printed = capsys.readouterr().out.replace("\u202f", " ").replace("\xa0", " ")
    assert [one for one in said if re.search(one, printed, re.MULTILINE) is None] == [], printed


@pytest.mark.parametrize("form", ["json", "markdown", "github", "sarif"])
def test_every_form_says_what_overlaps_too_little_and_what_is_unknown(
    form: str, tmp_path: Path, capsys: Capture
) -> None:
    folder = _overlapping(tmp_path, {"rank0": 1_000, "rank1": _NONE})
    assert check(folder, "--overlap", "50%", "--format", form, "--no-cache") == 1
    printed = capsys.readouterr().out
    assert "the overlap can't be judged: no collective was recorded" in printed
    assert "of the communication, 50" in printed
    if form == "json":
        missed, unknown = json.loads(printed)["overlaps"]
        assert (missed["found"], missed["covered_us"], missed["exposed_us"], missed["is_missed"]) == (
            25.0,
            1_000,
            3_000,
            True,
        )
        assert (unknown["found"], unknown["is_missed"]) == (None, False)


def test_what_is_cut_off_or_ran_without_a_gpu_overlaps_nothing_that_is_known(tmp_path: Path) -> None:
    assert check(PREDICTED, "--overlap", "1%") == 2
    trace = next(_overlapping(tmp_path, {"rank0": 0}).iterdir())
    assert check(trace, "--overlap", "1%", "--no-cache") == 1
    trace.write_text(trace.read_text(encoding="utf-8")[:-200], encoding="utf-8")
    assert check(trace, "--overlap", "1%", "--no-cache") == 2


@pytest.mark.parametrize(("budget", "code"), [("2", 0), ("1", 1), ("SYN02=1", 0), ("control_flow=0", 1)])
def test_a_budget_fails_the_build(budget: str, code: int) -> None:
    assert check(SAMPLE, "--budget", budget) == code


def test_what_could_not_be_looked_for_is_no_silent_pass(tmp_path: Path, capsys: Capture) -> None:
    whole = gzip.decompress(SAMPLE.read_bytes())
    cut = tmp_path / "cut.pt.trace.json"
    cut.write_bytes(whole[: len(whole) * 98 // 100])
    assert check("--forbid", "LCH01", cut) == 2
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1].endswith(" suppressed); 1 of 1 window could not be judged")
    cut_off, unchecked = printed.err.splitlines()
    assert cut_off.endswith("the file is cut off among its events: its figures are of what is left of it")
    assert unchecked.endswith("LCH01 is forbidden, and was not checked: no complete GPU work recorded")
    check("--forbid", "LCH01", SAMPLE)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("word", "code", "verdict"), [("CPY", 2, "not judged"), ("SYN02", 1, "failed")])
def test_windows_that_can_t_be_read_are_no_silent_pass(
    word: str, code: int, verdict: str, tmp_path: Path, capsys: Capture
) -> None:
    shutil.copy(SAMPLE, tmp_path)
    (tmp_path / "empty.pt.trace.json").touch()
    assert check(tmp_path, "--forbid", word) == code
    printed = capsys.readouterr()
    assert f"{tmp_path / 'empty.pt.trace.json'} is empty" in printed.err
    last = printed.out.splitlines()[-1]
    assert last.startswith(f"{verdict}: ")
    assert last.endswith("; 1 of 2 windows could not be judged")


@pytest.mark.parametrize("form", ["json", "markdown", "github", "sarif"])
def test_what_is_posted_elsewhere_names_the_windows_that_can_t_be_read(
    form: str, tmp_path: Path, capsys: Capture
) -> None:
    shutil.copy(SAMPLE, tmp_path)
    (tmp_path / "empty.pt.trace.json").touch()
    assert check(tmp_path, "--forbid", "CPY", "--format", form) == 2
    assert "empty.pt.trace.json is empty" in capsys.readouterr().out


def test_a_rule_that_could_not_look_is_no_silent_pass(tmp_path: Path, capsys: Capture) -> None:
    built = TraceBuilder()
    built.op("aten::add", 0, 10)
    trace = built.write(tmp_path / "host_1.1000.pt.trace.json")
    assert check(trace, "--forbid", "SYN10", "--no-cache") == 2
    assert capsys.readouterr().out.splitlines()[-1].endswith("; SYN10 could not be judged")
    assert check(trace, "--forbid", "SYN", "--no-cache") == 0


def test_a_baseline_accepts_what_was_there_and_keeps_its_reasons(tmp_path: Path, capsys: Capture) -> None:
    baseline = tmp_path / "accepted.json"
    assert check(SAMPLE, "--baseline", baseline, "--update-baseline", "--forbid", "new") == 0
    written = baseline.read_text(encoding="utf-8")
    assert '"line"' not in written
    baseline.write_text(written.replace('"reason": ""', '"reason": "of the library"'), encoding="utf-8")
    assert check(SAMPLE, "--baseline", baseline, "--forbid", "new") == 0
    assert "of the library" in capsys.readouterr().out
    assert check(SAMPLE, "--baseline", baseline, "--update-baseline") == 0
    assert '"reason": "of the library"' in baseline.read_text(encoding="utf-8")
    assert check(PREDICTED, "--baseline", baseline, "--forbid", "new") == 1
    assert "gone" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["empty.pt.trace.json", "cut.pt.trace.json"])
def test_a_baseline_is_not_made_of_windows_that_could_not_be_judged(
    name: str, tmp_path: Path, capsys: Capture
) -> None:
    baseline = tmp_path / "accepted.json"
    assert check(SAMPLE, "--baseline", baseline, "--update-baseline") == 0
    before = baseline.read_bytes()
    run = tmp_path / "run"
    run.mkdir()
    whole = gzip.decompress(SAMPLE.read_bytes())
    (run / "cut.pt.trace.json").write_bytes(whole[: len(whole) // 3])
    (run / name).open("ab").close()
    capsys.readouterr()
    assert check(run, "--baseline", baseline, "--update-baseline") == 2
    assert f"{baseline} stays as it is: " in capsys.readouterr().err
    assert baseline.read_bytes() == before


def test_a_folder_and_several_paths_are_one_answer(tmp_path: Path, capsys: Capture) -> None:
    shutil.copy(SAMPLE, tmp_path)
    assert check(tmp_path, SAMPLE, PREDICTED, "--format", "json") == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["recordings"]) == 3
    assert answer["predicted"] is True
    assert [row["state"] for row in answer["rows"]].count("suppressed") == 1
    prints = [row["found"]["fingerprint"] for row in answer["rows"]]
    assert len(prints) == len(set(prints))


def test_what_preflight_printed_is_marked_as_predicted(capsys: Capture) -> None:
    assert check(PREDICTED, "--forbid", "scalar_read", "--budget", "1") == 1
    printed = capsys.readouterr().out
    assert "predicted, no GPU was used" in printed
    assert "FAILS       SYN01 train.py:31 main 1 a step" in printed
    assert "1 sync points in a step, 1 allowed" in printed


def test_a_predicted_line_says_in_how_many_steps_it_ran(tmp_path: Path, capsys: Capture) -> None:
    seldom = json.loads(PREDICTED.read_text(encoding="utf-8"))
    for site in seldom["sites"]:
        site["per_step"] = [1, 0, 0, 1]
    path = tmp_path / "seldom.json"
    path.write_text(json.dumps(seldom), encoding="utf-8")
    check(path)
    assert "SYN01 train.py:31 main 1 in 1 of 3 steps" in capsys.readouterr().out


def test_a_prediction_that_is_not_whole_is_no_answer(tmp_path: Path, capsys: Capture) -> None:
    cut = json.loads(PREDICTED.read_text(encoding="utf-8"))
    cut["preflight"] |= {"ending": "failed", "error": "the program raised ValueError"}
    path = tmp_path / "cut.json"
    path.write_text(json.dumps(cut), encoding="utf-8")
    assert check(path) == 2
    assert "is not whole: the program raised ValueError" in capsys.readouterr().err
    del cut["preflight"]["ending"]
    path.write_text(json.dumps(cut), encoding="utf-8")
    assert check(path) == 2
    assert "no report of preflight that this tbprof knows" in capsys.readouterr().err


def test_github_annotations_name_the_file_as_it_is_in_the_checkout(capsys: Capture) -> None:
    assert check(PREDICTED, "--format", "github", "--forbid", "new", "--source-root", "src/app") == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("::error file=src/app/train.py,line=31,title=tbprof SYN01::A scalar is read")


def test_sarif_names_the_file_as_it_is_in_the_checkout(capsys: Capture) -> None:
    assert check(PREDICTED, "--format", "sarif", "--source-root", "src") == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    places = [place for result in run["results"] for place in result["locations"]]
    assert {place["physicalLocation"]["artifactLocation"]["uri"] for place in places} == {"src/train.py"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--forbid", "slow"], "'slow' is not a word of tbprof check"),
        (["--budget", "few"], "'few' is no budget"),
        (["--budget", "communication=3"], "have one in percent of the steps"),
        (["--budget", "SYN01=3%"], "have one in percent of the steps"),
        (["--budget", "new=1"], "there is no budget for what is new"),
        (["--overlap", "80"], "'80' is no overlap: give 1% to 100%"),
        (["--overlap", "101%"], "is no overlap"),
    ],
)
def test_words_that_mean_nothing_are_refused(arguments: list[str], sentence: str) -> None:
    ended = run_tbprof("check", *arguments, SAMPLE)
    assert ended.returncode == 2
    assert sentence in ended.stderr


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "there is no baseline"),
        ("{", "can't be read"),
        ('{"schema": 9, "findings": []}', "a later tbprof wrote"),
        ('{"schema": 1, "findings": [{}]}', "is no baseline"),
        ("[]", "is no baseline"),
    ],
)
def test_a_baseline_that_is_none_is_said_so(
    tmp_path: Path, capsys: Capture, content: str | None, sentence: str
) -> None:
    baseline = tmp_path / "b.json"
    if content is not None:
        baseline.write_text(content, encoding="utf-8")
    assert check(SAMPLE, "--baseline", baseline) == 2
    assert sentence in capsys.readouterr().err


def test_a_baseline_has_to_be_named_to_be_written(capsys: Capture) -> None:
    assert check(SAMPLE, "--update-baseline") == 2
    assert "--update-baseline needs --baseline" in capsys.readouterr().err


def test_what_is_no_trace_is_said_as_by_the_report(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "x.json").write_text('{"a": 1}', encoding="utf-8")
    assert check(tmp_path / "x.json") == 2
    assert capsys.readouterr().err.startswith("tbprof: ")


def test_a_list_says_what_became_of_each_check(capsys: Capture) -> None:
    assert check("--list", SAMPLE) == 0
    printed = capsys.readouterr().out
    assert "checks failed" in printed or "No check failed" in printed
    assert "sync points looked at" in printed
    assert "tbprof run --active 5 train.py" in printed
    assert check("--list", SAMPLE, "--format", "json") == 0
    (window,) = json.loads(capsys.readouterr().out)["windows"]
    assert {row["state"] for row in window["rows"]} >= {"passed", "not_checked"}
    assert check("--list", SAMPLE, "--format", "markdown") == 0
    assert "- SYN01 passed: " in capsys.readouterr().out
    assert check("--list", SAMPLE, "--format", "sarif") == 2


def test_without_a_window_the_list_has_all_checks(capsys: Capture) -> None:
    assert check("--list") == 0
    assert "SYN01  scalar-readback" in capsys.readouterr().out
    assert check() == 2


def test_a_program_that_stayed_on_the_cpu_does_not_pass(tmp_path: Path, capsys: Capture) -> None:
    document = json.loads(PREDICTED.read_text(encoding="utf-8"))
    document["preflight"] |= {"used_device": False, "notes": ["nothing was on a GPU"]}
    (tmp_path / "p.json").write_text(json.dumps(document | {"findings": []}), encoding="utf-8")
    assert check(tmp_path / "p.json", "--forbid", "new", "--format", "markdown") == 3
    said = capsys.readouterr().out
    assert said.startswith("### tbprof: not judged, nothing could be found\n")
    assert "p.json: nothing was on a GPU." in said
