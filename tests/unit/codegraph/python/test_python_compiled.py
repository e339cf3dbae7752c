"""The compiled form of the Python front end: it is used while it fits its sources and only then, it finds what the
interpreted one finds, and no line of things that lead to each other is too long for either."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from graphmem.codegraph import compiled, python
from graphmem.codegraph.python import machine
from graphmem.codegraph.python_frontend import link, parse

_LONG = 1_500
_PACKAGE = Path(python.__file__).parent
_HEADER = Path(sysconfig.get_path("include")) / "Python.h"
_LINK_ALL = """
import hashlib, sys
from pathlib import Path
from graphmem.codegraph.python import machine
from graphmem.codegraph.python_frontend import link, parse

root = Path(sys.argv[1])
facts = {p.name: parse(p.name, p.read_bytes()) for p in sorted(root.glob("*.py"))}
found = [link(facts, flow=flow) for flow in (False, True)]
print(Path(machine.__file__).parent.name, len(found[1].edges), hashlib.sha256(repr(found).encode()).hexdigest())
"""


@pytest.mark.skipif(Path(machine.__file__).suffix == ".py", reason="graphmem was installed without a compiler")
def test_compiled_and_interpreted_find_the_same() -> None:
    said = []
    for choice in ("1", "0"):
        environment = {**os.environ, "GRAPHMEM_COMPILED": choice}
        command = [sys.executable, "-c", _LINK_ALL, str(_PACKAGE)]
        said.append(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split())
    assert [where for where, *_ in said] == ["compiled", "python"]
    assert said[0][1:] == said[1][1:] and int(said[0][1]) > 1_000


@pytest.mark.skipif(not shutil.which("cc") or not _HEADER.is_file(), reason="nothing could be compiled here")
def test_what_can_be_compiled_was() -> None:
    """Installing goes on without what mypyc refuses, so that nobody would notice."""
    failed = _PACKAGE / "compiled" / "failed.txt"
    assert not failed.is_file() or not failed.read_text("utf-8")


def test_an_edited_source_is_never_shadowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "graphmem" / "codegraph" / "python"
    made = package / "compiled"
    made.mkdir(parents=True)
    source = package / "machine.py"
    source.write_text("old = 1\n")
    library = made / f"native__mypyc{compiled._SUFFIX}"
    library.write_bytes(b"code")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    (made / "sources.json").write_text(
        json.dumps({"sources": {"graphmem/codegraph/python/machine.py": digest}, "sizes": {library.name: 4}})
    )
    monkeypatch.setattr(compiled, "_ROOT", tmp_path)
    monkeypatch.delenv("GRAPHMEM_COMPILED", raising=False)
    assert compiled.search_path(str(package)) == [str(made), str(package)]
    monkeypatch.setenv("GRAPHMEM_COMPILED", "0")
    assert compiled.search_path(str(package)) == [str(package)]
    monkeypatch.delenv("GRAPHMEM_COMPILED")
    library.write_bytes(b"cod")
    assert compiled.search_path(str(package)) == [str(package)]
    library.write_bytes(b"code")
    source.write_text("new = 1\n")
    assert compiled.search_path(str(package)) == [str(package)]
    (made / "sources.json").write_text("{")
    assert compiled.search_path(str(package)) == [str(package)]


_LINES: dict[str, Callable[[], dict[str, str]]] = {
    "classes": lambda: {"a.py": "".join(f"class A{n}(A{n + 1}): pass\n" for n in range(_LONG)) + "A0().f()\n"},
    "imports": lambda: {f"m{n}.py": f"from m{n + 1} import x\nx()\n" for n in range(_LONG)},
    "star imports": lambda: {f"m{n}.py": f"from m{n + 1} import *\nx()\n" for n in range(_LONG)},
    "aliases": lambda: {"a.py": "".join(f"A{n} = A{n + 1}\n" for n in range(_LONG)) + "def g(a: A0): return a.f()\n"},
    "calls": lambda: {"a.py": "".join(f"def f{n}(x): return f{n + 1}(x)\n" for n in range(_LONG))},
    "annotations": lambda: {"a.py": "x: a" + "[b]" * _LONG + " = 1\n"},
    "attributes": lambda: {"a.py": "x = a" + ".b" * _LONG + "\n"},
    "branches": lambda: {"a.py": "if a:\n  b()\n" + "elif a:\n  c()\n" * _LONG},
}


@pytest.mark.parametrize("line", _LINES)
def test_no_line_is_too_long(line: str) -> None:
    """A file may be refused as nested too deep (which the caller of `parse` reports); what was parsed is linked."""
    try:
        facts = {path: parse(path, text.encode()) for path, text in _LINES[line]().items()}
    except RecursionError:
        assert line in ("annotations", "attributes", "branches")
        return
    for flow in (False, True):
        link(facts, flow=flow)
