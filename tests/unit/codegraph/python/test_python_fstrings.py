"""F-strings of Python 3.12 and later, read by every version: definitions, calls in their fields, and where they stand."""

from __future__ import annotations

import ast
import warnings
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples

from graphmem.codegraph.python.fstrings import replace_fstrings
from graphmem.codegraph.python.source import parse_text
from graphmem.codegraph.python_frontend import link, parse

NEW = '''
def one(d): pass
def two(d): pass
def three(d): pass

def nested(d):
    return f"{d["key"]} of {one(d["x"])!r:>{two(1)}} {{none}}" + three(2)

def escaped(d): return f"{'\\n'.join(one(d))} \\N{EM DASH}" "then" f'{two('it')}'

class Report:
    def title(self):
        text = f"""all {
            one("""of""")  # with a "comment {
            + two(f"{three(f"{one("it")}")}")
        } end""", three(4)
        return text, f"{self.line()=} {"쉼" + self.line(',')}", one(5)

    def line(self): return rf'{two(f'\\{self}')}{3 != len("}")}'

print 'an older dialect'
'''


def test_definitions_and_calls_of_new_f_strings_are_found_where_they_stand() -> None:
    facts = parse("m.py", NEW.encode())
    assert facts.errors == 0
    calls = [edge for edge in link({"m.py": facts}).edges if edge.type == "CALLS" and "<builtin>" not in edge.target]
    found = {(edge.source.rpartition(":m.")[2], edge.target.rpartition(":m.")[2], edge.line) for edge in calls}
    assert found == {  # one of a caller and a callee, the first
        ("nested", "one", 7), ("nested", "two", 7), ("nested", "three", 7), ("escaped", "one", 9), ("escaped", "two", 9),
        ("Report.title", "one", 14), ("Report.title", "two", 15), ("Report.title", "three", 15),
        ("Report.title", "Report.line", 17), ("Report.line", "two", 19),
    }  # fmt: skip
    lines = NEW.encode().split(b"\n")
    for node in ast.walk(parse_text(NEW)[0]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id != "print":
            assert lines[node.lineno - 1][node.col_offset :].decode().startswith(f"{node.func.id}(")


@pytest.mark.parametrize(
    "source", ['t"{one(1)}"', 'rt"{one(1)}"', "f'{one('a')}'", 'f"{one("\\\\")}"', 'f"{one(\n1)}"']
)
def test_each_is_read(source: str) -> None:
    (statement,) = parse_text(f"x = {source}\n")[0].body
    assert any(isinstance(node, ast.Call) for node in ast.walk(statement))


@pytest.mark.parametrize(
    "source", ['f"{x["a"]"', 'f"{x["a")}"', 'f"{"', "f'{a!x}{'", 'f"{a b["c"]}"', 'f"""{"""', "f'{"]
)
def test_what_is_no_f_string_costs_no_definition(source: str) -> None:
    names = {
        n.name
        for n in ast.walk(parse_text(f"def f():\n    {source}\n\ndef g(): pass\n")[0])
        if isinstance(n, ast.FunctionDef)
    }
    assert "g" in names


_PIECES = st.sampled_from(
    [*"abc01 \t\n{}()[]:!=#\\,.", "f'", 'f"', 'rf"', "'", '"', "f'''", '"""', "{{", "}}", "{a}", "{b!r:>{c}}", "\\n", "\\N{DASH}",
     "f'{a[\"b\"]}'", "f\"{a:{'x'}}\"", "{x=}", "한", "def f():\n  ", "'a' "]
)  # fmt: skip


@settings(max_examples=examples(400), deadline=None)
@given(st.lists(_PIECES, max_size=25).map("".join))
def test_what_can_be_read_is_never_changed_and_lines_always_stay(text: str) -> None:
    again, _ = replace_fstrings(text)
    assert again.count("\n") == text.count("\n")
    with suppress(SyntaxError, ValueError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ast.parse(text)
        assert again == text


@settings(max_examples=examples(200), deadline=None)
@given(st.recursive(st.sampled_from(["one(1)", "x['a']", 'x["a"]', "'\\n'"]),
                    lambda inner: st.builds("f{1}{{ {0} }}{1}".format, inner, st.sampled_from(["'", '"', '"""', "'''"])), max_leaves=4))  # fmt: skip
def test_however_deep_they_stand_in_each_other(source: str) -> None:
    tree, errors = parse_text(f"def f(x):\n    return {source}\n")
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    assert errors == 0 and len(calls) == source.count("one(")
    assert all((node.lineno, node.col_offset) == (2, 11 + source.index("one(")) for node in calls)
