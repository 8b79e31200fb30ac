"""Messages as they go through a pipe, and through one that breaks off."""

from __future__ import annotations

import io
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tbprof.process.answering import received, send

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
MESSAGES = st.lists(
    st.tuples(
        st.dictionaries(TEXT.map(lambda name: f"a {name}"), TEXT | st.integers()), st.none() | st.binary()
    )
)


def written(messages: list[tuple[dict[str, Any], bytes | None]]) -> bytes:
    pipe = io.BytesIO()
    for message, content in messages:
        send(pipe, message, content)
    return pipe.getvalue()


def as_received(messages: list[tuple[dict[str, Any], bytes | None]]) -> list[tuple[dict[str, Any], bytes]]:
    sizes = [{} if content is None else {"size": len(content)} for _, content in messages]
    return [
        ({**message, **size}, content or b"")
        for (message, content), size in zip(messages, sizes, strict=True)
    ]


@given(MESSAGES)
def test_what_is_sent_is_received(messages: list[tuple[dict[str, Any], bytes | None]]) -> None:
    assert list(received(io.BytesIO(written(messages)))) == as_received(messages)


@given(MESSAGES, st.floats(min_value=0, max_value=1))
def test_of_a_stream_that_breaks_off_the_whole_messages_are_received(
    messages: list[tuple[dict[str, Any], bytes | None]], share: float
) -> None:
    stream = written(messages)
    cut = stream[: int(len(stream) * share)]
    whole = max(count for count in range(len(messages) + 1) if len(written(messages[:count])) <= len(cut))
    assert list(received(io.BytesIO(cut))) == as_received(messages[:whole])
