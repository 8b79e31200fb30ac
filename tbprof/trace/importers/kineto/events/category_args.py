"""The arguments that the rows of each category have, and how their columns are kept.

Each field is read by a comprehension of its own: Python reads an attribute that stands in the
code several times faster than one that is looked up by name, and there are millions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tbprof.records import dataclass
from tbprof.trace.columns.arrays import is_among
from tbprof.trace.columns.columns import Category
from tbprof.trace.columns.tables import Table
from tbprof.trace.importers.kineto.events.event_args import ABSENT, Scalar, SliceArgs

_Args: TypeAlias = "Sequence[SliceArgs]"

SEPARATOR = b"\0"
"""What no valid JSON holds."""
_join = SEPARATOR.join
_NO_TEXTS = b""
FRACTIONS = ("blocks_per_sm", "warps_per_sm", "bandwidth_gb_s")


@dataclass(frozen=True, slots=True)
class NumberField:
    """A field of `SliceArgs` that becomes the column of the same name."""

    name: str
    read: Callable[[_Args], list[Scalar]]
    dtype: type[np.int64] | type[np.int32] | type[np.float32] = np.int32
    """64 bits only where a number may need them."""
    missing: int = -1
    """What stands for a number that is not there."""


@dataclass(frozen=True, slots=True)
class TextFields:
    """Fields of raw JSON, each of which becomes a column of interned texts."""

    names: tuple[str, ...]
    read: Callable[[_Args], list[bytes]]
    """All those of a row in one piece, with the separator between them."""


@dataclass(frozen=True, slots=True, eq=False)
class ArgGroup:
    """Arguments that the same rows have. No two groups have a field in common."""

    categories: frozenset[Category]
    """The categories whose rows have them."""
    is_of: npt.NDArray[np.bool_]
    """The same, by the number of each category."""
    numbers: tuple[NumberField, ...]
    texts: TextFields | None
    table: Table | None
    """The one that it belongs to; None for what every trace has."""

    @property
    def names(self) -> frozenset[str]:
        """The names of its fields in `SliceArgs`."""
        texts = self.texts.names if self.texts else ()
        return frozenset((*(field.name for field in self.numbers), *texts))


def _group(
    *categories: Category,
    numbers: Sequence[NumberField] = (),
    texts: TextFields | None = None,
    table: Table | None = None,
) -> ArgGroup:
    is_of = is_among(np.arange(len(Category)), categories)
    return ArgGroup(frozenset(categories), is_of, tuple(numbers), texts, table)


GPU_PLACE = _group(
    *(Category.KERNEL, Category.MEMCPY, Category.MEMSET, Category.SYNC, Category.GPU_ANNOTATION),
    numbers=(
        NumberField("device", lambda args: [one.device for one in args]),
        NumberField("stream", lambda args: [one.stream for one in args]),
    ),
)
"""Where a GPU row ran; the lane says it where they do not."""
GRAPH = _group(
    *(Category.KERNEL, Category.MEMCPY, Category.MEMSET),
    numbers=(
        NumberField("graph", lambda args: [one.graph for one in args]),
        NumberField("graph_node", lambda args: [one.graph_node for one in args], np.int64, missing=0),
        NumberField("original_stream", lambda args: [one.original_stream for one in args]),
    ),
    texts=TextFields(
        ("graph_name", "graph_text", "graph_annotation", "graph_module", "graph_phase"),
        lambda args: [
            _NO_TEXTS
            if one.graph_name is one.graph_text is one.graph_annotation is one.graph_module is ABSENT
            else _join(
                (one.graph_name, one.graph_text, one.graph_annotation, one.graph_module, one.graph_phase)
            )
            for one in args
        ],
    ),
    table="graphs",
)
"""What a CUDA graph replays."""
COLLECTIVE = _group(
    *(Category.CPU_OP, Category.KERNEL),
    texts=TextFields(("collective_name",), lambda args: [bytes(one.collective_name) for one in args]),
)
"""What few ops and kernels have: those of torch.distributed."""
MESSAGE = _group(
    *(Category.CPU_OP, Category.KERNEL),
    numbers=(
        NumberField("group_size", lambda args: [one.group_size for one in args]),
        NumberField("in_message_elements", lambda args: [one.in_message_elements for one in args], np.int64),
        NumberField(
            "out_message_elements", lambda args: [one.out_message_elements for one in args], np.int64
        ),
        NumberField("sequence_number", lambda args: [one.sequence_number for one in args], np.int64),
        NumberField("source_rank", lambda args: [one.source_rank for one in args]),
        NumberField("destination_rank", lambda args: [one.destination_rank for one in args]),
    ),
    texts=TextFields(
        ("collective_dtype", "process_group", "process_group_ranks"),
        lambda args: [
            _join((one.collective_dtype, one.process_group, one.process_group_ranks)) for one in args
        ],
    ),
    table="collectives",
)
"""What the same ones sent."""
ARGS = (
    _group(
        *(Category.CPU_OP, Category.USER_ANNOTATION),
        texts=TextFields(
            ("input_shapes", "input_types", "concrete_inputs", "call_stack"),
            lambda args: [
                # Many recordings have none, and to look is several times faster than to join.
                _NO_TEXTS
                if one.input_shapes is one.input_types is one.concrete_inputs is one.call_stack is ABSENT
                else _join((one.input_shapes, one.input_types, one.concrete_inputs, one.call_stack))
                for one in args
            ],
        ),
    ),
    _group(
        Category.PYTHON,
        numbers=(NumberField("python_module", lambda args: [one.python_module for one in args]),),
        table="modules",
    ),
    _group(
        Category.CPU_OP,
        numbers=(
            NumberField("autograd_number", lambda args: [one.autograd_number for one in args], np.int64),
            NumberField("forward_thread", lambda args: [one.forward_thread for one in args]),
        ),
        table="autograd",
    ),
    _group(
        Category.RUNTIME,
        numbers=(NumberField("copy_kind", lambda args: [one.copy_kind for one in args], missing=0),),
    ),
    _group(
        Category.KERNEL,
        numbers=(
            NumberField("registers_per_thread", lambda args: [one.registers_per_thread for one in args]),
            NumberField("shared_memory_bytes", lambda args: [one.shared_memory_bytes for one in args]),
            NumberField("warps_per_sm", lambda args: [one.warps_per_sm for one in args], np.float32),
        ),
        texts=TextFields(("grid", "block"), lambda args: [_join((one.grid, one.block)) for one in args]),
        table="kernels",
    ),
    _group(
        Category.CPU_OP,
        texts=TextFields(
            ("kernel_file", "kernel_kwargs"),
            lambda args: [
                _NO_TEXTS if one.kernel_file is ABSENT else _join((one.kernel_file, one.kernel_kwargs))
                for one in args
            ],
        ),
        table="kernels",
    ),
    _group(
        Category.KERNEL,
        numbers=(
            NumberField("blocks_per_sm", lambda args: [one.blocks_per_sm for one in args], np.float32),
            NumberField("occupancy_percent", lambda args: [one.occupancy_percent for one in args]),
        ),
    ),
    _group(
        *(Category.MEMCPY, Category.MEMSET),
        numbers=(
            NumberField("bytes", lambda args: [one.bytes for one in args], np.int64, missing=0),
            NumberField("bandwidth_gb_s", lambda args: [one.bandwidth_gb_s for one in args], np.float32),
        ),
    ),
    _group(
        Category.SYNC,
        numbers=(
            NumberField("awaited_stream", lambda args: [one.awaited_stream for one in args]),
            NumberField("awaited_record", lambda args: [one.awaited_record for one in args], np.int64),
        ),
        texts=TextFields(("sync_kind",), lambda args: [bytes(one.sync_kind) for one in args]),
    ),
    GPU_PLACE,
    GRAPH,
    COLLECTIVE,
    MESSAGE,
)
TEXTS = frozenset(name for group in ARGS if group.texts for name in group.texts.names)
"""The columns that hold indices into the names."""
