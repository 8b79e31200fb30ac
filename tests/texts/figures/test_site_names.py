"""What a site is called."""

from __future__ import annotations

import dataclasses

import pytest

from tbprof.model import Site, Source
from tbprof.texts.figures.places import site_name, site_where


def site(*calls: str, direction: str = "", memory: str = "") -> Site:
    return Site(
        direction=direction,
        memory=memory,
        calls=calls,
        ops=(),
        source=None,
        label=None,
        module=None,
        count=1,
        blocking=1,
        per_step=(1,),
        bytes=0,
        wait_ns=1,
        wait_net_ns=1,
        explained_ns=0,
        starve_ns=0,
        instance=None,
    )


@pytest.mark.parametrize(
    ("one", "name"),
    [
        (site("cudaMemcpyAsync", direction="HtoD", memory="pageable"), "copy to the GPU, pageable memory"),
        (site("cudaMemcpyAsync", "cudaStreamSynchronize", direction="DtoH"), "copy to the host"),
        (site("hipMemcpyWithStream", direction="DtoD"), "copy on the GPU"),
        (site("cudaMemcpyPeerAsync", direction="PtoP"), "copy between GPUs"),
        (site("cudaMemcpyAsync"), "copy, direction not recorded"),
        (site("cudaMemcpyAsync", direction="AtoH"), "copy AtoH"),
        (site("cudaDeviceSynchronize"), "synchronize the device"),
        (site("hipDeviceSynchronize"), "synchronize the device"),
        (site("cudaEventSynchronize"), "synchronize the event"),
        (site("cudaStreamSynchronize"), "synchronize the stream"),
    ],
)
def test_a_site_is_named_by_what_it_does(one: Site, name: str) -> None:
    assert site_name(one) == name


@pytest.mark.parametrize(
    ("known", "where"),
    [
        ({"ops": ("aten::a`", "aten::**b**")}, "aten::a\u02cb \u2039 aten::\u2217\u2217b\u2217\u2217"),
        ({"op_before": "aten::a`", "op_after": "b"}, "between aten::a\u02cb and b"),
        ({"label": "load`"}, 'record_function("load\u02cb")'),
        ({"module": "net.`"}, "module net.\u02cb"),
        ({"source": Source("a/`.py", 3, "f", exact=True, candidates=())}, "\u02cb.py:3"),
        ({"source": Source("a.py", 3, "<`>", exact=False, candidates=())}, "<\u02cb> (a.py:3)"),
    ],
)
def test_no_name_of_a_place_sets_the_words_after_it_apart(known: dict[str, object], where: str) -> None:
    assert site_where(dataclasses.replace(site("cudaMemcpyAsync"), **known)) == where
