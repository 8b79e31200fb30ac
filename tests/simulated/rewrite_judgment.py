"""What checks say a fix saves, beside what it saves where the program is run with it."""

from __future__ import annotations

import dataclasses
import random
from dataclasses import dataclass

from loop_pieces import repeating
from prediction import TOLERANCE, Prediction
from program import Action, Launch, Program
from random_programs import random_program
from random_rewrites import A100, CHECKED_BY, random_rewrite
from recording import record, site_function
from simulated_host import run

from tbprof.analysis.facts import Facts
from tbprof.judge.actions import rank
from tbprof.model import Finding, Saving
from tbprof.rules.checking import run_rules
from tbprof.rules.launch.words import LargerBatch
from tbprof.rules.registry import RULES

_RULE = {rule.code: rule for rule in RULES}


def judge_rewrite(fix: str, seed: int) -> Prediction | None:
    """None where the check says nothing of this program."""
    rewrite = random_rewrite(fix, seed)
    whole = run(rewrite.before)
    built = record(rewrite.before, whole)
    built.device_name = rewrite.device
    savings = [found.saving for found in _found(CHECKED_BY[fix], built.facts()) if found.saving is not None]
    if not savings:
        return None
    bracket = Saving(
        floor_ns=sum(saving.floor_ns for saving in savings),
        estimate_ns=None,
        ceiling_ns=sum(saving.ceiling_ns for saving in savings),
    )
    return Prediction(0, bracket, whole.window_ns - run(rewrite.after).window_ns, whole.window_ns)


def alarms_of_repetition(kind: str, seed: int) -> int:
    """How many loops over items are found in a program that has none; "" repeats nothing in its steps."""
    program = random_program(seed)
    program = repeating(kind, program, seed) if kind else program
    built = record(program, run(program))
    built.device_name = A100
    return len(_found(CHECKED_BY["all items at once"], built.facts()))


@dataclass(frozen=True, slots=True)
class JointJudgment:
    """What the list of actions says a fix saves once the waits above it are gone, and what it does then."""

    waits_above: int
    """How many sites of waits are fixed before it."""
    most_ns: int
    true_ns: int
    window_ns: int

    @property
    def is_under(self) -> bool:
        return self.true_ns <= self.most_ns + TOLERANCE * self.window_ns


def judge_joint(fix: str, seed: int) -> JointJudgment | None:
    """None where the list of actions does not have the fix."""
    rewrite = random_rewrite(fix, seed)
    whole = run(rewrite.before)
    built = record(rewrite.before, whole)
    built.device_name = rewrite.device
    report = built.report()
    actions = rank(report).actions
    codes = [report.findings[action.findings[0]].rule for action in actions]
    if CHECKED_BY[fix] not in codes:
        return None
    place = codes.index(CHECKED_BY[fix])
    above = [at for action in actions[:place] if action.total_ns is not None for at in action.findings]
    sources = [report.sites[site].source for at in above for site in report.findings[at].sites]
    functions = {source.function for source in sources if source is not None}
    gone = frozenset(site for site in rewrite.before.sites if site_function(site) in functions)
    true_ns = run(rewrite.before, gone).window_ns - run(rewrite.after, gone).window_ns
    return JointJudgment(len(gone), actions[place].saving.ceiling_ns, true_ns, whole.window_ns)


@dataclass(frozen=True, slots=True)
class BatchJudgment:
    """What a sample takes with a larger batch, as a share of what it takes now."""

    least: float
    most: float
    true: float

    @property
    def is_inside(self) -> bool:
        return self.least - 0.01 <= self.true <= self.most + 0.01


def judge_batch(seed: int) -> BatchJudgment | None:
    """The device has room for some of the batch, or for none: a kernel takes 1 to so many times as long.

    None where the check says nothing of this program.
    """
    program = random_program(seed)
    whole = run(program)
    findings = _found("LCH07", record(program, whole).facts())
    if not findings:
        return None
    larger = findings[0].figures
    assert isinstance(larger, LargerBatch)
    longer = random.Random(f"batch {seed}").uniform(1, larger.factor)
    true = run(_with_longer_kernels(program, longer)).window_ns / larger.factor / whole.window_ns
    return BatchJudgment(larger.least_share, larger.share, true)


def _found(code: str, facts: Facts) -> tuple[Finding, ...]:
    ran = run_rules((_RULE[code],), facts)
    assert ran.failed == ()
    return ran.findings


def _with_longer_kernels(program: Program, factor: float) -> Program:
    def longer(action: Action) -> Action:
        if not isinstance(action, Launch) or "AllReduce" in action.name:
            return action
        return dataclasses.replace(action, runs_ns=tuple(int(length * factor) for length in action.runs_ns))

    recorded = program.steps_before
    steps = [
        tuple(map(longer, step)) if number >= recorded else step for number, step in enumerate(program.steps)
    ]
    return dataclasses.replace(program, steps=tuple(steps))
