"""Templates that name a member are told beside its callers."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.interfaces.mcp.answers import format_answer as answer_of


@pytest.mark.parametrize(
    ("files", "symbol", "places"),
    [
        ({"models.py": "class Check:\n    def get_status(self):\n        return 1\n",
          "templates/a.html": "<p>{{ check.get_status }}</p>\n.get_status {}\n{% if c.get_status == 'up' %}\n{{ x.get_status_text }}\n"},
         "Check.get_status", ("templates/a.html:1", "templates/a.html:3")),
        ({"tags.py": "from django import template\n\nregister = template.Library()\n\n\n@register.filter\ndef underline(text):\n    return text\n",
          "templates/b.html": "{{ title|underline }} text-decoration: underline\n<b style='underline'>{{ x }}</b>\n"},
         "underline", ("templates/b.html:1",)),
        ({"check.rb": "class Check\n  def status\n    1\n  end\nend\n", "app/views/c.html.erb": "<%= @check.status %>\n"},
         "Check.status", ("app/views/c.html.erb:1",)),
        ({"go.mod": "module a\n", "check.go": "package a\n\ntype Check struct{}\n\nfunc (c Check) Status() int { return 1 }\n",
          "web/d.tmpl": "{{ .Check.Status }}\n"}, "Check.Status", ("web/d.tmpl:1",)),
    ],
)  # fmt: skip
def test_lines_of_templates_that_name_a_member(
    memory: Memory, tmp_path: Path, files: dict[str, str], symbol: str, places: tuple[str, ...]
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    memory.index_code(tmp_path)
    found = memory.code.callers(symbol)
    assert found.templates == places
    said = answer_of("code callers", found)
    assert "it, perhaps of another object: " in said and "no unresolved call has its name" not in said
