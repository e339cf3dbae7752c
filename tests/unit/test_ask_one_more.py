"""What one more of a kind needs: the places that name several of those that there are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory

PYTHON = {
    "base.py": "class Reader:\n    def read(self, path):\n        raise NotImplementedError\n\n\ndef clean(text):\n    return text\n",
    "registry.py": "from readers.crane import CraneReader\nfrom readers.ferry import FerryReader\nfrom readers.lamp import LampReader\n\n\n"
    'def make(kind):\n    if kind == "crane":\n        return CraneReader()\n    if kind == "ferry":\n        return FerryReader()\n'
    "    return LampReader()\n\n\ndef log(kind):\n    return 'lift' if kind == 'crane' else 'swim' if kind == 'ferry' else ''\n",
    "settings.toml": '[readers]\nkinds = ["crane", "ferry", "lamp"]\n',
}
GO = {
    "go.mod": "module example.org/shop\n",
    "base.go": "package shop\n\ntype Store interface{ Read(path string) string }\n\nfunc Register(name string, s Store) {}\n",
    "cmd/main.go": 'package main\n\nimport (\n\t"example.org/shop/disk"\n\t"example.org/shop/tape"\n\t"example.org/shop/web"\n)\n\n'
    'func open(kind string) any {\n\tswitch kind {\n\tcase "disk":\n\t\treturn disk.New()\n\tcase "tape":\n\t\treturn tape.New()\n'
    '\tcase "web":\n\t\treturn web.New()\n\t}\n\treturn nil\n}\n',
}


def _python(name: str) -> dict[str, str]:
    title = name.title()
    text = f"from base import Reader, clean\n\n\nclass {title}Reader(Reader):\n    def read(self, path):\n        return clean(path)\n"
    return {f"readers/{name}.py": text, f"tests/test_{name}.py": f"from readers.{name} import {title}Reader\n"}


def _go(name: str) -> dict[str, str]:
    text = (
        f'package {name}\n\nimport "example.org/shop"\n\ntype Store struct{{}}\n\nfunc New() *Store {{ return &Store{{}} }}\n\n'
        f'func (s *Store) Read(path string) string {{ return path }}\n\nfunc init() {{ shop.Register("{name}", New()) }}\n'
    )
    return {f"{name}/store.go": text}


@pytest.mark.parametrize(
    ("base", "one", "names", "expected"),
    [
        (PYTHON, _python, ("crane", "ferry", "lamp"),
         ["3 in readers/*.py: crane, ferry, lamp", "most of them extend Reader (base.py:1)", "most of them call clean (base.py:6)",
          "registry.py:1 outside of functions: 3", "registry.py:7 make: 3", "settings.toml:2 config: 3", "registry.py:15 log: 2 (not lamp)"]),
        (GO, _go, ("disk", "tape", "web"),
         ["3 in */store.go: disk, tape, web", "most of them implement Store (base.go:3)", "most of them call Register (base.go:5)",
          "cmd/main.go:4 outside of functions: 3", "cmd/main.go:11 open: 3"]),
    ],
)  # fmt: skip
def test_one_more_is_named_where_several_are_named(
    memory: Memory,
    tmp_path: Path,
    base: dict[str, str],
    one: Callable[[str], dict[str, str]],
    names: tuple[str, ...],
    expected: list[str],
) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", base)
    what = "reader" if base is PYTHON else "store"
    for name in names:
        repository.commit(f"Add the {name} {what}", one(name))
    memory.init(repository.path)
    found = memory.ask(f"what must change to add a {what}?")
    assert found.type == "additions"
    assert [line for line in found.lines if line in expected] == expected
