"""All facts of one trace, each computed when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tbprof.analysis.attribution.graph_places import GraphPlaces, find_graph_places
from tbprof.analysis.attribution.host_code import HostPlaces
from tbprof.analysis.attribution.op_chains import CallChains, TopOps, find_top_ops
from tbprof.analysis.attribution.sites import SiteMembers, find_sites
from tbprof.analysis.attribution.sources import user_frames
from tbprof.analysis.awaited import Awaited, find_awaited, net_wait_ns
from tbprof.analysis.calls import Calls, Frees, find_calls, find_frees, find_loading, lead_to_a_free
from tbprof.analysis.collectives import LEFT_ONE_BY_ONE, Collectives, find_collectives
from tbprof.analysis.device_idle import IdleCauses, IdlePieces, find_idle
from tbprof.analysis.device_work import (
    DeviceWork,
    LaunchOrder,
    find_device_work,
    holds_only_allocations,
    lost_kernels,
)
from tbprof.analysis.episodes import Episodes, find_episodes
from tbprof.analysis.exposure import DeviceParts, exposed_ns, no_transfer_ns
from tbprof.analysis.held_back import HeldBack, find_held_back
from tbprof.analysis.host_states import HostLanes, host_states
from tbprof.analysis.intervals import (
    NEVER,
    Intervals,
    are_within,
    intersect,
    overlap_ns,
    total_ns,
    union,
    union_of,
)
from tbprof.analysis.moved_model import moved_model, sending_model
from tbprof.analysis.nesting import Nest
from tbprof.analysis.replay.replay import Replay, steps_to_replay
from tbprof.analysis.replay.schedule import device_schedule
from tbprof.analysis.replay.stream_waits import find_stream_waits, with_frees
from tbprof.analysis.replay.streams import StreamOrder
from tbprof.analysis.replay.waits import replay_waits
from tbprof.analysis.starvation import find_fillable, starve_ns
from tbprof.analysis.steps import Steps, find_steps
from tbprof.analysis.training_threads import find_training_threads, loader_thread_waits, silent_ns
from tbprof.analysis.transfers import Transfers
from tbprof.model import SiteIndex
from tbprof.trace.columns.arrays import NONE, Int64s, is_among, median
from tbprof.trace.columns.columns import Category, Trace
from tbprof.trace.columns.tables import Tables

FACTS_TABLES: Tables = frozenset(("autograd", "collectives", "graphs", "memory"))
"""The optional tables of a trace that the facts read: whoever reads one for them asks for these."""

_Found = TypeVar("_Found")

DECIDED_BY_OTHERS = 0.05
"""With the busiest device idle for this part of the steps in collectives of the hosts, a replay without
the other ranks says nothing."""


class Facts:
    """What the rules and the report read. Arrays over episodes share one order."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._found: dict[Callable[[Facts], object], object] = {}

    def once(self, find: Callable[[Facts], _Found]) -> _Found:
        """What a function of these facts alone returns, however many ask."""
        if find not in self._found:
            self._found[find] = find(self)
        found: _Found = self._found[find]  # type: ignore[assignment]
        return found

    def forget_all_but(self, finds: Collection[Callable[[Facts], object]]) -> None:
        """Let go of the replay and of what `once` holds, but for these functions' results."""
        self.__dict__.pop("replay", None)
        self._found = {find: found for find, found in self._found.items() if find in finds}

    @cached_property
    def origin_ns(self) -> int:
        """Start of the first event: where instants in a report count from."""
        start, memory = self.trace.slices.start_ns, self.trace.memory
        if len(start) == 0 and memory is not None:
            start = memory.time_ns
        return int(start.min()) if len(start) else 0

    @cached_property
    def work(self) -> DeviceWork:
        return find_device_work(self.trace)

    @property
    def gpu_of_machine(self) -> str:
        """A GPU that torch saw, whether it worked or not; "" where the recording names none."""
        hook = self.trace.facts
        named = [name for _, name in sorted(self.trace.device_names.items()) if name]
        return next(iter((*named, *(() if hook is None else hook.device_names))), "")

    @cached_property
    def launch_order(self) -> LaunchOrder:
        return LaunchOrder(self.trace, self.work)

    @cached_property
    def parts(self) -> DeviceParts:
        return DeviceParts(self.trace, self.work)

    @cached_property
    def collectives(self) -> Collectives:
        return find_collectives(self.trace, self.work, np.flatnonzero(self.parts.is_communication))

    @cached_property
    def exposed_in_steps(self) -> dict[int, Intervals]:
        """Communication within the steps with no computing beside it, by device."""
        inside = union(self.steps.gpu_start_ns, self.steps.gpu_end_ns)
        return {
            device: intersect(pieces, inside) for device, pieces in self.parts.communication_exposed.items()
        }

    @cached_property
    def collective_exposed_ns(self) -> Int64s:
        """Exposed time by collective, within the steps; where several run at once the earlier one has it."""
        return exposed_ns(self.work, self.collectives.at, self.exposed_in_steps)

    @cached_property
    def no_transfer_ns(self) -> Int64s:
        """Exposed time, by collective, that its size alone shows to be no transfer."""
        return np.minimum(no_transfer_ns(self.work, self.collectives), self.collective_exposed_ns)

    @cached_property
    def surely_waited_ns(self) -> Int64s:
        """What of that can only be waiting for other ranks to come."""
        by_key = np.array([key.kind in LEFT_ONE_BY_ONE for key in self.collectives.keys], np.bool_)
        return np.where(by_key[self.collectives.key], 0, self.no_transfer_ns)

    @cached_property
    def steps(self) -> Steps:
        return find_steps(self.trace, self.work)

    @cached_property
    def calls(self) -> Calls:
        return find_calls(self.trace, self.steps)

    @cached_property
    def episodes(self) -> Episodes:
        return find_episodes(self.trace, self.work, self.calls, self.steps)

    @cached_property
    def awaited(self) -> Awaited:
        return find_awaited(self.trace, self.work, self.calls, self.episodes)

    @cached_property
    def idle(self) -> IdlePieces:
        return find_idle(self.work, self.steps)

    @cached_property
    def causes(self) -> IdleCauses:
        states = host_states(
            self.host_lanes, self.work, self.calls, self.episodes, self.awaited, self.loading
        )
        return IdleCauses(self.idle, self.steps, states)

    @cached_property
    def frees(self) -> Frees:
        """Calls of the training threads that free device memory."""
        return find_frees(self.trace, self.training_threads, self.calls)

    @cached_property
    def loading(self) -> Int64s:
        """Rows of first calls of the training threads, in which kernels and library handles are loaded."""
        return find_loading(self.trace, self.training_threads, self.calls, self.steps, self.frees)

    @cached_property
    def user_frames(self) -> Nest:
        """The user's frames on all threads."""
        return Nest.of(self.trace.slices, user_frames(self.trace))

    @cached_property
    def sites(self) -> tuple[SiteMembers, ...]:
        return find_sites(self.trace, self.calls, self.episodes, self.steps, self.user_frames)

    @property
    def indexed_sites(self) -> Iterator[tuple[SiteIndex, SiteMembers]]:
        return ((SiteIndex(index), site) for index, site in enumerate(self.sites))

    @cached_property
    def call_chains(self) -> CallChains:
        return CallChains(self.trace, self.calls, self.user_frames)

    @cached_property
    def top_ops(self) -> TopOps:
        """What the program called in its steps."""
        return find_top_ops(self.trace, self.work, self.steps, self.training_threads)

    @cached_property
    def places(self) -> HostPlaces:
        """What the training threads were in."""
        ops, frames = self.calls.ops, self.user_frames
        return HostPlaces(self.trace, ops, frames, self.training_threads, self.steps.lanes)

    @cached_property
    def graph_places(self) -> GraphPlaces:
        """Where the kernels of CUDA graphs come from."""
        return find_graph_places(self.trace, self.work)

    @cached_property
    def site_of_episode(self) -> Int64s:
        """Index into `sites`, one an episode."""
        sites = np.empty(len(self.episodes.first), np.int64)
        for index, site in enumerate(self.sites):
            sites[site.members] = index
        return sites

    @cached_property
    def wait_for_communication_ns(self) -> Int64s:
        """How long, in each blocking episode, the awaited device communicated and computed nothing."""
        calls, episodes = self.calls, self.episodes
        found = np.zeros(len(episodes.first), np.int64)
        for device, pieces in self.parts.communication_exposed.items():
            mine = np.flatnonzero(episodes.blocking & (self.awaited.device == device))
            for call in (episodes.first[mine], episodes.joined[mine]):
                known = call != NONE
                at = call[known]
                found[mine[known]] += overlap_ns(pieces, calls.start_ns[at], calls.end_ns[at])
        return np.minimum(found, self.awaited.explained_ns)

    @cached_property
    def net_wait_ns(self) -> Int64s:
        """The wait of each episode, above the base cost of its calls."""
        return net_wait_ns(self.calls, self.episodes, self.awaited)

    @cached_property
    def starve_ns(self) -> Int64s:
        """How long the device stayed dry after each episode."""
        return starve_ns(self.work, self.idle, self.episodes, self.awaited, self.causes.states["collective"])

    @cached_property
    def transfers(self) -> Transfers:
        return Transfers(self.trace, self.work, self.episodes)

    @cached_property
    def kernels_in_steps(self) -> Int64s:
        """Positions in `work` of the kernels that training threads launched inside a step."""
        kernels = self.work.launched_kernels
        launch = self.work.launch[kernels]
        in_training = is_among(self.trace.slices.lane[launch], self.training_threads)
        in_step = self.steps.index_of(self.trace.slices.start_ns[launch]) != NONE
        inside: Int64s = kernels[in_training & in_step]
        return inside

    @cached_property
    def training_threads(self) -> tuple[int, ...]:
        return find_training_threads(self.trace, self.work, self.steps, self.episodes)

    @cached_property
    def host_lanes(self) -> HostLanes:
        """The rows of the training threads."""
        return HostLanes(self.trace, self.training_threads)

    @cached_property
    def replay(self) -> Replay:
        """The window, to be run again without some of the waits on its training lanes."""
        order = StreamOrder.of(self.trace, self.work, self.training_threads)
        schedule = device_schedule(self.trace, order, find_stream_waits(self.trace, order))
        waits = replay_waits(order, self.calls, self.episodes, self.awaited, self.training_threads)
        waits = with_frees(waits, order, self.trace.slices, self.frees.every)
        replayed = steps_to_replay(self.work, self.steps)
        in_torch, slowdown = self.host_lanes.in_torch, self._slowdown
        return Replay(order, schedule, self.steps, waits, replayed, in_torch, slowdown)

    @property
    def _slowdown(self) -> float | None:
        """How many times as long as one without a profiler a usual step is; None where no hook timed any."""
        hook, warm = self.trace.facts, ~np.array(self.steps.cold, np.bool_)
        if hook is None or not hook.unprofiled_step_ns or not warm.any():
            return None
        return median((self.steps.end_ns - self.steps.start_ns)[warm]) / hook.unprofiled_step_ns

    @cached_property
    def is_replayable(self) -> bool:
        """Whether the replay comes out as recorded, and no collective of the hosts stands in its way.

        When such a collective ends another rank may decide.
        """
        decided_ns = total_ns(self.idle_of("collective"))
        return self.replay.is_consistent and decided_ns <= DECIDED_BY_OTHERS * self.steps.total_ns

    @cached_property
    def can_be_won(self) -> npt.NDArray[np.bool_]:
        """Episodes whose wait bounds a saving: blocking, in a step, on a training lane, before no free, and
        not in a program's start, which comes once.
        """
        episodes = self.episodes
        in_training = is_among(episodes.lane, self.training_threads) & (episodes.step != NONE)
        flushed = lead_to_a_free(self.trace, self.frees.flushing, episodes.lane, episodes.end_ns)
        won: npt.NDArray[np.bool_] = episodes.blocking & in_training & ~flushed
        return won & ~are_within(episodes.start_ns, self.program_start)

    @cached_property
    def moved_model(self) -> Int64s:
        """Episodes that move a model to the device, once."""
        return moved_model(self.episodes, self.work, self.steps)

    @cached_property
    def sending_model(self) -> Int64s:
        """Positions among the collectives of those that send a model to all ranks, once."""
        return sending_model(self.moved_model, self.episodes, self.collectives, self.work)

    @cached_property
    def program_start(self) -> Intervals:
        """The time until a model is on its device, and on those of all ranks; never where none is moved."""
        if not len(self.moved_model):
            return NEVER
        records = self.episodes.record[self.moved_model]
        rows = np.concatenate((records[records != NONE], self.collectives.at[self.sending_model]))
        end_ns = self.episodes.end_ns[self.moved_model].max(keepdims=True)
        end_ns = np.concatenate((end_ns, self.work.end_ns[rows])).max(keepdims=True)
        return Intervals(np.minimum(self.steps.start_ns[:1], end_ns), end_ns)

    @cached_property
    def feeds_training(self) -> npt.NDArray[np.bool_]:
        """Episodes whose wait holds up a thread that makes the batches."""
        return loader_thread_waits(self.episodes, self.training_threads)

    @cached_property
    def silent_ns(self) -> int:
        """How long the training had nothing on record, and may have stood at a queue."""
        return silent_ns(self.host_lanes.in_torch, self.steps)

    @cached_property
    def calls_are_recorded(self) -> bool:
        """Whether any call to the device's runtime is on record; without them no wait of the host is seen."""
        return bool((self.trace.slices.category == Category.RUNTIME).any())

    @property
    def host_is_known(self) -> bool:
        """Whether what the host did is on record: anything without a device, with one its calls too."""
        if self.work.main_device is None:
            return not holds_only_allocations(self.trace)
        return self.calls_are_recorded

    @cached_property
    def device_is_known(self) -> bool:
        """Whether a device worked, and not too much of what it did was lost."""
        if self.work.main_device is None or self.trace.is_cut_off:
            return False
        return lost_kernels(self.trace) is None

    @property
    def known_device(self) -> int | None:
        """The busiest device; None where too much of what it did was lost for its idle time to be known."""
        return self.work.main_device if self.device_is_known else None

    @cached_property
    def empty_idle_ns(self) -> int:
        """Empty idle of the busiest device over all steps."""
        main = self.work.main_device
        return 0 if main is None else int(self.idle.by_device[main].empty_ns.sum())

    @cached_property
    def fillable(self) -> Intervals:
        """When a host that came earlier could have kept the busiest device busier, within the steps.

        Never where that device is not known.
        """
        found = self.fillable_by_launches
        return found if self.held_back is None else union_of((found, self.held_back.idle))

    @cached_property
    def fillable_by_launches(self) -> Intervals:
        """The same without what only fewer waits win back."""
        if not self.device_is_known:
            return NEVER
        return find_fillable(self.trace, self.work, self.steps, self.idle, self.transfers)

    @cached_property
    def held_back(self) -> HeldBack | None:
        """Work that the driver holds back until the host waits; None where something else may be why."""
        main, hook = self.work.main_device, self.trace.facts
        others = hook is not None and hook.other_gpu_processes
        if main is None or not self.device_is_known or others or len(self.collectives.at):
            return None
        return find_held_back(self.idle, self.episodes, self.training_threads, main, self.steps.total_ns)

    @cached_property
    def fillable_ns(self) -> int:
        return total_ns(self.fillable)

    @cached_property
    def empty_idle(self) -> Intervals:
        """When the busiest device was idle with an empty queue, within the steps; never without one."""
        main = self.work.main_device
        return NEVER if main is None else self.idle.empty[main]

    def idle_of(self, cause: str) -> Intervals:
        """The part of `empty_idle` that has this cause, one of `idle_causes.EMPTY_CAUSES`."""
        main = self.work.main_device
        return NEVER if main is None else self.causes.empty[main][cause]
