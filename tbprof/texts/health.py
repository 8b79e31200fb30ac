"""What to know of a trace before its figures are trusted."""

from __future__ import annotations

from collections.abc import Callable

from tbprof.model import HealthFact, Numbers
from tbprof.texts.figures.places import numbers_in_words, wait_for_all
from tbprof.texts.figures.quantities import count, duration, share, size
from tbprof.texts.trust import fact_in_words


def _compression_damaged(numbers: Numbers) -> str:
    kept = size(int(numbers["unpacked_bytes"]))
    return f"The gzip stream is damaged or cut off; the {kept} before that are kept."


def _truncated(_: Numbers) -> str:
    return "The file ends in the middle of its events (a killed writer, a full disk); those before are kept."


def _array_unclosed(_: Numbers) -> str:
    return (
        "The list of events has no end, as the format allows; all that the profiler wrote into it is there."
    )


def _events_dropped(numbers: Numbers) -> str:
    reasons = ", ".join(
        f"{value} {name.replace('_', ' ')}" for name, value in sorted(numbers.items()) if name != "dropped"
    )
    return f"{count(int(numbers['dropped']), 'event')} could not be read: left out ({reasons})."


def _text_repaired(numbers: Numbers) -> str:
    """The sentence on repaired text; another one tells of events that were lost otherwise."""
    kept = "" if numbers.get("lost") else "; no event was lost"
    return f"Some text of the file was not valid JSON and was repaired{kept}."


def _negative_durations(numbers: Numbers) -> str:
    rows = int(numbers["rows"])
    if rows == 1:
        return "1 event ended before it began; its length counts as 0."
    return f"{count(rows, 'event')} ended before they began; their length counts as 0."


def _stray_times(numbers: Numbers) -> str:
    rows = int(numbers["rows"])
    are = "lies" if rows == 1 else "lie"
    longer = "is longer" if rows == 1 else "are longer"
    return f"{count(rows, 'event')} {are} over a day from the others, or {longer} than a day: left out."


def _gpu_clock_offset(numbers: Numbers) -> str:
    behind_us, rows = float(numbers["behind_us"]), count(int(numbers["rows"]), "row")
    is_off = f"{duration(abs(behind_us))} {'behind' if behind_us > 0 else 'ahead of'} the host's"
    return f"The GPU's clock is {is_off}: its {rows} are moved by that much."


def _gpu_rows_joined(numbers: Numbers) -> str:
    rows = count(int(numbers["rows"]), "row")
    return f"{rows} of the GPU had no launch of their own: joined by order with the launches without work."


def _steps_left_out(numbers: Numbers) -> str:
    steps, of = int(numbers["steps"]), count(int(numbers["of"]), "step")
    lost = count(int(numbers["launches"]), "launch", "launches")
    are = "is" if steps == 1 else "are"
    left_out = f"{steps:,} of {of} {are} left out: the recording lacks the GPU's work of {lost} there."
    return f"{left_out}{_how_to_keep(numbers)}"


def _part_left_out(numbers: Numbers) -> str:
    rows, of = count(int(numbers["rows"]), "launch", "launches"), int(numbers["of"])
    lacks = f"The recording lacks the GPU's work of {rows} of {of:,}, all"
    if numbers["part"] == "start":
        return f"{lacks} at its start: the part after them is judged, as one window."
    return f"{lacks} at its end: the part before them is judged, as one window.{_how_to_keep(numbers)}"


def _how_to_keep(numbers: Numbers) -> str:
    """A sentence after others, of a tail that was lost; nothing of anything else."""
    return f" {wait_for_all(numbers.get('device'))}" if numbers.get("part") == "end" else ""


def _gpu_rows_cut(numbers: Numbers) -> str:
    rows, past = int(numbers["rows"]), duration(float(numbers["worst_us"]))
    over = f"`{numbers['name']}` is recorded as {past} longer than its stream allows"
    if rows == 1:
        return f"The GPU's {over}: cut where the next work begins, or to the length of its like."
    return f"{rows} rows of the GPU are cut where the next work begins: {over}."


def _metadata_damaged(_: Numbers) -> str:
    return "A part of what the file says about itself can't be read: rank or device names may be missing."


def _facts_damaged(_: Numbers) -> str:
    return "What the trainer hook added to the trace can't be used; the figures of the trace stand."


def _no_gpu_rows(numbers: Numbers) -> str:
    if "ran_on" in numbers:
        return _RAN_ON.get(str(numbers["ran_on"]), "No GPU work was recorded.")
    if "cut" in numbers:
        return "The part of the file that is left holds no GPU work: waits and idle can't be judged."
    return (
        "No GPU work was recorded: waits and idle can't be judged. Where the machine has a GPU, record "
        "with ProfilerActivity.CUDA; `tbprof doctor` says what hinders it."
    )


_RAN_ON = {
    "cpu": "No GPU work was recorded: operators of the CPU's libraries hold the time. No GPU was used.",
    "mps": "The work of Apple's GPU (MPS) is in no file of torch.profiler: waits and idle can't be judged.",
}


def _gpu_not_recorded(numbers: Numbers) -> str:
    if "ran_on" in numbers:
        return _RAN_ON.get(str(numbers["ran_on"]), "No GPU work was recorded.")
    return (
        f"No GPU work was recorded, though torch sees {numbers['device']}: another tool holds "
        f"{_recorder(numbers)}, this user may not profile, or the program runs on the CPU. "
        f"tbprof doctor says which.{_later(numbers)}"
    )


def _later(numbers: Numbers) -> str:
    if not numbers.get("window"):
        return ""
    return (
        f" If earlier windows have some, {_recorder(numbers)} did not start collecting again: "
        "restart the training."
    )


def _recorder(numbers: Numbers) -> str:
    """What should have recorded the device; it is NVIDIA's where nothing else is noted."""
    return str(numbers.get("recorder", "CUPTI"))


def _gpu_work_lost(numbers: Numbers) -> str:
    launches = count(int(numbers["launches"]), "kernel launch", "kernel launches")
    return (
        f"{launches} and no row of the GPU: {_recorder(numbers)} lost them, as beside or after another "
        "profiler in the same process or with CUDA graphs. Record again, in a new process."
    )


def _no_operators(_: Numbers) -> str:
    return (
        "Operators of the host were not recorded: which of them launch, wait and copy is not known. Record "
        "with ProfilerActivity.CPU, too."
    )


def _gpu_before_launch(numbers: Numbers) -> str:
    rows = count(int(numbers["rows"]), "GPU event")
    worst = duration(int(numbers["worst_ns"]) / 1000)
    return (
        f"{rows} before the call that launched them, at worst by {worst}: the clocks of host and GPU "
        "disagree by that much."
    )


def _gpu_rows_without_launch(numbers: Numbers) -> str:
    rows = count(int(numbers["rows"]), "GPU event")
    return f"{rows} of {int(numbers['of']):,} without the call that launched them."


def _launches_without_gpu_rows(numbers: Numbers) -> str:
    rows = count(int(numbers["rows"]), "kernel launch", "kernel launches")
    lost = f"{rows} of {int(numbers['of']):,} without the work on the GPU: the profiler lost it."
    return f"{lost}{_how_to_keep(numbers)}"


def _launches_captured(numbers: Numbers) -> str:
    rows = count(int(numbers["rows"]), "kernel launch", "kernel launches")
    return f"{rows} of {int(numbers['of']):,} recorded a graph: they ran nothing in this window."


def _graphs_whole(numbers: Numbers) -> str:
    rows, part = count(int(numbers["rows"]), "CUDA graph"), share(float(numbers["share"]))
    return (
        f"{rows} recorded as one row each, {part} of the GPU's time: gaps inside can't be seen, and count as "
        "busy. Record with nsys profile --cuda-graph-trace=node."
    )


def _sync_events_missing(numbers: Numbers) -> str:
    waits = count(int(numbers["waits"]), "call")
    return f"{waits} made a stream wait, and the trace does not say for which: record CUDA sync events."


def _sync_events_without_streams(numbers: Numbers) -> str:
    rows = count(int(numbers["rows"]), "CUDA sync event")
    return f"{rows} of {int(numbers['of']):,} without the stream that was waited for."


def _frames_backwards(numbers: Numbers) -> str:
    frames = count(int(numbers["rows"]), "Python frame")
    worst = duration(int(numbers["worst_ns"]) / 1000)
    return (
        f"{frames} of {int(numbers['of']):,} earlier than the frame before them on their thread, at worst by "
        f"{worst}: the clock was set back meanwhile, so the nesting of calls may be wrong."
    )


def _steps_backwards(numbers: Numbers) -> str:
    steps = count(int(numbers["steps"]), "step")
    return f"{steps} earlier than the step before: the clock was set back while the trace was recorded."


def _device_names_unknown(numbers: Numbers) -> str:
    devices, worked = int(numbers["devices"]), int(numbers["of"])
    if worked == 1:
        return "The trace does not name the GPU."
    return f"The trace does not name {devices:,} of the {worked:,} GPUs that did work."


def _rank_unknown(numbers: Numbers) -> str:
    collectives = count(int(numbers["collectives"]), "collective")
    return f"The trace holds {collectives}, and does not say of which rank it is."


def _graph_notes_joined(numbers: Numbers) -> str:
    rows, of, name = int(numbers["rows"]), count(int(numbers["of"]), "row"), numbers["name"]
    if not rows:
        return (
            f"The file `{name}` beside the trace is of other CUDA graphs: it has the node of none of {of}. "
            "Keep the graph that is recorded, and take the numbers of torch's default (`key_by`: `exec`)."
        )
    return f"The file `{name}` beside the trace says where {rows:,} of {of} of CUDA graphs come from."


def _graph_notes_unread(numbers: Numbers) -> str:
    return (
        f"The file `{numbers['name']}` beside the trace can't be read: {numbers['reason']}. Write plain "
        "values, as `pickle.dump(dict(get_kernel_annotations()), file)` does for plain texts and numbers."
    )


def _report_of_other_trace(_: Numbers) -> str:
    return (
        "The report that lies beside this trace was made of another file: it is not used, and the figures "
        "are the trace's own."
    )


def _report_of_later_version(_: Numbers) -> str:
    return (
        "A later version of tbprof wrote the report that lies beside this trace: it is not used, and the "
        "figures are the trace's own. Upgrade tbprof to use it."
    )


def _report_not_bound(_: Numbers) -> str:
    return (
        "The stored report does not say which file it was made of, as those of older versions: that it is "
        "this trace's is taken from its name."
    )


def _inputs_joined(numbers: Numbers) -> str:
    calls, of = int(numbers["calls"]), int(numbers["of"])
    return (
        f"Shapes, FLOPs and limits of {calls:,} of {of:,} operator calls are those of"
        f" {count(int(numbers['steps']), 'step')} that the hook recorded after the window; the others are"
        " given something else from step to step, or nothing with a shape."
    )


FILE_SENTENCES: dict[str, Callable[[Numbers], str]] = {
    "compression_damaged": _compression_damaged,
    "truncated": _truncated,
    "array_unclosed": _array_unclosed,
    "events_dropped": _events_dropped,
    "text_repaired": _text_repaired,
    "negative_durations": _negative_durations,
    "stray_times": _stray_times,
    "gpu_clock_offset": _gpu_clock_offset,
    "gpu_rows_cut": _gpu_rows_cut,
    "gpu_rows_joined": _gpu_rows_joined,
    "steps_left_out": _steps_left_out,
    "part_left_out": _part_left_out,
    "metadata_damaged": _metadata_damaged,
    "facts_damaged": _facts_damaged,
    "no_gpu_rows": _no_gpu_rows,
    "gpu_not_recorded": _gpu_not_recorded,
    "gpu_work_lost": _gpu_work_lost,
    "no_operators": _no_operators,
    "gpu_before_launch": _gpu_before_launch,
    "gpu_rows_without_launch": _gpu_rows_without_launch,
    "launches_without_gpu_rows": _launches_without_gpu_rows,
    "launches_captured": _launches_captured,
    "graphs_whole": _graphs_whole,
    "sync_events_missing": _sync_events_missing,
    "sync_events_without_streams": _sync_events_without_streams,
    "frames_backwards": _frames_backwards,
    "steps_backwards": _steps_backwards,
    "device_names_unknown": _device_names_unknown,
    "rank_unknown": _rank_unknown,
    "inputs_joined": _inputs_joined,
    "graph_notes_joined": _graph_notes_joined,
    "graph_notes_unread": _graph_notes_unread,
    "report_of_other_trace": _report_of_other_trace,
    "report_of_later_version": _report_of_later_version,
    "report_not_bound": _report_not_bound,
}


def health_sentence(fact: HealthFact) -> str:
    """The sentence of a code; a fact from another version is named with its numbers."""
    try:
        return _SENTENCES[fact.code](numbers_in_words(fact.numbers))
    except (KeyError, ValueError):
        return _plain(fact)


def _plain(fact: HealthFact) -> str:
    figures = ", ".join(f"{name} {value}" for name, value in sorted(numbers_in_words(fact.numbers).items()))
    return f"{fact.code.replace('_', ' ')}{': ' + figures if figures else ''}."


def _no_steps(numbers: Numbers) -> str:
    if "without_length" in numbers:
        return "The steps that the trace marks have no length: the whole window counts as one."
    return "The trace marks no steps: the whole window counts as one. Call step() of the profiler."


def _cold_steps(numbers: Numbers) -> str:
    cold = count(int(numbers["cold"]), "cold step")
    return f"{cold} of {int(numbers['steps'])} left out of the medians: longer than the others by half."


def _gpu_lag(numbers: Numbers) -> str:
    late = count(int(numbers["steps"]), "step")
    # Earlier versions had shares above 1 here.
    part = float(numbers.get("worst_share", 2))
    of_step = f" ({share(part)} of the step on the host)" if part <= 1 else ""
    ends = f"The GPU ends {late} late, at worst by {duration(float(numbers['worst_us']))}{of_step}"
    if numbers["of_device"]:
        return f"{ends}: the host runs ahead, and the steps of this report are the GPU's."
    return f"{ends}: the steps of this report are the host's, and single ones may differ from the GPU's."


def _copies_without_call(numbers: Numbers) -> str:
    copies = count(int(numbers["copies"]), "copy", "copies")
    return f"{copies} on the GPU without a call on the host (graph nodes, or launched before the window)."


def _calls_without_record(numbers: Numbers) -> str:
    calls = count(int(numbers["calls"]), "copy call")
    return f"{calls} that blocked without a GPU record: direction and size are not known."


def _calls_cut(numbers: Numbers) -> str:
    calls = count(int(numbers["calls"]), "call")
    return f"{calls} would run beside another of the same thread, which can't be: counted up to its start."


def _shapes_not_true(numbers: Numbers) -> str:
    calls = count(int(numbers["calls"]), "call")
    return f"{calls} with shapes that can't be true: no device works so fast. They have no limit."


def _all_far_from_limits(numbers: Numbers) -> str:
    best = share(float(numbers["best_share"]))
    operators = count(int(numbers["operators"]), "largest operator")
    return (
        f"All of the {operators} reach at most {best} of what the device can: its clocks are low, its "
        "memory is spilled to the host, or another process works on it. Watch `nvidia-smi` meanwhile."
    )


def _no_launching_operators(_: Numbers) -> str:
    return (
        "The threads that launch recorded no operators, and others did: what they do is not known. Start the "
        "profiler on them, or have it record all threads."
    )


def _no_stacks(_: Numbers) -> str:
    return "No Python frames were recorded: lines are not known. Record with with_stack=True to see them."


def _no_user_frames(_: Numbers) -> str:
    return "No Python frame of yours lies around the calls: lines are not known."


_NO_AUDIT = {
    "no_step": "the training ended with the window",
    "compiled": "the program uses torch.compile, which would compile again",
    "fault": "of a fault of tbprof's",
    "held": "the program holds a function of torch's that would tell it of the recording",
}


def _no_audit_step(numbers: Numbers) -> str:
    reason = str(numbers["reason"])
    return f"The step that records lines was skipped, because {_NO_AUDIT.get(reason, reason)}."


def _only_warned_lines(numbers: Numbers) -> str:
    reason = str(numbers["reason"])
    return (
        f"Only lines that CUDA itself warned of are known, because {_NO_AUDIT.get(reason, reason)}: "
        "those of copies that do not wait are not."
    )


def _lines_not_exact(numbers: Numbers) -> str:
    waits = count(int(numbers["episodes"]), "sync point or copy", "sync points and copies")
    return f"{waits} of {int(numbers['of']):,} without an exact line: several are possible, or none."


def _mean_lines(numbers: Numbers) -> str:
    steps = int(numbers["steps"])
    return f"The steps differ: lines without a GPU are counted in the mean of {steps} steps."


def _inference(_: Numbers) -> str:
    return "The steps are those of a program that only infers."


def _accumulation(numbers: Numbers) -> str:
    if "steps" in numbers:
        made = count(int(numbers["optimizer_steps"]), "step")
        return f"Gradients accumulate: {int(numbers['steps'])} recorded steps hold {made} of the optimizer."
    calls = int(numbers["backward_calls"])
    return f"Gradients accumulate: a step goes back through the model {calls} times."


def _gpu_shared(numbers: Numbers) -> str:
    others = count(int(numbers["processes"]), "other process", "other processes")
    return f"{others} on the GPU: the figures hold the time that it worked for them."


def _fact_missing(numbers: Numbers) -> str:
    return f"Not recorded: {fact_in_words(str(numbers['fact']))} ({numbers['reason']})."


def _sites_shortened(numbers: Numbers) -> str:
    sites = count(int(numbers["sites"]), "site")
    return f"{sites} kept without steps and drawing, to keep the stored report small; the cheapest ones."


_SENTENCES: dict[str, Callable[[Numbers], str]] = {
    **FILE_SENTENCES,
    "no_steps": _no_steps,
    "cold_steps": _cold_steps,
    "gpu_lag": _gpu_lag,
    "copies_without_call": _copies_without_call,
    "calls_without_record": _calls_without_record,
    "calls_cut": _calls_cut,
    "shapes_not_true": _shapes_not_true,
    "all_far_from_limits": _all_far_from_limits,
    "no_launching_operators": _no_launching_operators,
    "no_stacks": _no_stacks,
    "no_user_frames": _no_user_frames,
    "no_audit_step": _no_audit_step,
    "only_warned_lines": _only_warned_lines,
    "lines_not_exact": _lines_not_exact,
    "mean_lines": _mean_lines,
    "inference": _inference,
    "accumulation": _accumulation,
    "gpu_shared": _gpu_shared,
    "fact_missing": _fact_missing,
    "sites_shortened": _sites_shortened,
}


def gaps_sentence(without_launch: int, before_launch: int, unnamed_waits: int) -> str:
    """What a trace lacks in the work of its devices; "" where it lacks nothing."""
    parts = (
        (without_launch, "row of the GPU without a launch", "rows of the GPU without a launch"),
        (before_launch, "row that begins before its launch", "rows that begin before their launch"),
        (unnamed_waits, "wait of a stream that names no stream", "waits of streams that name no stream"),
    )
    found = ", ".join(count(rows, one, many) for rows, one, many in parts if rows)
    return f"{found}: what explains a wait or an idle moment may be missing." if found else ""
