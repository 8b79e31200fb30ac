"""Why a finding is as bad as it is."""

from __future__ import annotations

from tbprof.model import CRITICAL_SHARE, HIGH_SHARE, MEDIUM_SHARE, Severity
from tbprof.texts.figures.quantities import share
from tbprof.texts.figures.scopes import Scope


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
