"""The codec between owner and clients: everything that travels arrives as it left, and nothing else is understood."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import types
import typing
from collections import Counter
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support import examples

from graphmem import errors
from graphmem.backends.remote import codec as codecs
from graphmem.backends.remote import messages
from graphmem.backends.remote.messages import codec_of, error_of, failure_of
from graphmem.errors import GraphmemError, MalformedMessage, StoreError
from graphmem.operations.vocabulary import RECORDS

CODEC = codec_of(RECORDS)
HOSTILE = ["$record", "$time", "$tuple", "fields", "items", "call", "error", "Result", "__class__", "", "0", "1"]

text = (
    st.text(st.characters(exclude_categories=()))
    | st.sampled_from(HOSTILE)
    | st.just("\ud800")
    | st.just("\ud83d\ude00")
)
numbers = st.integers() | st.integers(0, 30_000).map(lambda bits: -(1 << bits)) | st.floats()
scalars = st.none() | st.booleans() | numbers | text


def nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(text, inner, max_size=5), max_leaves=30
    )


json_values = nested(scalars)
plain_json = nested(st.none() | st.booleans() | st.integers(-1, 20) | text)  # the numbers of kinds among them
zones = st.sampled_from([None, UTC, timezone(timedelta(hours=9)), timezone(-timedelta(hours=3, minutes=30))])
keys = st.none() | st.booleans() | st.integers() | text | st.tuples(st.integers(), text)
others = (
    st.datetimes(timezones=zones) | st.dates() | st.timedeltas() | st.binary() | st.decimals(allow_nan=False) | st.uuids()
    | st.sets(st.integers() | text) | st.frozensets(text) | st.just(Path("/a/b c/한글"))
)  # fmt: skip
values = st.recursive(
    scalars | others,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(text, inner, max_size=4)
        | st.dictionaries(keys, inner, max_size=4)
    ),
    max_leaves=20,
)


def fields(value: Any) -> list[Any]:
    return [getattr(value, field.name) for field in dataclasses.fields(value)]


def same(a: Any, b: Any) -> bool:
    """Equal, in type too, where nan equals itself."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        pairs = zip(a.items(), b.items(), strict=True)
        return len(a) == len(b) and all(same(k, m) and same(v, w) for (k, v), (m, w) in pairs)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if dataclasses.is_dataclass(a):
        return same(fields(a), fields(b))
    if isinstance(a, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and math.copysign(1, a) == math.copysign(1, b))
    return bool(a == b)


@given(json_values)
@example({"$record": "graphmem.ingest.capture:_run", "items": ["touch marker", None]})
@example([1, "Result", {}])
@example({"a": [[1, "Stop"], [0]]})
def test_every_json_value_arrives_as_it_left(value: Any) -> None:
    assert same(CODEC.decode(CODEC.encode(value)), value)


@given(values)
def test_every_other_value_arrives_as_it_left(value: Any) -> None:
    line = CODEC.encode(value)
    assert same(CODEC.decode(line), value) and line.count(b"\n") == 1


def kinds() -> list[type]:
    return list(CODEC._records.values())


def of(annotation: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return values
    if annotation in (Path, datetime):
        return st.sampled_from([Path("a"), Path("/b/c")]) if annotation is Path else st.datetimes(timezones=zones)
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*map(of, inner))
    if annotation is type(None):
        return st.none()
    if origin is tuple and inner[-1] is ...:
        return st.lists(of(inner[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(of, inner))
    if origin is dict or str(annotation).startswith("collections.abc.Mapping"):
        return st.dictionaries(of(inner[0]), of(inner[1]), max_size=3)
    if origin is list or origin is not None:
        return st.lists(of(inner[0]), max_size=3)
    if dataclasses.is_dataclass(annotation) or hasattr(annotation, "_fields"):
        return records_of(annotation)
    return {str: text, int: st.integers(), float: st.floats(allow_nan=False), bool: st.booleans()}[annotation]


def records_of(kind: type) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(kind)
    names = [f.name for f in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else list(kind._fields)
    return st.builds(kind, **{name: of(hints[name]) for name in names})


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
@settings(max_examples=examples(60))  # of each of fifty kinds
@given(data=st.data())
def test_every_record_arrives_as_it_left(kind: type, data: st.DataObject) -> None:
    check_record(kind, data)


@pytest.mark.deep
@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
@settings(max_examples=300)
@given(data=st.data())
def test_every_record_arrives_as_it_left_many_times(kind: type, data: st.DataObject) -> None:
    check_record(kind, data)


def check_record(kind: type, data: st.DataObject) -> None:
    value = data.draw(records_of(kind))
    found = CODEC.decode(CODEC.encode([value]))[0]
    assert same(found, value)


@given(st.binary(max_size=200) | plain_json.map(json.dumps).map(str.encode))
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b"[1]")
@example(b"[1,[],2]")
@example(b'[1,"Rows"]')
@example(b'[1,"Result",1,2,3]')
@example(b'[1,"__init__"]')
@example(b"[]")
@example(b"[true,1]")
@example(b"[4,[[0,1],2]]")
@example(b'[3,{"a":1}]')
@example(b'[9,"\x00"]')
@example(b"9" * 10_000)
@example(b'[6,"99999-01-01"]')
@example(b'[8,"999999999999 0 0"]')
def test_nothing_that_arrives_raises_another_error(line: bytes) -> None:
    with contextlib.suppress(MalformedMessage):
        CODEC.decode(line)


@given(values, st.data())
def test_a_message_that_was_changed_raises_no_other_error(value: Any, data: st.DataObject) -> None:
    line = bytearray(CODEC.encode([value, messages.Result(value)]))
    for at in data.draw(st.lists(st.integers(0, len(line) - 1), max_size=5)):
        line[at] = data.draw(st.integers(0, 255) | st.sampled_from(b'[]{},:"0123456789'))
    with contextlib.suppress(MalformedMessage):
        CODEC.decode(bytes(line))


@pytest.mark.parametrize("value", [print, object(), test_nothing_that_arrives_raises_another_error, int, 1j, Path])
def test_what_is_no_data_does_not_leave(value: object) -> None:
    with pytest.raises(MalformedMessage, match=r"cannot be sent|is not a record"):
        CODEC.encode({"x": [value]})


@pytest.mark.parametrize("line", [b'[1,"Failure",[0,"x"],"x",{}]', b'[1,"Failure","x",5,{}]', b'[1,"Hook","x",{},0]', b'[1,"Hello",null]',
                                  b'[1,"Rows",[0],{}]', b'[1,"Call",null,[0]]', b'[1,"Process",5,true]', b'[1,"Export","/etc/passwd","log"]',
                                  b'[1,"ForgetReport",1,2,3,[0]]'])  # fmt: skip
def test_a_record_with_fields_of_other_types_is_refused(line: bytes) -> None:
    with pytest.raises(MalformedMessage, match="wrong type"):
        CODEC.decode(line)


def test_a_record_of_another_module_by_a_known_name_does_not_leave() -> None:
    @dataclasses.dataclass
    class Rows:
        columns: list[str]

    with pytest.raises(MalformedMessage, match="is not a record"):
        CODEC.encode(Rows([]))


def test_subclasses_travel_as_what_they_are() -> None:
    class Name(str):
        pass

    assert same(CODEC.decode(CODEC.encode({"a": Name("x"), "b": Counter("aab")})), {"a": "x", "b": {"a": 2, "b": 1}})
    assert CODEC.decode(CODEC.encode(datetime(2026, 1, 1, tzinfo=UTC))) == datetime(2026, 1, 1, tzinfo=UTC)
    assert same(CODEC.decode(CODEC.encode([date(2026, 1, 1), Decimal("1.50")])), [date(2026, 1, 1), Decimal("1.50")])


def test_depth_size_and_count_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    deep: Any = 1
    for _ in range(codecs.DEEPEST):
        deep = [deep]
    assert CODEC.decode(CODEC.encode(deep)) == deep
    with pytest.raises(MalformedMessage, match="nested"):
        CODEC.encode([deep])
    with pytest.raises(MalformedMessage, match="nested"):
        CODEC.decode(b'{"a":' * 101 + b"1" + b"}" * 101)
    line = CODEC.encode([[]] * 1_000)
    monkeypatch.setattr(codecs, "_MAX_VALUES", 1_000)
    with pytest.raises(MalformedMessage, match="too long"):
        CODEC.decode(line)
    monkeypatch.undo()
    monkeypatch.setattr(codecs, "MAX_MESSAGE_BYTES", 1_000)
    with pytest.raises(MalformedMessage, match="too long"):
        CODEC.decode(line)


@pytest.mark.parametrize(
    "kind", [k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, GraphmemError)]
)
def test_errors_arrive_as_their_own_kind(kind: type[GraphmemError]) -> None:
    found = error_of(CODEC.decode(CODEC.encode(failure_of(kind("It failed.", path="/x", message_kind="a")))))
    assert type(found) is kind and (found.message, found.data) == ("It failed.", {"path": "/x", "message_kind": "a"})


@pytest.mark.parametrize("name", ["Exception", "SystemExit", "Any", "annotations", "__builtins__"])
def test_an_error_of_an_unknown_kind_is_a_store_error(name: Any) -> None:
    found = error_of(messages.Failure(name, "x", {"message": 1}))
    assert type(found) is StoreError and found.message == "x"
