"""Unused code that only something outside of the tree could call: methods below a base from outside, filters of templates."""

from __future__ import annotations

from pathlib import Path

from graphmem import Memory
from graphmem.interfaces.mcp.answers import format_answer as answer_of

MODELS = (
    "from django.db import models\n\n\nclass Check(models.Model):\n    def grace(self):\n        return 1\n\n"
    "    def in_template(self):\n        return 2\n\n    def clean_name(self):\n        return 3\n\n    def told(self):\n        return 4\n"
)
TAGS = (
    "from django import template\n\nregister = template.Library()\n\n\n@register.filter\ndef underline(text):\n    return text\n\n\n"
    "@register.filter(name='first')\ndef first_five(text):\n    return text[:5]\n\n\n@register.simple_tag\ndef now_here():\n    return 1\n"
)


def test_methods_below_a_base_from_outside_are_doubtful_if_nothing_names_them(memory: Memory, tmp_path: Path) -> None:
    files = {
        "api/models.py": MODELS,
        "templates/check.html": "{{ check.in_template }}\n<p style='text-decoration: underline'>{{ x|first }} {% now_here %}</p>\n",
        "docs/models.md": "A check has `told`, and `told` again.\n",
        "api/tags.py": TAGS,
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    memory.index_code(tmp_path)
    found = memory.code.dead("api/models.py")
    doubted = {place.short_name: where for place, where in found.doubts}
    assert doubted == dict.fromkeys(
        ("Check.grace", "Check.told"), "nowhere, but django.db.models.Model from outside may call it"
    )
    assert "\napi/models.py: 1 public that nothing here uses" in answer_of("code dead", found)
    tags = memory.code.dead("api/tags.py", exported=True)
    assert [place.name.rpartition(".")[2] for place, _ in tags.dead] == ["underline"] and tags.path == "api/tags.py"


def test_members_that_a_template_names_are_no_unused_ones(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web/main.go").write_text(
        'package main\n\ntype page struct {\n\tLanguage string\n\tGone     string\n}\n\nfunc (p page) Title() string { return "" }\n\n'
        'func main() { show(page{"go", ""}) }\n\nfunc show(any) {}\n'
    )
    (tmp_path / "web/index.html.tmpl").write_text("<p>Gone .Gone</p>\n<p>{{ .Title }} in {{ .Page.Language }}</p>\n")
    memory.index_code(tmp_path)
    found = memory.code.dead(exported=True)
    named = {place.short_name: where for place, where in found.doubts}
    assert named == {"page.Title": "web/index.html.tmpl:2", "page.Language": "web/index.html.tmpl:2"}
    assert [place.short_name for place, _ in found.values] == ["page.Gone"]


def test_methods_of_an_object_that_a_call_is_given_are_used_by_what_takes_it(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/stream.ts").write_text(
        "export function one(): ReadableStream {\n  return new ReadableStream({\n    cancel() {\n      one()\n    },\n  })\n}\n"
        "export function two() {\n  return {\n    forgotten() {\n      one()\n    },\n  }\n}\none(); two()\n"
    )
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/use.ts").write_text(
        "import { one } from '../src/stream'\nfunction show() { one() }\nshow()\n"
    )
    memory.index_code(tmp_path)
    found = memory.code.dead("src", exported=True)
    assert [place.name.rpartition(".")[2] for place, _ in found.dead] == ["forgotten"] and found.spared[
        "given to a call"
    ] == 1
    assert [call.symbol.short_name for call in memory.code.callers("one", path="examples", no_tests=True).calls] == [
        "show"
    ]
    assert memory.code.callers("one", no_tests=True).hidden_tests == 1
