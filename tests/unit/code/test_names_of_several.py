"""A name that several symbols have is answered, not refused; callers come with the text of their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.errors import AmbiguousName, NotFound
from graphmem.interfaces.mcp.answers import format_answer
from graphmem.interfaces.text.code import calls_text, impact_text
from graphmem.interfaces.toolbox import Toolbox
from graphmem.interfaces.verbs.registry import VERBS
from graphmem.interfaces.verbs.several import Several

STORES = """from abc import ABC, abstractmethod


class Store(ABC):
    @abstractmethod
    def free(self, job): ...


class Disk(Store):
    def free(self, job):
        return job

    def clean(self, jobs):
        for job in jobs:
            self.free(job)


class Memory(Store):
    def free(self, job):
        return self


def finish(store: Store, job):
    store.free(job)
    # free it once more
    store.free(job)
"""


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def _verb(name: str):
    return next(verb for verb in VERBS if verb.name == name).call


def test_methods_that_override_each_other_are_one_name(memory: Memory, tmp_path: Path) -> None:
    memory.index_code(_write(tmp_path, {"stores.py": STORES}))
    found = memory.code.callers("free")
    assert found.symbol.name == "stores.Store.free"
    assert {place.name for place in found.family} == {"stores.Disk.free", "stores.Memory.free"}
    assert {call.symbol.name for call in found.calls} == {"stores.Disk.clean", "stores.finish"}
    text, end = calls_text(found)
    assert "  15  Disk.clean  self.free(job)" in text
    assert "  24, 26  finish  store.free(job)" in text  # not the comment between them
    assert "2 callers of stores.Store.free or of Disk.free, Memory.free, the same method" in end
    assert [row.symbol.name for row in memory.code.implementations("free").implemented_by] == [
        "stores.Disk",
        "stores.Memory",
    ]
    assert {row.symbol.name for row in memory.code.impact("free").reached} >= {"stores.Disk.clean", "stores.finish"}
    with pytest.raises(AmbiguousName):
        memory.code.source("free")  # each has its own
    assert isinstance(_verb("code source")(memory, ["free"]), Several)


def test_symbols_that_share_a_name_are_answered_one_by_one(memory: Memory, tmp_path: Path) -> None:
    kinds = "".join(f"class K{n}:\n    def run(self):\n        return {n}\n\n\n" for n in range(6))
    calls = "def twice(a: K4):\n    a.run()\n\n\ndef once(a: K4, b: K2):\n    a.run()\n    b.run()\n"
    memory.index_code(_write(tmp_path, {"kinds.py": kinds + calls}))
    with pytest.raises(
        NotFound, match=r"`run` is ambiguous; choose one: kinds\.py:kinds\.K4\.run, kinds\.py:kinds\.K2\.run"
    ):
        memory.code.callers("run")
    found = _verb("code callers")(memory, ["run", "kinds.once"])
    said = format_answer("code callers", found)
    assert "`run` is the name of 6 symbols; nothing is known of kinds.py:kinds.K0.run, kinds.py:kinds.K1.run;" in said
    assert "not asked about: kinds.py:kinds.K3.run, kinds.py:kinds.K5.run." in said
    assert (
        "2 callers of kinds.K4.run" in said and "1 caller of kinds.K2.run" in said and "0 callers of kinds.once" in said
    )
    assert "2 callers of kinds.K4.run" in Toolbox(memory).call("code_callers", {"symbol": "run"})


def test_lines_are_quoted_unless_the_answer_would_be_long_or_they_changed(memory: Memory, tmp_path: Path) -> None:
    files = {"a.py": "def tax(n):\n    return n\n\n\ndef bill():\n    return tax(1)\n"}
    files["tests/test_a.py"] = "from a import tax\n\n\ndef test_tax():\n    assert tax(1)\n"
    memory.index_code(_write(tmp_path, files))
    assert [call.text for call in memory.code.callers("tax").calls] == ["return tax(1)", ""]  # a test is only named
    assert "  6  bill  return tax(1)" in impact_text(memory.code.impact("tax"))[0]
    small = memory.code.callers("tax", budget=60)
    assert [call.text for call in small.calls][:1] in ([], [""])
    (tmp_path / "a.py").write_text(f"import os\n{files['a.py']}")
    assert [call.text for call in memory.code.callers("tax").calls] == ["", ""]
    many = "".join(f"def bill_{n}():\n    return tax({n})\n\n\n" for n in range(41))
    memory.index_code(_write(tmp_path, {"a.py": files["a.py"], "many.py": f"from a import tax\n\n\n{many}"}))
    assert not any(call.text for call in memory.code.callers("tax").calls)


def test_a_quoted_line_has_no_secret(memory: Memory, tmp_path: Path) -> None:
    secret = 'def send(key):\n    return key\n\n\ndef go():\n    return send("AKIAIOSFODNN7EXAMPLQ")\n'
    memory.index_code(_write(tmp_path, {"a.py": secret}))
    [call] = memory.code.callers("send").calls
    assert "AKIA" not in call.text and call.text.startswith("return send(")


def test_a_function_of_another_go_package_is_no_method_that_may_be_overridden(memory: Memory, tmp_path: Path) -> None:
    text = (
        'package log\n\nimport "example.com/env"\n\ntype quiet struct{}\n\nfunc (q quiet) Read() {}\n\n'
        "func all() { env.Read() }\n"
    )
    memory.index_code(_write(tmp_path, {"go.mod": "module example.org/log\n", "log.go": text}))
    assert not memory.code.callers("quiet.Read").through_base
