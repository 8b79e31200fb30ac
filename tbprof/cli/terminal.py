"""A report as text for a terminal: the sentence first, then the sites that matter."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from tbprof.calibration import held_on
from tbprof.cli.reading import near_path
from tbprof.escaping import plain
from tbprof.judge.steady_steps import marks_steps
from tbprof.judge.words import window_of
from tbprof.model import MemoryPeak, Report
from tbprof.texts.actions import place_of
from tbprof.texts.check_outcomes import other_places_sentence
from tbprof.texts.figures.computing import gpu_use_sentence
from tbprof.texts.figures.places import between_ops, scope_of
from tbprof.texts.figures.quantities import count, duration, mean, milliseconds, share, size
from tbprof.texts.idle import cause_name
from tbprof.texts.memory import MemoryFigures, peak_words
from tbprof.views.checks import checks_summary
from tbprof.views.findings import FindingRow, SavingView, finding_row
from tbprof.views.steady import mean_kernels, mean_launches
from tbprof.views.window import IdleView, SiteRow, WindowView
from tbprof.views.window_view import window_view

UNCALIBRATED = "uncalibrated"
"""Said of an estimate where nothing was measured."""
_SHOWN_SITES = 12
_OF_RECORDING = "TRC"
"""Rules about how the window was recorded: the program is not to be changed."""
_SEVERAL = 2
_MOST_APART = 0.02
"""A difference between two shares of one thing that nobody asks about."""
_WHOLE_SHARE = 0.9
"""A window that is less of the recording is only a part of it."""


def terminal_text(report: Report) -> str:
    """Plain text, at most a screen or two; times are means of a step where steps are marked."""
    trace = report.trace
    view = window_view(report, run="", worker=trace.worker, window="")
    opening = (view.verdict, view.first_action, view.detail)
    lines = [
        _head(report),
        "",
        *(text for text in opening if text),
        *_changes(view),
        "",
        *_figures(report, view),
    ]
    lines += _launched(report)
    lines += _memory(report)
    lines += _causes(report)
    said = _numbers_of_findings(view)
    lines += _sites(view, said)
    lines += _window_findings(report, said)
    lines += _notes(view)
    lines += ["", f"  {checks_summary(report)} tbprof check --list FILE shows each."] if report.checks else []
    return "\n".join(plain(line.rstrip()) for line in lines) + "\n"


def _head(report: Report) -> str:
    trace = report.trace
    devices = ", ".join(sorted(set(trace.devices))) or "no GPU work"
    rank = "" if trace.rank is None else f", rank {trace.rank}"
    return f"{near_path(trace.path)}: {_recorded(report)}, {devices}{rank}"


def _recorded(report: Report) -> str:
    """How much; a window that is only a part of the recording stands beside the whole."""
    span_ns = report.trace.span_ns
    if marks_steps(report):
        steps = count(len(report.steps), "step")
        if report.window_ns < _WHOLE_SHARE * span_ns / 2:
            return (
                f"{steps} of {duration(report.window_ns / 1000)} in a recording of {duration(span_ns / 1000)}"
            )
        return f"{steps} in a window of {duration(span_ns / 1000)}"
    # Without marked steps all figures are of the time from the first work of the GPU to the last; without a
    # GPU of the training's rows, and the profiler may have recorded itself for longer.
    window, whole = duration(report.window_ns / 1000), duration(span_ns / 1000)
    if report.idle is not None and report.window_ns < _WHOLE_SHARE * span_ns and window != whole:
        return f"a window of {window} in a recording of {whole} without marked steps"
    return f"a recording of {window} without marked steps"


def _changes(view: WindowView) -> list[str]:
    """What to change, most urgent first."""
    if view.predicted_first:
        return [*_predicted(view, 1), *_actions(view, 1 + len(view.predicted))]
    listed = len(view.overview.actions) + len(_alarms_without_figure(view))
    return [*_actions(view, 1), *_predicted(view, 1 + listed)]


def _alarms_without_figure(view: WindowView) -> list[FindingRow]:
    """Findings that are worth a change of the program, though nobody can say how much."""
    alarms = (one for one in view.overview.unknown if one.severity not in ("low", "info"))
    return [one for one in alarms if not one.rule.startswith(_OF_RECORDING)]


def _actions(view: WindowView, first: int) -> list[str]:
    """What is known to cost time, numbered from `first` on."""
    scope = scope_of(marks_steps=view.marks_steps)
    lines = []
    for number, row in enumerate(view.overview.actions, start=first):
        lines += ["", f"  {number}. {row.title}: {row.worth} {scope.each} ({share(row.share)})"]
        places, ways = _places(view, row.finding, row.others), [way.text for way in row.ways]
        lines += [f"     {text}" for text in (*places, row.how, *ways)]
    if view.overview.smaller:
        lines += ["", f"  {view.overview.smaller}"]
    for number, one in enumerate(_alarms_without_figure(view), start=first + len(view.overview.actions)):
        lines += ["", f"  {number}. {one.action}: what it saves is not known"]
        lines += [f"     {text}" for text in _places(view, one, ())]
    return lines


def _places(view: WindowView, first: FindingRow, others: tuple[FindingRow, ...]) -> list[str]:
    """Each rule with its lines, else with what its findings say of themselves."""
    found = (first, *others)
    if first.sites:
        return [f"{one.rule} {place_of([_where(view.sites[site]) for site in one.sites])}" for one in found]
    said = first.note or first.place
    more = f" {other_places_sentence(len(others))}" if others else ""
    return [f"{first.rule} {said}{more}"]


def _figures(report: Report, view: WindowView) -> list[str]:
    points, steps = view.sync_points, max(len(view.steps), 1)
    each = scope_of(marks_steps=view.marks_steps).each
    lines = []
    if view.median_step_us is not None:
        name = "step  " if view.marks_steps else "window"
        lines.append(f"  {name}       {duration(view.median_step_us)}{_of_which(view)}")
    if view.idle is not None:
        lines.append(_idle(report, view, view.idle))
    lines += _communication(view)
    lines += [f"  computing    {view.overview.computing}"] if view.overview.computing else []
    if report.gpu_use:
        lines.append(f"  GPU use      {gpu_use_sentence(report.gpu_use)}, of {view.overview.gpu_use_scope}")
    explained = f", {share(points.explained_us / points.wait_us)} explained" if points.wait_us else ""
    counted = f"{mean(points.count / steps)} {each}" if view.marks_steps else f"{points.count:,}"
    waiting = f"{counted}, waiting {duration(points.wait_us / steps)}{explained}"
    lines.append(f"  sync points  {waiting if points.is_recorded else 'not recorded: no calls of the host'}")
    if view.savings is not None and points.is_recorded:
        saving = saving_text(view.overview.saving or view.savings, note=estimate_note(report, view))
        lines.append(f"  can be saved {saving} {each} by removing waits{_by_all(report, steps)}")
    return lines


def _by_all(report: Report, steps: int) -> str:
    """What is found besides; "" where it wins no more than the waits alone."""
    savings = report.savings
    if savings is None or (savings.all_ceiling_ns or 0) <= savings.ceiling_ns:
        return ""
    return f", at most {duration((savings.all_ceiling_ns or 0) / 1000 / steps)} by all changes together"


def _idle(report: Report, view: WindowView, idle: IdleView) -> str:
    """The idle of a mean step, of all devices; with several devices, how idle each is."""
    steps = max(len(view.steps), 1)
    whole, empty, queued = (duration(us / steps) for us in (idle.device_us, idle.empty_us, idle.queued_us))
    whole += f" {scope_of(marks_steps=view.marks_steps).each}"
    scope = "the steps" if view.marks_steps else "the window"
    queues = f"queue empty {empty}, work queued {queued}"
    if len(idle.by_device) == 1:
        return f"  GPU idle     {whole}, {_idle_share(report, idle, scope)}: {queues}"
    each = ", ".join(f"GPU {one.device} {share(one.share_of_steps)}" for one in idle.by_device)
    return f"  GPU idle     {each} of {scope}; {whole} in all: {queues}"


def _idle_share(report: Report, idle: IdleView, scope: str) -> str:
    """The idle share of all steps; with that of the first sentence beside it, where cold steps keep them
    apart.
    """
    window = window_of(report.verdict)
    if window is None or abs(window.idle_share - idle.share_of_steps) <= _MOST_APART:
        return f"{share(idle.share_of_steps)} of {scope}"
    return f"{share(window.idle_share)} of the steps that are not cold, {share(idle.share_of_steps)} of all"


def _communication(view: WindowView) -> list[str]:
    spoken = view.communication
    if spoken is None or spoken.exposed_us is None or spoken.overlapped_us is None:
        return []
    each = scope_of(marks_steps=view.marks_steps).each
    exposed, overlapped = duration(spoken.exposed_us), duration(spoken.overlapped_us)
    return [f"  exposed      {exposed} {each} of communication; {overlapped} more run beside computing"]


def _of_which(view: WindowView) -> str:
    """The steps that a figure is the median of; nothing where there is one step only."""
    cold = sum(step.cold for step in view.steps)
    if len(view.steps) - cold < _SEVERAL:
        return ""
    return " (median of the steps that are not cold)" if cold else " (median)"


def _launched(report: Report) -> list[str]:
    """How much a step runs; nothing where no launch was recorded."""
    kernels, launches = mean_kernels(report), mean_launches(report)
    if kernels is None or launches is None:
        return []
    each = scope_of(marks_steps=marks_steps(report)).each
    calls = "launch" if launches == 1 else "launches"
    return [f"  kernels      {mean(kernels)} {each}, in {mean(launches)} {calls}"]


def _memory(report: Report) -> list[str]:
    """The peaks of the window; nothing where no allocations were recorded."""
    sentence = peak_words([_peak(one) for one in report.memory])
    return [f"  memory       {sentence} (tbprof table memory FILE says by what)"] if sentence else []


def _peak(one: MemoryPeak) -> MemoryFigures:
    return MemoryFigures(one.device, one.peak_bytes, one.reserved_bytes, one.is_recorded, before_bytes=None)


def estimate_note(report: Report, view: WindowView) -> str:
    """What is known of estimates on this device; `tbprof verify` measures it."""
    held = None if view.calibrated else held_on(report.trace.devices[0] if report.trace.devices else "")
    if held is not None:
        return f"on this device {held[0]} of {held[1]} predictions held"
    return "" if view.calibrated else UNCALIBRATED


def saving_text(saving: SavingView, *, note: str) -> str:
    """The three figures in words, each with what it is; where only the highest is known, that."""
    if saving.ceiling_us == 0:
        return "nothing"
    if saving.estimate_us is None and saving.floor_us == 0:
        return f"at most {duration(saving.ceiling_us)}"
    in_brackets = f" ({note})" if note else ""
    about = (
        "no estimate" if saving.estimate_us is None else f"about {duration(saving.estimate_us)}{in_brackets}"
    )
    return f"at least {duration(saving.floor_us)}, {about}, at most {duration(saving.ceiling_us)}"


def _causes(report: Report) -> list[str]:
    """Why the devices were idle, most first."""
    if report.idle is None or not report.idle.total.by_cause:
        return []
    causes = sorted(report.idle.total.by_cause.items(), key=lambda item: -item[1])
    steps, scope = max(len(report.steps), 1), scope_of(marks_steps=marks_steps(report))
    names = ((cause_name(cause), duration(ns / 1000 / steps)) for cause, ns in causes)
    named = (f"{name[0].lower()}{name[1:]} {spent}" for name, spent in names)
    subject = "it is idle" if len(report.idle.by_device) == 1 else "they are idle"
    return ["", f"  why {subject}, {scope.each}: " + ", ".join(named)]


def _numbers_of_findings(view: WindowView) -> dict[str, int]:
    """The number of the change above that each finding is, or is a part of, by its fingerprint."""
    first = 1 + len(view.predicted) if view.predicted_first else 1
    actions = [
        (row.finding, *row.others, *(other for way in row.ways for other in way.findings))
        for row in view.overview.actions
    ]
    changes = enumerate([*actions, *((one,) for one in _alarms_without_figure(view))], start=first)
    return {one.fingerprint: number for number, row in changes for one in row}


def _window_findings(report: Report, said: Mapping[str, int]) -> list[str]:
    """Findings about the window or its steps, which neither a change nor a site shows."""
    found = (one for one in report.findings if not one.sites and one.fingerprint not in said)
    rows = [finding_row(one, report) for one in found]
    return [line for row in rows if row.severity != "info" for line in ("", *_finding(row, "  "))]


def _finding(found: FindingRow, indent: str) -> list[str]:
    saves = found.worth or found.severity_reason
    lines = [f"{indent}{found.rule} {found.severity}, {saves}: {found.title}"]
    return [*lines, f"{indent}{found.note}"] if found.note else lines


def _predicted(view: WindowView, first: int) -> list[str]:
    """Lines of a run without a GPU, numbered from `first` on; no time stands beside them."""
    if not view.predicted:
        return []
    lines = ["", "  would wait on a GPU (predicted, no GPU was used)"]
    for number, row in enumerate(view.predicted, start=first):
        each = f"{row.per_step:,} {scope_of(marks_steps=view.marks_steps).each}"
        lines += [f"  {number}. {row.action}: {row.worth}"]
        lines += [f"     {row.rule} {row.file}:{row.line} {row.function}: {row.why}, {each}"]
        lines += [f"     {text}" for text in (row.code, row.how) if text]
    return lines


def _sites(view: WindowView, said: Mapping[str, int]) -> list[str]:
    """The sites, most worth first; what is a change above, or stands at another site, is only named."""
    if not view.sites:
        return []
    shown = sorted(view.sites, key=_most_worth_first)[:_SHOWN_SITES]
    lines = ["", "  waits and copies, all of the window together"]
    lines += [f"  {'wait, ms':>9} {'of steps':>8} {'expl.':>6} {'count':>6} {'size':>9}  site"]
    known: set[str] = set()
    for site in shown:
        lines += _site(site, said, known)
        known |= {found.fingerprint for found in site.findings}
    left = view.sites[len(shown) :]
    if left:
        lines.append(f"  and {count(len(left), 'more site')}: --format json has them all")
    return lines


def _most_worth_first(site: SiteRow) -> tuple[float, float, int]:
    ceiling = max((f.saving.ceiling_us for f in site.findings if f.saving is not None), default=-1.0)
    return -ceiling, -site.wait_us, site.index


def _site(site: SiteRow, said: Mapping[str, int], known: Collection[str]) -> list[str]:
    """A site, with its findings; of those in `known` an earlier one has said all."""
    part = share(site.share_of_steps) if site.share_of_steps is not None and site.blocking else "-"
    wait = milliseconds(site.wait_us) if site.blocking else "-"
    explained = share(site.explained_us / site.wait_us) if site.blocking and site.wait_us else "-"
    moved = size(site.bytes) if site.bytes else "-"
    where = _where(site)
    row = f"{wait:>9} {part:>8} {explained:>6} {site.count:>6,} {moved:>9}"
    indent = " " * (len(row) + 4)
    lines = [f"  {row}  {where}", f"{indent}{site.what}, {' < '.join(site.ops) or 'no op around it'}"]
    short = [
        *_named(site.findings, said),
        *(found.rule for found in site.findings if found.fingerprint in known),
    ]
    lines += [f"{indent}{', '.join(short)}"] if short else []
    left = (one for one in site.findings if one.fingerprint not in said and one.fingerprint not in known)
    return [*lines, *(line for found in left for line in _finding(found, indent))]


def _named(findings: Sequence[FindingRow], said: Mapping[str, int]) -> list[str]:
    """The findings that a change above says all of, by its number."""
    named = (found for found in findings if found.fingerprint in said)
    return [f"change {said[found.fingerprint]} ({found.rule}: {found.worth})" for found in named]


def _where(site: SiteRow) -> str:
    source = site.source
    if source is None:
        # The operators follow in the next line.
        return (
            site.label
            or site.module
            or f"(line not recorded) {between_ops(site.op_before, site.op_after)}".rstrip()
        )
    line = f"{source.file}:{source.line}" if source.line is not None else source.file
    return f"{line} {source.function}" if source.exact else f"{line} {source.function} (line of its def)"


def _notes(view: WindowView) -> list[str]:
    notes = [f"  {row.message}" for row in view.health]
    return ["", *notes] if notes else []
