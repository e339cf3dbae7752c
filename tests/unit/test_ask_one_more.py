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


def test_importers_of_a_file_and_any_of_several_words(memory: Memory, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    files = {
        "src/tasks.ts": "export function tasks() { return 1; }\n",
        "src/run.ts": 'import { tasks } from "./tasks";\nexport const run = () => tasks();\n',
        "tests/tasks.test.ts": 'import { tasks } from "../src/tasks";\ntest("a", () => tasks());\n',
        "tests/run.test.ts": 'import { run } from "../src/run";\ntest("b", () => run());\n',
    }
    repository.commit("Begin", files)
    repository.commit("Fix the crane", {"a.txt": "1\n"})
    repository.commit("Fix the ferry", {"a.txt": "2\n"})
    repository.commit("Fix the lamp", {"a.txt": "3\n"})
    memory.init(repository.path)
    tests = memory.ask("which tests import src/tasks.ts?")
    assert tests.type == "importers" and tests.confidence == "high"
    assert tests.lines[:2] == ("1 test file imports src/tasks.ts", "tests/tasks.test.ts")
    assert tests.lines[2] == "1 more import a file that imports it: tests/run.test.ts"
    every = memory.ask("what imports src/tasks.ts?").lines
    assert every == ("1 file imports src/tasks.ts, and 1 test file", "src/run.ts", "tests/tasks.test.ts")
    either = memory.ask("which bugs in the crane or the ferry were fixed?")
    assert {line.partition("Fix the ")[2] for line in either.lines if "Fix the" in line} == {"ferry", "crane"}
    assert either.confidence != "high" and "--all-match" not in either.commands[0]


def test_members_of_objects_that_are_declared_with_an_interface(memory: Memory, tmp_path: Path) -> None:
    files = {
        "pool.ts": "export interface Pool { close(): void; size: number; }\nexport interface Plugin { name: string; }\n",
        "make.ts": 'import type { Pool, Plugin } from "./pool";\nexport function make() {\n  const pool: Pool = {\n    size: 1,\n'
        "    close() { return; },\n    release() { return this.close(); },\n  };\n  return pool;\n}\n"
        'export const plugin: Plugin = { name: "a" };\n',
        "use.ts": 'import type { Pool } from "./pool";\nexport function end(pool: Pool) { pool.close(); }\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    memory.index_code(tmp_path)
    found = memory.code.callers("Pool.close")
    assert [call.symbol.name for call in found.calls] == ["use.end"]
    assert [place.short_name for place in found.below] == ["make.pool.release"] and found.of_overriding == 1
    assert memory.ask("which objects implement `Plugin`?").confidence == "suggested"


def test_objects_that_implement_a_type_or_a_type_that_has_it(memory: Memory, tmp_path: Path) -> None:
    files = {
        "kinds.ts": "export interface Hooks { load(): void; stop(): void; }\nexport interface Plugin { name: string; hooks?: Hooks; }\n"
        "export interface Pool { hooks: Hooks; }\n",
        "tape.ts": 'import type { Plugin } from "./kinds";\nexport const TapePlugin: Plugin = {\n  name: "tape",\n'
        "  hooks: {\n    async load() { return; },\n  },\n};\n"
        'export const Bare: Plugin = { name: "bare" };\n',
        "disk.ts": 'import type { Plugin, Hooks } from "./kinds";\nexport function disk(): Plugin {\n'
        '  return { name: "disk", hooks: { stop: () => undefined } };\n}\n'
        "export const quiet = {\n  load() {},\n  stop() {},\n} satisfies Hooks;\n",
        "web.js": '/** @type {import("./kinds").Plugin} */\nexport const web = {};\n'
        '/** @type {Plugin} */\nexport const plain = {\n  name: "web",\n  hooks: { load() {} },\n};\n',
        "shapes.py": "from typing import Callable, TypedDict\n\n\nclass Steps(TypedDict):\n    begin: Callable\n    end: Callable\n",
        "steps.py": 'from shapes import Steps\n\nSLOW: Steps = {\n    "begin": print,\n    "end": print,\n}\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    memory.index_code(tmp_path)
    found = memory.ask("which plugins implement Hooks?")
    assert found.lines[1:] == (
        "disk.ts: quiet 5",
        "3 written as objects:",
        "disk.ts:2 disk, a Plugin, has stop",
        "tape.ts:2 TapePlugin, a Plugin, has load",
        "web.js:4 plain, a Plugin, has load",
    )
    assert found.confidence != "high"
    assert "steps.py:3 SLOW, a Steps, has begin, end" in memory.ask("which dictionaries implement Steps?").lines


TYPESCRIPT_OPTIONS = {
    "types.ts": "export interface CraneOptions {\n  maxLoad?: number;\n  slowStart?: boolean;\n  jibKey?: string;\n  hook?: string;\n}\n",
    "job.ts": "export interface Lift {\n  max_load: number;\n  slow_start: boolean;\n  jib_key: string;\n}\n",
    "limits.ts": "export const CRANE_MAX_LOAD = 1;\nexport const CRANE_SLOW_START = 2;\n",
    "parse.ts": 'import type { CraneOptions } from "./types";\nexport function parse(text: string): CraneOptions {\n'
    '  return { maxLoad: 1, slowStart: true, jibKey: text, hook: "a" };\n}\nexport function other() { return 1; }\n',
    "guide.md": "# Options\n\nIt knows `maxLoad`, `slowStart` and `jibKey`.\n",
}
PYTHON_SETTINGS = {
    "settings.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass FerrySettings:\n    max_load: int\n    slow_start: bool\n    deck: str\n",
    "load.py": "from settings import FerrySettings\n\n\ndef load(rows):\n"
    '    return FerrySettings(max_load=rows[0], slow_start=rows[1], deck="upper")\n\n\ndef other():\n    return 1\n',
}


@pytest.mark.parametrize(
    ("files", "question", "expected"),
    [
        (TYPESCRIPT_OPTIONS, "what must change to add a crane option?",
         ("4 places mention 2 or more of the 4 fields of interface CraneOptions (types.ts:1), most first",
          "parse.ts:3 parse: 4", "job.ts:2 Lift: 3", "guide.md:3 document: 3", "limits.ts:1 the file: 2")),
        (PYTHON_SETTINGS, "what must change to add another ferry setting?",
         ("1 place mentions 2 or more of the 3 fields of class FerrySettings (settings.py:5), most first", "load.py:5 load: 3")),
    ],
)  # fmt: skip
def test_one_more_option_is_named_where_fields_of_its_type_are(
    memory: Memory, tmp_path: Path, files: dict[str, str], question: str, expected: tuple[str, ...]
) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", files)
    memory.init(repository.path)
    found = memory.ask(question)
    assert found.type == "additions" and found.confidence != "high"
    assert sorted(expected) == sorted(line for line in found.lines if line in expected), found.lines


def test_variables_that_only_scripts_and_benchmarks_read_are_counted(memory: Memory, tmp_path: Path) -> None:
    files = {
        "src/main.ts": "export const port = process.env.SHOP_PORT;\n",
        "src/scripts/run.ts": "export const run = process.env.SHOP_RUN;\n",
        "perfTest/run.ts": "export const jobs = process.env.SHOP_JOBS;\n",
        "scripts/release.py": 'import os\n\nTOKEN = os.environ["SHOP_TOKEN"]\n',
        "benchmarks/speed.py": 'import os\n\nROUNDS = os.environ["SHOP_ROUNDS"]\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    memory.index_code(tmp_path)
    found = memory.ask("which environment variables are read?").lines
    assert found[0].startswith("2 variables are read")
    assert [line.partition(" ")[0] for line in found[1:3]] == ["SHOP_PORT", "SHOP_RUN"]
    assert not any(line.startswith(("SHOP_JOBS", "SHOP_TOKEN", "SHOP_ROUNDS")) for line in found)


def test_a_field_that_is_removed_from_a_type_is_what_is_asked_about(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module example.org/shop\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "a.go").write_text("package models\n\ntype Cart struct {\n\tTax int\n\tSum int\n}\n")
    (tmp_path / "b.go").write_text(
        'package shop\n\nimport "example.org/shop/models"\n\nfunc Bill(c models.Cart) int { return c.Tax }\n\n'
        "func Total(c models.Cart) int { return c.Sum }\n"
    )
    memory.index_code(tmp_path)
    found = memory.ask("if the field Tax were removed from models.Cart, which functions would no longer compile?")
    assert found.lines[0].startswith("field Cart.Tax (models/a.go:4) is read at 1 place")
    assert any("b.go:5" in line for line in found.lines) and not any("b.go:7" in line for line in found.lines)


def test_everything_that_names_one_of_a_kind(memory: Memory, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    kinds = ("crane", "ferry", "lamppost", "webhook")
    files = {f"links/{kind}/{name}.py": f"x = '{kind}'\n" for kind in kinds for name in ("urls", "send")}
    every = "\n".join(f'    "{kind}": "links.{kind}",' for kind in kinds)
    files |= {
        "links/lamppost/img/lamppost.png": "",
        "models.py": f"KINDS = {{\n{every}\n}}\n",
        "pages/list.html": "{% url 'add-lamppost' %}\n<h2>Lamp Post</h2>\n",
        "pages/some.html": "{% if kind == 'crane' %}{% elif kind == 'ferry' %}{% endif %}\n",
        "docs/links.md": "# Links\n\nLamp post and crane.\n",
        "tests/test_lamppost.py": "from links.lamppost import send\n",
    } | {f"i18n/{code}.json": '{"add": "Lamp Post"}\n' for code in ("de", "en", "fr", "it", "ko", "nl")}
    repository.commit("Link cranes", {name: text for name, text in files.items() if "crane" in name})
    repository.commit("Add the lamppost", files)
    repository.commit("Name the lamppost in the plan", {"plan.py": "PLAN = ['lamppost']\n"})
    memory.init(repository.path)
    found = memory.ask("what must change to add a new link like lamppost?")
    assert found.type == "additions" and found.confidence != "high"
    assert found.lines[:2] == (
        "4 files are called `lamppost` or in a folder of that name: links/lamppost/img/ lamppost.png; links/lamppost/ send.py,"
        " urls.py; tests/ test_lamppost.py",
        "4 of its kind are in links/*/urls.py: crane, ferry, lamppost, webhook",
    )
    expected = (
        "10 other files name `lamppost`:", "code:",
        'models.py:4: "lamppost": "links.lamppost", (the file names 3 of the other 3)',
        "plan.py:1 PLAN: PLAN = ['lamppost']", "templates, styles and other files:", 'i18n/de.json:1: {"add": "Lamp Post"}',
        "i18n/*.json: 5 more files name it", "pages/list.html:1: {% url 'add-lamppost' %}", "pages/list.html:2: <h2>Lamp Post</h2>",
        "documents:", "docs/links.md:3: Lamp post and crane. (the file names 1 of the other 3)",
        "1 file names two or more of its kind without `lamppost`; perhaps only some have to be there:", "pages/some.html: 2",
    )  # fmt: skip
    assert found.lines[2 : 2 + len(expected)] == expected
    assert found.lines[-2].endswith(
        "Add the lamppost; 4 of its own files and docs/links.md, i18n/de.json, i18n/en.json, i18n/fr.json, i18n/it.json, i18n/ko.json …"
    )
    assert found.lines[-1].endswith("Name the lamppost in the plan; plan.py")
