"""Following values through JavaScript takes time in proportion to a file's length, however much of it bears on each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import assert_about_linear

from graphmem.codegraph.build import build

WRITTEN = {  # name: what stands above, and the lines that are repeated
    "lists of which each is assigned to": ("", "const a{i}=[];a{i}[k]=f{i};function f{i}(){{a{i}[0]()}}"),
    "one list that is assigned to": ("const a=[];", "a[k{i}]=f{i};function f{i}(){{a[j]()}}"),
    "one list that is added to": ("const a=[];", "a.push(f{i});function f{i}(){{a.pop()();a.map(f{i})}}"),
    "lists of lists": ("let a0=[f];function f(){{}}", "let a{j}=[...a{i},f];a{j}.forEach(x=>x());"),
    "members of one name": ("", "o{i}.m=f{i};function f{i}(){{o{i}.m();o{j}.m=o{i}.m}}"),
    "one variable": ("let x=f0;function g(a,b){{return a||b}}", "x=g(x,f{i});function f{i}(){{x()}}"),
    "arguments by place": ("", "g(f{i},f{i});function f{i}(){{arguments[{i}]()}}"),
    "classes that extend each other": ("", "class A{j} extends A{i}{{m(){{super.m();this.m()}}}}"),
    "constructors": ("", "function f{i}(){{this.m{i}=f{j};this.m{j}()}}f{i}.call(f{j});f{i}.prototype.g=f{i}"),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_values_are_followed_in_proportion_to_the_length_of_a_script(case: str, tmp_path: Path) -> None:
    first, line = WRITTEN[case]

    def index(times: int) -> None:
        root = tmp_path / str(times)
        root.mkdir(exist_ok=True)
        (root / "a.js").write_text("\n".join([first, *(line.format(i=i, j=i + 1) for i in range(times))]))
        build(root, alone=True)

    assert_about_linear(index, 3_200, enough=4.0)


@pytest.mark.parametrize(
    ("name", "first", "link", "last"),
    [
        ("a.js", "function clean(text) {\n  text = (text || '').trim()", ".replace(/{i}/, '')", ";\n  return text.trim();\n}\n"),
        ("a.rb", "def clean(text)\n  text = (text || '').strip", ".sub('{i}', '')", "\n  text.strip\nend\n"),
    ],
)  # fmt: skip
def test_a_variable_that_is_made_of_itself_is_followed_once(
    name: str, first: str, link: str, last: str, tmp_path: Path
) -> None:
    """Each call of the chain asks for the call before it twice, which depends on the variable: answers hold while it is under way."""
    (tmp_path / name).write_text(first + "".join(link.format(i=i) for i in range(60)) + last)
    assert [symbol.name for symbol in build(tmp_path, alone=True).facts[name].symbols[1:2]] == ["clean"]
