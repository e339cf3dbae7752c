"""Changes in JSON with comments leave every other character alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmem.errors import UsageError
from graphmem.interfaces.install import jsonc

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
OBJECTS = st.dictionaries(st.text(max_size=5).filter(lambda key: key != "ours"), VALUES, max_size=4)

SETTINGS = """// mine
{
    "editor.tabSize": 4, // narrow
    /* servers
       of the team */
    "servers": {
        "other": { "command": "x", "args": ["a//b", "/*c*/"] }, // keep
        // "old": {},
    },
    "last": true
}
"""


def test_a_member_goes_in_and_out_without_a_trace() -> None:
    added = jsonc.put(SETTINGS, ("servers", "ours"), {"command": "g", "args": ["mcp"]})
    assert jsonc.parse(added).value["servers"]["ours"] == {"command": "g", "args": ["mcp"]}
    assert "// narrow" in added and '// "old": {},' in added
    assert jsonc.remove(added, ("servers", "ours")) == SETTINGS


@pytest.mark.parametrize("text", ["{}", "{}\n", '{"a": 1}', '{\n\t"a": 1 // one\n}\n', '{\r\n  "a": [1, 2],\r\n}\r\n', '\ufeff{\n  "a": {}\n}'])  # fmt: skip
def test_the_inverse_is_exact(text: str) -> None:
    assert jsonc.remove(jsonc.put(text, ("ours",), {"x": [1]}), ("ours",)) == text
    if '"a": {}' in text:
        assert jsonc.remove(jsonc.put(text, ("a", "ours"), 1), ("a", "ours")) == text


@given(OBJECTS, st.sampled_from([None, 0, 2, "\t"]), VALUES)
def test_putting_and_taking_any_object(there: dict, indent: object, value: object) -> None:
    text = json.dumps(there, indent=indent, ensure_ascii=False)
    added = jsonc.put(text, ("ours",), value)
    assert jsonc.parse(added).value == there | {"ours": value}
    assert jsonc.remove(added, ("ours",)) == text


@given(st.lists(VALUES, max_size=4), st.sampled_from([None, 2]))
def test_appending_to_any_array(items: list, indent: object) -> None:
    text = json.dumps({"hooks": items}, indent=indent)
    added = jsonc.append(text, ("hooks",), {"ours": 1})
    assert jsonc.parse(added).value == {"hooks": [*items, {"ours": 1}]}
    assert (
        jsonc.remove(added, ("hooks",), lambda node: node.at == jsonc.parse(added).child("hooks").children[-1].at)
        == text
    )


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        node = jsonc.parse(text)
    except UsageError:
        return
    assert node.end <= len(text)


def test_what_json_accepts_is_read_the_same() -> None:
    text = '{"a": [1, -2.5e3, "\\u00e9\\"", null, true, {}], "b": {"c": []}}'
    assert jsonc.parse(text).value == json.loads(text)


def test_a_broken_file_is_refused_with_its_line() -> None:
    with pytest.raises(UsageError, match="line 2"):
        jsonc.put('{\n"a" 1}', ("b",), 1)
