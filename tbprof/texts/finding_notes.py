"""What a finding's own numbers say, in a sentence; its rule's page says the rest."""

from __future__ import annotations

from tbprof.framework_options import OPTION_OF
from tbprof.model import CRITICAL_SHARE, GPU_RATES, HIGH_SHARE, MEDIUM_SHARE, Finding, Scope, Severity
from tbprof.rules.words import OTHER_VERSION
from tbprof.texts.figures.places import name_words
from tbprof.texts.figures.quantities import share


def finding_note(finding: Finding, scope: Scope) -> str:
    """The option of a framework that takes the wait away, or the figures; "" if the rule's page says all."""
    needed = _NEEDED_HERE if finding.remedy.used_at_once else ""
    graphed = finding.remedy.graphed_in
    where = f"Most of it is replayed by a CUDA graph, from {name_words(graphed)}." if graphed else ""
    if finding.remedy.origin:
        where = f"Above all in {name_words(finding.remedy.origin)}."
    return " ".join(said for said in (_figures(finding, scope), where, needed) if said)


def option_note(finding: Finding) -> str:
    """The option of a framework that takes the wait away, where it is known; one of another version is
    not.
    """
    option = OPTION_OF.get(finding.remedy.hint)
    return "" if option is None else option.fix


def _figures(finding: Finding, scope: Scope) -> str:
    said = finding.figures.in_words(name_words).sentence(scope)
    # What to do about a formula stands beside its figures anyway.
    if finding.remedy.hint and (finding.sites or not said):
        return option_note(finding) or OTHER_VERSION
    return said


_NEEDED_HERE = "Needed here: what the program does next depends on the value, so reading it later saves less."
"""The program can't go on without the value, as its recorded code shows."""


CUT_OFF = "the file is cut off among its events: its figures are of what is left of it"


def forbidden_sentence(rule: str, needs: str) -> str:
    """A sentence: a rule which is forbidden was not found for want of what it needs."""
    return f"{rule} is forbidden, and was {not_checked_sentence(needs)}"


def not_checked_sentence(*needs: str) -> str:
    """A sentence: a rule could not look, for want of what it needs."""
    lacking = " and no ".join(need for need in needs if need != GPU_RATES)
    reasons = [f"no {lacking} recorded"] if lacking else []
    if GPU_RATES in needs:
        reasons.append("the rates of this GPU are not known")
    return f"not checked: {', and '.join(reasons)}"


def rule_failed_sentence(error: str) -> str:
    """A sentence: a rule ended with an error."""
    return f"could not run: {error}"


def skipped_sentence(reason: str, *, in_tab: bool = False) -> str:
    """Why a file that looks like a window is not offered; a sentence is one already.

    What helps may be an option of TensorBoard's, which commands do not have.
    """
    if " " in reason:
        return reason
    known = {**_SKIPPED, **_SKIPPED_IN_TAB} if in_tab else _SKIPPED
    return known.get(reason, reason.replace("_", " "))


_SKIPPED = {
    "being_listed": "its files are being listed; what is found shows up here",
    "link_leaves_logdir": "a link that leads out of the folder: name the file or folder that it leads to",
    "name_not_text": "its name is not UTF-8: rename it",
    "packed_copy": "it is the gzip of the file beside it, which is read",
    "name_not_expected": "its name is UTF-8, which this Python does not expect: set PYTHONUTF8=1",
    "too_large_to_list": "its list took too long or too much memory: name a folder in it",
    "no_permission": "it can't be read: check its permissions",
}

_SKIPPED_IN_TAB = {
    "link_leaves_logdir": "a link that leads out of the log directory; --tbprof_follow_links allows your own",
}


def severity_scale(scope: Scope) -> tuple[tuple[Severity, str], ...]:
    """Each class of a saving with the shares that it stands for, worst first."""
    shares: tuple[tuple[Severity, float], ...] = (
        ("critical", CRITICAL_SHARE),
        ("high", HIGH_SHARE),
        ("medium", MEDIUM_SHARE),
    )
    limits: dict[Severity, str] = {"medium": ", or more that is only an upper limit"}
    named = tuple(
        (severity, f"from {share(least)} of {scope.name} on{limits.get(severity, '')}")
        for severity, least in shares
    )
    return (
        *named,
        ("low", "less, or an upper limit beside a larger cause"),
        ("info", "nothing to gain, or not worth a change"),
    )


def severity_reason(shares: tuple[float, float] | None, scope: Scope) -> str:
    """Floor and ceiling of its saving as shares of a mean step, 0 to 1; None where it is not known."""
    if shares is None:
        return "no saving is estimated"
    floor_share, ceiling_share = shares
    if ceiling_share == 0:
        return "nothing can be saved"
    least, most = share(floor_share), share(ceiling_share)
    if floor_share == 0:
        return f"at most {most} of {scope.name}"
    if least == most:
        return f"{most} of {scope.name}"
    return f"at least {least}, at most {most} of {scope.name}"
