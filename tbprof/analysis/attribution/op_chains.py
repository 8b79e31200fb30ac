"""The ops around each call, innermost first, as names; distinct chains are stored once.

The user's frames around a site, from the innermost outwards, and whose code the innermost is.

A wait inside a library can't be fixed there: what helps is the library's option, or the line of
one's own program that called it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence

import numpy as np

from tbprof.analysis.attribution.sources import frames_of_stack, parse_frame
from tbprof.analysis.calls import Calls
from tbprof.analysis.device_work import DeviceWork
from tbprof.analysis.intervals import distinct_lines
from tbprof.analysis.nesting import Nest, nested_order
from tbprof.analysis.steps import Steps
from tbprof.model import Source
from tbprof.records import dataclass
from tbprof.trace.columns.arrays import NONE, Int32s, Int64s, distinct, is_among
from tbprof.trace.columns.columns import Category, Trace


@dataclass(frozen=True, slots=True, eq=False)
class OpChains:
    chain: Int64s
    """For each call an index into `names`."""
    names: tuple[tuple[str, ...], ...]
    outermost: Int64s
    """For each call the row of its outermost op, or `NONE`."""


def find_op_chains(trace: Trace, calls: Calls, chosen: Int64s) -> OpChains:
    """All ops of the thread that contain each chosen call, repeats included.

    Annotations, Python frames and the forward op of a backward one are no part of it. One
    level outwards is taken for all calls at once; a chain is then known by the chain inside
    it and one more name.
    """
    chain = np.zeros(len(chosen), np.int64)
    chains: list[tuple[int, ...]] = [()]
    known: dict[tuple[int, int], int] = {}
    position, end = calls.op[chosen], calls.end_ns[chosen]
    outermost = np.full(len(chosen), NONE, np.int64)
    while (inside := np.flatnonzero(position != NONE)).size:
        rows = calls.ops.rows[position[inside]]
        outermost[inside] = rows
        steps = np.stack([chain[inside], trace.slices.name[rows]], axis=1)
        distinct, which = distinct_lines(steps)
        codes = []
        for inner, name in distinct.tolist():
            if (inner, name) not in known:
                known[inner, name] = len(chains)
                chains.append((*chains[inner], name))
            codes.append(known[inner, name])
        chain[inside] = np.array(codes)[which]
        position = calls.ops.enclosing(position, end)
    return OpChains(chain, tuple(tuple(trace.names[i] for i in ids) for ids in chains), outermost)


@dataclass(frozen=True, slots=True, eq=False)
class TopOps:
    """One entry an op, ascending by (lane, start); those that start in a step, on a training thread."""

    rows: Int64s
    lane: Int64s
    kernels: Int64s
    """How many it launched, with the ops in it."""
    device_ns: Int64s
    """How long these took."""
    shortest_ns: Int64s
    """The shortest of them; 0 where it launched none."""
    of_work: Int64s
    """For each entry of `DeviceWork` the position of the op that launched it, or `NONE`."""

    def __len__(self) -> int:
        return len(self.rows)


def find_top_ops(trace: Trace, work: DeviceWork, steps: Steps, threads: tuple[int, ...]) -> TopOps:
    """All of a window."""
    slices = trace.slices
    rows = np.flatnonzero((slices.category == Category.CPU_OP) & is_among(slices.lane, threads))
    rows = rows[steps.index_of(slices.start_ns[rows]) != NONE]
    rows = rows[nested_order(slices, rows)]
    rows = rows[_is_outermost(slices.lane[rows], slices.start_ns[rows], slices.end_of(rows))]
    lane = slices.lane[rows].astype(np.int64)
    of_work = _launching(trace, work, rows, lane)
    known = np.flatnonzero((of_work != NONE) & work.is_kernel)
    length = (work.end_ns - work.start_ns)[known]
    kernels = np.bincount(of_work[known], minlength=len(rows))
    device_ns = np.bincount(of_work[known], length, len(rows)).astype(np.int64)
    shortest = np.full(len(rows), np.iinfo(np.int64).max)
    np.minimum.at(shortest, of_work[known], length)
    return TopOps(rows, lane, kernels, device_ns, np.where(kernels > 0, shortest, 0), of_work)


def _is_outermost(
    lane: Int32s, start_ns: Int64s, end_ns: Int64s
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether ops, in order, begin when all before them on their lane have ended."""
    outermost = np.ones(len(lane), np.bool_)
    for one in distinct(lane).tolist():
        mine = np.flatnonzero(lane == one)
        reach = np.maximum.accumulate(end_ns[mine])
        outermost[mine[1:]] = start_ns[mine[1:]] >= reach[:-1]
    return outermost


def _launching(trace: Trace, work: DeviceWork, rows: Int64s, lane: Int64s) -> Int64s:
    slices = trace.slices
    found = np.full(len(work.rows), NONE, np.int64)
    launched = np.flatnonzero(work.launch != NONE)
    of_launch = slices.lane[work.launch[launched]]
    for one in distinct(lane).tolist():
        mine = np.flatnonzero(lane == one)
        here = launched[of_launch == one]
        at = np.searchsorted(slices.start_ns[rows[mine]], work.launch_start_ns[here], side="right") - 1
        held = (at >= 0) & (work.launch_start_ns[here] < slices.end_of(rows[mine])[np.maximum(at, 0)])
        found[here[held]] = mine[at[held]]
    return found


MAX_CALLERS = 12
"""Frames that are looked at for one of the user's own code."""

_OWN_CALLERS = 3
"""Frames that are kept around a site in the user's own code; the outer ones are the same for all."""

_SEPARATOR = re.compile(r"[/\\]")
_INSTALLED = re.compile(r"(?:.*[/\\])?(?:site|dist)-packages[/\\](?P<name>[^/\\]+)", re.DOTALL)
_STANDARD = re.compile(r"(?:.*[/\\])?lib[/\\]python3\.\d+[/\\](?!site-packages|dist-packages)", re.DOTALL)
_LIBRARIES = frozenset(
    [
        *("accelerate", "colossalai", "composer", "datasets", "deepspeed", "diffusers", "fairscale"),
        *("fastai", "ignite", "keras", "lightning", "lightning_fabric", "megatron", "mmengine", "peft"),
        *("pytorch_lightning", "ray", "sentence_transformers", "timm", "torchaudio", "torchmetrics"),
        *("torchtitan", "torchtune", "torchvision", "transformers", "trl", "vllm", "wandb"),
        *("IPython", "PIL", "aiohttp", "albumentations", "anyio", "apex", "asgiref", "bitsandbytes", "boto3"),
        *(
            "botocore",
            "bs4",
            "click",
            "cloudpickle",
            "cupy",
            "cv2",
            "dask",
            "decord",
            "dgl",
            "dill",
            "einops",
        ),
        *("fastapi", "filelock", "flash_attn", "fsspec", "grpc", "gym", "gymnasium", "h5py", "httpx"),
        *(
            "huggingface_hub",
            "hydra",
            "imageio",
            "ipykernel",
            "jinja2",
            "joblib",
            "kornia",
            "librosa",
            "lmdb",
        ),
        *(
            "loguru",
            "matplotlib",
            "megfile",
            "mlflow",
            "mmcv",
            "mmdet",
            "monai",
            "msgspec",
            "networkx",
            "nltk",
        ),
        *("numba", "numpy", "omegaconf", "open_clip", "optree", "optuna", "pandas", "polars", "psutil"),
        *(
            "pyarrow",
            "pycocotools",
            "pydantic",
            "regex",
            "requests",
            "rich",
            "s3fs",
            "sacrebleu",
            "safetensors",
        ),
        *("scipy", "sentencepiece", "sglang", "skimage", "sklearn", "spacy", "starlette", "sympy"),
        *(
            "tensorboard",
            "tensorboardX",
            "tensordict",
            "tiktoken",
            "tokenizers",
            "torch_geometric",
            "torchdata",
        ),
        *("torchrec", "tornado", "tqdm", "transformer_engine", "triton", "typer", "urllib3", "uvicorn"),
        *("webdataset", "xformers", "yaml", "zarr", "zmq", "zstandard"),
    ]
)
"""Kineto cuts what is on Python's path off a file's name, so that `transformers/trainer.py` is left."""


def library_of(file: str) -> str | None:
    """The library that a frame's file belongs to; None for the user's own code."""
    installed = _INSTALLED.match(file)
    if installed is not None:
        return installed["name"].removesuffix(".py")
    if _STANDARD.match(file):
        return "python"
    first, *rest = _SEPARATOR.split(file)
    if not rest:
        # A module of Python's own is one file; so is a script, which may have such a name only by mistake.
        return "python" if first.removesuffix(".py") in sys.stdlib_module_names else None
    if first in sys.stdlib_module_names:
        return "python"
    return first if first in _LIBRARIES else None


def called_from(frames: Sequence[Source]) -> str:
    """The innermost of frames; in a library after the nearest one of another package, which calls it.

    Args:
        frames: Innermost first; not empty.
    """
    own = frames[0]
    if library_of(own.file) is None:
        return _in_short(own)
    caller = next((one for one in frames if _package(one.file) != _package(own.file)), own)
    return _in_short(own) if caller is own else f"{_in_short(caller)} > {own.function}"


def _in_short(frame: Source) -> str:
    return f"{_SEPARATOR.split(frame.file)[-1]}:{frame.line} {frame.function}"


def _package(file: str) -> str:
    return library_of(file) or _SEPARATOR.split(file, maxsplit=1)[0]


class CallChains:
    """Finds the frames around calls of one trace."""

    def __init__(self, trace: Trace, calls: Calls, frames: Nest) -> None:
        """`frames` are the user's."""
        self._trace = trace
        self._calls = calls
        self._frames = frames

    def callers(self, call: int) -> tuple[Source, ...]:
        """The frames around a call beyond the innermost one.

        Around a library's frame they reach out to the first of the user's own code.
        """
        found = self._from_stack(call) if len(self._trace.call_stack.rows) else self._from_frames(call)
        own = [at for at, frame in enumerate(found) if library_of(frame.file) is None]
        kept = _OWN_CALLERS if not own or own[0] == 0 else own[0]
        return found[1 : kept + 1]

    def _from_frames(self, call: int) -> tuple[Source, ...]:
        names = self._trace.slices.name
        lane, start, end = (
            column[call : call + 1] for column in (self._calls.lane, self._calls.start_ns, self._calls.end_ns)
        )
        at = self._frames.innermost(lane, start, end)
        found: list[Source | None] = []
        while at[0] != NONE and len(found) <= MAX_CALLERS:
            name = self._trace.names[names[self._frames.rows[at[0]]]]
            found.append(parse_frame(name, exact=False))
            at = self._frames.enclosing(at, end)
        return tuple(source for source in found if source is not None)

    def _from_stack(self, call: int) -> tuple[Source, ...]:
        """2021: the stack that the innermost op was given."""
        position = self._calls.op[call]
        if position == NONE:
            return ()
        stack = self._trace.call_stack.at(self._calls.ops.rows[position : position + 1])[0]
        if stack < 0:
            return ()
        return tuple(frames_of_stack(self._trace.names[stack])[: MAX_CALLERS + 1])
