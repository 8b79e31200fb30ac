"""What is said first of a window without usable work of a GPU: the figures of each case, in words."""

from __future__ import annotations

from tbprof.judge.verdict_figures import Sentences, VerdictFigures
from tbprof.model import Figures
from tbprof.records import dataclass
from tbprof.texts.figures.places import wait_for_all
from tbprof.texts.figures.quantities import count, duration, mean, share


@dataclass(frozen=True, slots=True)
class HostCosts(Figures):
    """What takes the time of the host: operators, and a module, by what they take themselves."""

    operator: str
    operator_us: float
    operator_share: float
    """A part of the time of all operators."""
    next_operator: str | None = None
    next_operator_us: float | None = None
    next_operator_share: float | None = None
    module: str | None = None
    """None where no modules are recorded."""
    module_us: float | None = None
    module_share: float | None = None
    """A part of the time of the host."""
    operators_of_step: bool = False
    """Whether times are those of a mean step; else of the window, which is one."""

    def words(self) -> str:
        """A sentence after others."""
        largest = _cost(self.operator, self.operator_us, self.operator_share)
        scope = " of a step" if self.operators_of_step else ""
        said = f" Its largest operators{scope}: {largest} of their time"
        if self.next_operator is not None:
            said += f", {_cost(self.next_operator, self.next_operator_us, self.next_operator_share)}"
        if self.module is not None and (self.module_share or 0.0) >= _LEAST:
            said += f"; its largest module: {_cost(self.module, self.module_us, self.module_share)}"
        return f"{said}."


_LEAST = 0.02
"""The share below which the largest module is not where the time goes."""


def _cost(name: str, spent_us: float | None, part: float | None) -> str:
    return f"`{name}` {duration(spent_us or 0.0)}, {share(part or 0.0)}"


@dataclass(frozen=True, slots=True)
class Reads(Figures):
    """Reads of a number that are too long for a CPU."""

    reads: float
    reads_us: float
    reads_of_step: bool = False
    """Whether these are those of a mean step; else of the window, which is one."""

    def words(self) -> str:
        """A sentence after others."""
        numbers = f"{mean(self.reads)} {'read' if self.reads == 1 else 'reads'} of a number"
        last = "lasts" if self.reads == 1 else "last"
        each = " a step" if self.reads_of_step else ""
        return f" {numbers}{each} {last} {duration(self.reads_us)}: the host waits for a device there."


@dataclass(frozen=True, slots=True)
class NoDevice(VerdictFigures):
    exposed_share: float | None = None
    """The part of the step in which hosts wait in collectives; None where that is little."""
    on_cpu: bool = False
    """Whether the operators ran on the CPU, for sure."""
    gpu: str = ""
    """The machine's, where they did and the recording names one."""
    costs: HostCosts | None = None
    reads: Reads | None = None

    @property
    def order(self) -> str:
        if not self.gpu:
            return ""
        return 'First: move the model and its batches to the GPU, with `.to("cuda")`, and record again.'

    @property
    def last_order(self) -> str:
        if not self.on_cpu or self.exposed_share is not None:
            return ""
        return 'First: move the model and its batches to a GPU, where there is one, with `.to("cuda")`.'

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        costs = "" if self.costs is None else self.costs.words()
        reads = "" if self.reads is None else self.reads.words()
        if self.exposed_share is not None:
            return (
                f"The step waits for communication: {share(self.exposed_share)} of it, in collectives of the "
                "hosts.",
                f"No GPU work was recorded. `tbprof job` on the run of all ranks names the late one.{costs}",
            )
        if self.gpu:
            return f"The model runs on the CPU of a machine with a GPU, {self.gpu}.", costs.strip()
        if self.on_cpu:
            return "No GPU work was recorded: the model runs on the CPU.", costs.strip()
        unseen = "What waits for a GPU can't be seen in this window."
        return "No GPU work was recorded.", f"{reads.strip() or unseen}{costs}"


@dataclass(frozen=True, slots=True)
class UnseenDevice(VerdictFigures):
    """Work of a GPU that torch's profiler does not record."""

    device: str
    steps_us: float
    """The length of a mean step; of the window, where the trace marks no steps."""
    costs: HostCosts | None = None
    reads: Reads | None = None

    @property
    def order(self) -> str:
        if self.reads is None:
            return ""
        spent, whole = duration(self.reads.reads_us), duration(self.steps_us)
        each = " a step" if self.reads.reads_of_step else ""
        return (
            "First: read numbers back later, or less often: the host stands in reads for "
            f"{spent} of {whole}{each}."
        )

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        costs = "" if self.costs is None else self.costs.words()
        reads = "" if self.reads is None else self.reads.words()
        return (
            f"The work ran on {self.device}, which torch.profiler does not record.",
            f"Times are those of the host, which launches, and waits.{reads}{costs}",
        )


_CUPTI_OF_CUDA = {
    12020: 20,
    12030: 21,
    12040: 22,
    12050: 23,
    12060: 24,
    12080: 26,
    12090: 28,
    13000: 130000,
}
"""CUPTI's own number in each version of CUDA, by its header `cupti_version.h`."""


@dataclass(frozen=True, slots=True)
class Versions(Figures):
    """What of CUDA the file names: 12010 is 12.1."""

    cupti: int | None = None
    """A number that counts versions of CUPTI alone."""
    runtime: int | None = None
    driver: int | None = None

    def words(self) -> str:
        """What they may have to do with rows of the GPU that are missing, and what to do about it."""
        ours, driver = self._ours, self.driver
        if ours is None or driver is None:
            return (
                "Another profiler holds the GPU, the driver is newer than this torch's CUPTI, or the machine "
                "is WSL."
            )
        if ours == driver:
            return (
                f"CUPTI and the driver are both of CUDA {_version(driver)}: another profiler holds the GPU, "
                "this user may not profile, or the machine is WSL."
            )
        if ours > driver:
            return f"{self._cupti} is newer than the driver, for CUDA {_version(driver)}: update the driver."
        return (
            f"{self._cupti} is older than the driver, for CUDA {_version(driver)}: take a torch that is "
            "built for that; if it is, another profiler holds the GPU, or the machine is WSL."
        )

    @property
    def _ours(self) -> int | None:
        """The version of CUDA that CUPTI is of, or one that is as far from the driver's."""
        of_driver = None if self.driver is None else _CUPTI_OF_CUDA.get(self.driver)
        if self.runtime is not None or self.cupti is None or of_driver is None or self.driver is None:
            return self.runtime
        return self.driver + (self.cupti > of_driver) - (self.cupti < of_driver)

    @property
    def _cupti(self) -> str:
        known = [
            "" if self.cupti is None else f"version {self.cupti}",
            "" if self.runtime is None else f"of CUDA {_version(self.runtime)}",
        ]
        return f"CUPTI ({', '.join(part for part in known if part)})"


def _version(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


@dataclass(frozen=True, slots=True)
class LostKernels(VerdictFigures):
    launches: int
    without: int
    """Launches whose work is not in the recording."""
    part: str = ""
    """`start` or `end` where all else of the recording is whole, `length` or `time` where rows have none."""
    versions: Versions | None = None
    """Where all of it is lost."""
    device: int | None = None
    """The one that lacks its end, where no other does."""

    @property
    def scope(self) -> str:
        if self.launches == self.without:
            return "The recording lacks the GPU's work: the profiler lost all of it."
        return "The recording lacks much of the GPU's work: what is shown of it is of what is there."

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        launches = count(self.launches, "launch", "launches")
        return (
            f"The recording lacks the GPU's work of {self.without:,} of {launches}: it can't be judged.",
            self._remedy,
        )

    @property
    def _remedy(self) -> str:
        if self.part == "length":
            return "Its rows of the GPU have no length: record again, with another version of torch."
        if self.part == "time":
            return "Rows have no time, or one of another day: record again, with another version of torch."
        if self.launches == self.without:
            return self._nothing_recorded()
        if self.part == "end":
            return f"All up to some launch is there, nothing after it. {wait_for_all(self.device)}"
        if self.part == "start":
            return "The profiler began to record the GPU late: record more steps, and mark them."
        return "The profiler lost the GPU's rows: record again, with fewer steps or without another profiler."

    def _nothing_recorded(self) -> str:
        versions = Versions() if self.versions is None else self.versions
        return f"The profiler recorded no row of the GPU. {versions.words()} `tbprof doctor` tries it."


@dataclass(frozen=True, slots=True)
class Capture(VerdictFigures):
    launches: int
    without: int
    """Launches that ran nothing."""

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        launches = count(self.launches, "launch", "launches")
        return (
            f"The host records a CUDA graph in this window: {self.without:,} of {launches} ran nothing.",
            "Nothing is to be changed here: a graph is captured once. Record steps that replay it.",
        )


@dataclass(frozen=True, slots=True)
class CutOff(VerdictFigures):
    gpu_rows: int | None = None
    """Rows of the device that are left; None where there are none."""

    @property
    def scope(self) -> str:
        if self.gpu_rows is None:
            return "The file is cut off: no GPU work is in what is left of it."
        return "The file is cut off: what is shown is of what is left of it."

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        left = (
            "no GPU work is in what is left of it"
            if self.gpu_rows is None
            else "much of the GPU's work may be missing: it can't be judged"
        )
        return (
            f"The file is cut off, and {left}.",
            "Copy the file again if it was copied while it was written; else record the window again.",
        )


@dataclass(frozen=True, slots=True)
class OnlyAllocations(VerdictFigures):
    events: int
    devices: str

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        events = count(self.events, "event")
        return (
            f"The recording holds allocations only: {events} of {self.devices}.",
            "The page Memory and `tbprof table memory FILE` show them; what ran is not in it.",
        )


@dataclass(frozen=True, slots=True)
class OtherDevice(VerdictFigures):
    device: str
    rows: int

    def sentences(self, *, waits_come_first: bool) -> Sentences:  # noqa: ARG002 - as the base has it
        return (
            f"The work ran on an accelerator that tbprof does not analyze: {self.device}.",
            f"Its {count(self.rows, 'row')} are in the recording; host operators can still be read.",
        )
