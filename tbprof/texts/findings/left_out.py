"""Why a rule or a file was left out."""

from __future__ import annotations

from tbprof.model import GPU_RATES

CUT_OFF = "the file is cut off among its events: what is told is of what is left of it"


def forbidden_sentence(rule: str, needs: str) -> str:
    """That a rule which is forbidden was not found for want of what it needs."""
    return f"{rule} is forbidden, and was {not_checked_sentence(needs)}"


def not_checked_sentence(*needs: str) -> str:
    """That a rule could not look, for want of what it needs."""
    lacking = " and no ".join(need for need in needs if need != GPU_RATES)
    reasons = [f"no {lacking} recorded"] if lacking else []
    if GPU_RATES in needs:
        reasons.append("the rates of this GPU are not known")
    return f"not checked: {', and '.join(reasons)}"


def rule_failed_sentence(error: str) -> str:
    """That a rule ended with an error."""
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
    "name_not_expected": "its name is UTF-8, which this Python was told not to expect: set PYTHONUTF8=1",
    "too_large_to_list": "its list took too long or too much memory: name a folder in it",
    "no_permission": "it can't be read: check its permissions",
}

_SKIPPED_IN_TAB = {
    "link_leaves_logdir": "a link that leads out of the log directory; --tbprof_follow_links allows your own",
}
