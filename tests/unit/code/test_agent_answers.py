"""What an agent is told: which symbol a bare name means, where open calls are, and no more text than the answer needs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphmem import Memory
from graphmem.codegraph import cache
from graphmem.interfaces.cli import render
from graphmem.interfaces.cli.main import Invocation, build
from graphmem.interfaces.mcp.answers import format_answer as answer_of
from graphmem.interfaces.text.answers import FORMS
from graphmem.interfaces.text.code import calls_text, impact_text


def _write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def _text(answer: object) -> str:
    return "\n".join(FORMS[type(answer)](answer))


def test_a_bare_name_means_the_function_and_not_the_file(memory: Memory, tmp_path: Path) -> None:
    files = {
        "sdsalloc.h": "#define s_free free\n",
        "sds.h": "static inline int sdsalloc(const char *s) {\n    return s[0];\n}\n",
        "main.c": '#include "sds.h"\nint main(void) { return sdsalloc("x"); }\n',
    }
    memory.index_code(_write(tmp_path, files))
    assert memory.code.source("sdsalloc").symbol == "sds.sdsalloc"
    assert [call.symbol.name for call in memory.code.callers("sdsalloc").calls] == ["main.main"]
    assert memory.code.callers("sdsalloc.h").symbol.kind == "module"


def test_a_bare_name_means_the_function_and_not_a_field(memory: Memory, tmp_path: Path) -> None:
    text = "package a\n\ntype Doc struct{ Usage string }\n\ntype Cmd struct{}\n\nfunc (c *Cmd) Usage() {}\n\nfunc Help(c *Cmd) { c.Usage() }\n"
    memory.index_code(_write(tmp_path, {"go.mod": "module example.org/a\n", "a.go": text}))
    assert memory.code.callers("Usage").symbol.name == "a.Cmd.Usage"
    assert len(memory.code.path("Help", "Usage").paths) == 1
    assert memory.code.callers("Doc.Usage").symbol.kind == "field"


def test_tests_are_a_line_for_each_file(memory: Memory, tmp_path: Path) -> None:
    body = "".join(f"def test_tax_{n}():\n    assert tax({n}) == {n}\n\n\n" for n in range(40))
    files = {"shop.py": "def tax(n):\n    return n\n", "tests/test_many.py": f"from shop import tax\n\n\n{body}"}
    files["tests/test_one.py"] = "from shop import tax\n\n\ndef test_one():\n    assert tax(1) == 1\n"
    memory.index_code(_write(tmp_path, files))
    plan = memory.code.tests("tax", limit=60)
    text = _text(plan)
    assert "tests/\n  test_many.py  1 step, 40 tests: test_tax_0 4, test_tax_1 8, test_tax_2 12, …" in text
    assert "\n  test_one.py  1 step, test_one 4" in text
    assert "41 tests in 2 files reach shop.tax" in text and "pytest tests/test_many.py tests/test_one.py" in text
    assert len(text) < 400 and len(plan.tests) == 41  # `--json` has them all
    nearest = _text(memory.code.tests("tax", limit=1))
    assert (
        nearest.split("\n")[1] == "further away: tests/ test_one.py"
        and "the 1 nearest counted: --limit 41 counts all" in nearest
    )


def test_an_impact_without_tests_says_that_there_are_some(memory: Memory, tmp_path: Path) -> None:
    files = {"shop.py": "def tax(n):\n    return n\n\n\ndef rate():\n    return 1\n"}
    body = "".join(f"def test_tax_{n}():\n    assert tax({n}) == {n}\n\n\n" for n in range(40))
    memory.index_code(_write(tmp_path, {**files, "tests/test_many.py": f"from shop import tax\n\n\n{body}"}))
    assert (
        "tests that reach it: 40 left out: --tests shows them"
        in impact_text(memory.code.impact("tax", no_tests=True))[0]
    )
    assert "tests that reach it: none" in impact_text(memory.code.impact("rate", no_tests=True))[0]
    whole = impact_text(memory.code.impact("tax"))[0]
    assert "tests/test_many.py  40 tests: test_tax_0 4, test_tax_1 8, test_tax_2 12, …" in whole
    assert whole.count("test_tax_0") == 1 and "1 step" not in whole


def test_a_command_runs_many_tests_by_their_package(memory: Memory, tmp_path: Path) -> None:
    tests = "".join(f"func TestTax{n}(t *testing.T) {{ Tax({n}) }}\n" for n in range(20))
    files = {"go.mod": "module example.org/a\n", "a.go": "package a\n\nfunc Tax(n int) int { return n }\n"}
    memory.index_code(_write(tmp_path, {**files, "a_test.go": f'package a\n\nimport "testing"\n\n{tests}'}))
    assert memory.code.tests("Tax", limit=60).command == "go test ."
    assert memory.code.tests("Tax", limit=2).command == "go test . -run '^(TestTax0|TestTax1)$'"


def test_calls_of_an_external_interface_are_named(memory: Memory, tmp_path: Path) -> None:
    text = (
        'package log\n\nimport "example.com/core"\n\ntype quiet struct{}\n\nfunc (q quiet) Add(name string) {}\n\n'
        'func all(e core.Encoder) { e.Add("x") }\n'
    )
    memory.index_code(_write(tmp_path, {"go.mod": "module example.org/log\n", "log.go": text}))
    found = memory.code.impact("quiet.Add")
    assert found.through_base == 1 and [(p.name, p.file, p.line) for p in found.may_run] == [("log.all", "log.go", 9)]
    for text, end in (impact_text(found), calls_text(memory.code.callers("quiet.Add"))):
        assert "calls to methods that it overrides:\nlog.go\n  9  all" in text
        assert "1 call to a method that it overrides may run it" in end


def test_calls_of_what_overrides_a_method_are_named(memory: Memory, tmp_path: Path) -> None:
    """Who asks for the callers of a port means those of its implementations, too."""
    text = (
        "from abc import ABC, abstractmethod\n\n\nclass Port(ABC):\n    @abstractmethod\n    def read(self): ...\n\n\n"
        "class Local(Port):\n    def read(self):\n        return 1\n\n    def twice(self):\n        return self.read() * 2\n\n\n"
        "def of_port(port: Port):\n    return port.read()\n"
    )
    memory.index_code(_write(tmp_path, {"port.py": text}))
    found = memory.code.callers("Port.read")
    assert [call.symbol.name for call in found.calls] == ["port.of_port"]
    assert [(place.name, place.line) for place in found.below] == [
        ("port.Local.twice", 14)
    ] and found.of_overriding == 1
    rows, end = calls_text(found)
    assert "calls to methods that override it:\n  14  Local.twice" in rows or "port.py\n  14  Local.twice" in rows
    assert "1 call goes to methods that override it" in end
    assert not memory.code.callers("Local.twice").below


def test_files_that_import_what_uses_a_symbol_are_only_counted(memory: Memory, tmp_path: Path) -> None:
    files = {
        "tax.ts": "export interface Tax { rate: number }\n",
        "cart.ts": "import { Tax } from './tax';\n\nexport function total(tax: Tax) { return tax.rate; }\n",
        "shop.ts": "import { total } from './cart';\n",
    }
    memory.index_code(_write(tmp_path, files))
    text = impact_text(memory.code.impact("Tax.rate"))[0]
    assert "total" in text and "imported further away by 1 file, which --json lists" in text and "shop.ts" not in text
    assert "shop.ts" in impact_text(memory.code.impact("cart.ts"))[0]


def test_test_files_that_import_a_file_are_named(memory: Memory, tmp_path: Path) -> None:
    files = {
        "shop/__init__.py": "",
        "shop/tax.py": "RATE = 1\n",
        "shop/cart.py": "from shop.tax import RATE\n\nTOTAL = RATE\n",
        "tests/test_tax.py": "from shop.tax import RATE\n\n\ndef test_rate():\n    assert RATE\n",
        "tests/test_cart.py": "from shop import cart\n\n\ndef test_cart():\n    assert cart\n",
    }
    memory.index_code(_write(tmp_path, files))
    found = memory.code.tests("shop/tax.py")
    assert found.importing_tests == (("tests/test_tax.py", 1), ("tests/test_cart.py", 2))
    text = FORMS[type(found)](found)[0]
    assert "imported by 1 test file: tests/ test_tax.py" in text
    assert "1 more test file imports a file that imports it: tests/ test_cart.py" in text


def test_a_class_is_named_like_its_constructor(memory: Memory, tmp_path: Path) -> None:
    text = (
        "class Fault extends RuntimeException {\n    Fault(String s) { super(s); }\n}\n"
        'class Deep extends Fault {\n    Deep() { super("x"); }\n    void fail() { throw new Fault("y"); }\n}\n'
    )
    memory.index_code(_write(tmp_path, {"Fault.java": text}))
    assert [row.symbol.name for row in memory.code.implementations("Fault").implemented_by] == ["Fault.Deep"]
    assert {call.symbol.name for call in memory.code.callers("Fault").calls} >= {"Fault.Deep.fail"}
    assert memory.code.source("Fault").first == 1


def test_a_path_may_begin_and_end_at_any_symbol_of_a_name(memory: Memory, tmp_path: Path) -> None:
    text = (
        "class A:\n    def get(self):\n        return 1\n\n\nclass B:\n    def get(self):\n        return read_all()\n\n\n"
        "def read_all():\n    return parse_all()\n\n\ndef parse_all():\n    return 1\n"
    )
    memory.index_code(_write(tmp_path, {"a.py": text}))
    found = memory.code.path("get", "parse_all")
    assert [step.target for step in found.paths[0]] == ["a.read_all", "a.parse_all"]
    assert found.paths[0][0].source == found.start.name == "a.B.get" and not found.reverse
    back = memory.code.path("parse_all", "get")
    assert back.reverse and (back.start.name, back.end.name) == ("a.B.get", "a.parse_all")


def test_lines_of_a_file_are_below_its_path(memory: Memory, tmp_path: Path) -> None:
    files = {
        "shop/a.py": "def tax():\n    return 'the rate'\n\n\ndef pay():\n    return 'the rate'\n",
        "b.toml": 'x = "the rate"\n',
    }
    memory.index_code(_write(tmp_path, files))
    text = _text(memory.code.text("the rate"))
    assert "shop/a.py\n  2: return 'the rate'  (tax)\n  6: return 'the rate'  (pay)\n" in text
    assert 'b.toml:1: x = "the rate"  (config)' in text


def test_an_explanation_says_where_open_calls_are(memory: Memory, tmp_path: Path) -> None:
    memory.index_code(
        _write(
            tmp_path,
            {"a.rs": "struct Entry;\nimpl Entry {\n    fn depth(&self) -> u32 { 1 }\n}\nimpl Other {\n    fn depth(&self) -> u32 { 2 }\n}\n"
             "fn walk(all: Unknown) -> u32 { all.next().unwrap().depth() }\n"},
        )
    )  # fmt: skip
    text = _text(memory.code.explain("Entry.depth"))
    assert "1 unresolved (a.rs:8 walk)" in text


def test_an_explanation_names_what_overrides_and_extends_a_symbol(memory: Memory, tmp_path: Path) -> None:
    memory.index_code(
        _write(
            tmp_path,
            {"port.py": "class Crane:\n    def lift(self):\n        raise NotImplementedError\n",
             "quay.py": "from port import Crane\n\n\nclass Quay(Crane):\n    def lift(self):\n        return 1\n"},
        )
    )  # fmt: skip
    assert "overridden by: 1: Quay.lift (quay.py:5)" in _text(memory.code.explain("Crane.lift"))
    assert "overrides: 1: Crane.lift (port.py:2)" in _text(memory.code.explain("Quay.lift"))
    assert "extended by: 1: quay.Quay (quay.py:4)" in _text(memory.code.explain("Crane"))


def test_an_exact_answer_comes_without_the_hits_of_a_search(memory: Memory, repository) -> None:
    repository.commit("Add the tax", {"shop.py": "def tax(n):\n    return n\n"})
    repository.commit("Explain the tax of the shop", {"readme.md": "The tax of the shop.\n"})
    memory.init(repository.path)
    found = memory.ask("who introduced `tax`?")
    text = _text(found)
    assert found.hits and found.confidence == "high"
    assert "Add the tax" in text and "Also found" not in text
    assert text.count("2023") <= 1  # the day is said once
    assert "Found:" in _text(memory.ask("tax of the shop"))
    assert _text(memory.ask("where is the Kafka consumer of the shop?")).startswith("Not in the repository: `Kafka`.")
    said = answer_of("code history", memory.code.history("tax"))
    assert "| author |" not in said and re.search(r"\n[0-9a-f]{8} \d{4}-\d\d-\d\d \w+: Add the tax", said)


def test_a_pattern_may_look_like_an_option() -> None:
    given: list[Invocation] = []
    runner = CliRunner()
    result = runner.invoke(build("", given.append), ["code", "text", "--no-verify", "--path", "a.toml"])
    assert result.exit_code == 0, result.output
    assert given[0].given["pattern"] == "--no-verify" and given[0].given["path"] == "a.toml"
    wrong = runner.invoke(build("", given.append), ["code", "callers", "--no-verify", "x"])
    assert wrong.exit_code == 2 and len(given) == 1


def test_lists_of_symbols_are_a_line_for_each(
    memory: Memory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "RATE = 1.1\n\n\nclass Cart:\n    size: int = 0\n\n    def total(self, items: list[int]) -> float:\n        return 0.0\n\n\n"
    files = {"shop/cart.py": text + "def _unused():\n    return 1\n", "shop/__init__.py": ""}
    memory.index_code(_write(tmp_path, files))
    outline = memory.code.outline("shop/cart.py")
    said = answer_of("code outline", outline)
    for line in ("1 constant RATE = 1.1", "4-8 class Cart", "5 field Cart.size: int = 0",
                 "7-8 method Cart.total(self, items: list[int]) -> float"):  # fmt: skip
        assert f"\n{line}\n" in said
    assert said.endswith("6 symbols of shop/cart.py, python, 12 lines")
    render.show("code outline", outline)
    assert "7-8 method Cart.total(self, items: list[int]) -> float" in capsys.readouterr().out
    dead = answer_of("code dead", memory.code.dead())
    assert "shop/cart.py\n  11 function _unused, 2 lines" in dead and "1 unused" in dead
    place = answer_of("code definition", memory.code.definition("shop/cart.py", 7))
    assert "method shop.cart.Cart.total  shop/cart.py:7-8" in place


def test_routes_are_a_line_for_each(memory: Memory, tmp_path: Path) -> None:
    text = 'from flask import Flask\n\napp = Flask(__name__)\n\n\n@app.get("/cart")\ndef cart():\n    return ""\n'
    memory.index_code(_write(tmp_path, {"web.py": text}))
    assert "GET /cart  web.cart  web.py:6" in answer_of("code routes", memory.code.routes())


def test_names_are_given_without_the_package_that_the_path_has(memory: Memory, tmp_path: Path) -> None:
    body = "package {0}\n\ntype Store interface{{ Put(n int) int }}\n\ntype Disk{1} struct{{}}\n\nfunc (d *Disk{1}) Put(n int) int {{ return write{1}(n) }}\n\nfunc write{1}(n int) int {{ return n }}\n"
    files = {
        "go.mod": "module example.org/a\n",
        "cmd/disk/disk.go": body.format("disk", "Inner"),
        "root.go": body.format("a", "Outer"),
    }
    memory.index_code(_write(tmp_path, files))
    assert "cmd/disk/disk.go\n  7  DiskInner.Put  " in calls_text(memory.code.callers("writeInner"))[0]
    assert "root.go\n  7  DiskOuter.Put  " in calls_text(memory.code.callers("writeOuter"))[0]
    path = _text(memory.code.path("DiskInner.Put", "writeInner"))
    assert "1. DiskInner.Put\n   CALLS writeInner  cmd/disk/disk.go:7" in path, path
    rows = _text(memory.code.implementations("DiskInner"))
    assert "implements:\ncmd/disk/disk.go\n  3  Store" in rows and "Put 3" in rows.replace("Put 7", "Put 3"), rows
    assert "(DiskInner.Put)" in _text(memory.code.text("write", path="cmd"))


def test_a_name_of_an_interface_and_fields_means_the_interface(memory: Memory, tmp_path: Path) -> None:
    text = "package a\n\ntype Agent interface{ Run() }\n\ntype Claude struct{}\n\nfunc (c *Claude) Run() {}\n\ntype Info struct{ Agent string }\n\ntype More struct{ Agent int }\n"
    memory.index_code(_write(tmp_path, {"go.mod": "module example.org/a\n", "a.go": text}))
    assert [row.symbol.name for row in memory.code.implementations("Agent").implemented_by] == ["a.Claude"]
    assert [symbol.kind for symbol in memory.code.known("Agent")] == ["interface", "field", "field"]


def test_lines_of_tests_and_documents_are_numbers_next_to_those_of_sources(memory: Memory, tmp_path: Path) -> None:
    files = {
        "shop.py": "".join(f"tax_{n} = 'VALUE'\n" for n in range(5)),
        "tests/test_shop.py": "".join(f"assert_{n} = 'VALUE'\n" for n in range(5)),
        "README.md": "VALUE\n",
        "setup.cfg": "key = VALUE\n",
    }
    memory.index_code(_write(tmp_path, files))
    shown = _text(memory.code.text("VALUE"))
    assert "  3: tax_2 = 'VALUE'" in shown and "setup.cfg:1: key = VALUE  (config)" in shown
    assert "tests/test_shop.py (test): 1, 2, 3, 4, 5" in shown and "README.md (document): 1" in shown
    assert "12 lines in 4 files" in shown and "--kind test" in shown
    assert "assert_3" in _text(memory.code.text("VALUE", kind="test"))
    assert "assert_3" in _text(memory.code.text("VALUE", path="tests"))


@pytest.mark.parametrize(
    ("files", "start", "end", "table"),
    [
        (
            {
                "go.mod": "module example.org/a\n",
                "a.go": "package a\n\nvar table = map[string]func(int) int{\n\t\"wipe\": wipeIt,\n\t\"load\": loadIt,\n}\n\n"
                "func wipeIt(n int) int { return erase(n) }\n\nfunc loadIt(n int) int { return n }\n\nfunc erase(n int) int { return n }\n\n"
                "func Run(name string) int { return table[name](1) }\n",
            },
            "Run", "erase", "REFERS_TO wipeIt  a.go:4",
        ),
        (
            {
                "T.java": "import java.util.Map;\nimport java.util.function.IntUnaryOperator;\n\nclass T {\n"
                '  static final Map<String, IntUnaryOperator> TABLE = Map.of(\n    "a", T::first,\n    "b", T::second);\n'
                "  static int first(int n) { return n; }\n  static int second(int n) { return n; }\n"
                "  static int dispatch(String k) { return TABLE.get(k).applyAsInt(1); }\n}\n",
            },
            "T.dispatch", "T.second", "T.java:7",
        ),
    ],
)  # fmt: skip
def test_a_path_leads_through_a_table_of_functions(
    memory: Memory, tmp_path: Path, files: dict[str, str], start: str, end: str, table: str
) -> None:
    memory.index_code(_write(tmp_path, files))
    assert table in _text(memory.code.path(start, end))
    assert memory.code.path(end, start).reverse  # nothing leads back


def test_an_operation_that_fails_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = _write(tmp_path / "tree", {"shop.py": "def tax(n):\n    return n\n\n\ndef bill():\n    return tax(1)\n"})
    with Memory.open(tmp_path / "store", project="p") as memory:
        memory.index_code(root)
        assert "bill" in _text(memory.ask("who calls tax?"))
    monkeypatch.setattr(cache, "version", lambda: "of tomorrow")
    root.rename(tmp_path / "elsewhere")
    with Memory.open(tmp_path / "store", project="p") as memory:
        answer, found = memory.ask("who calls tax?"), memory.search("who calls tax?")
        assert "another version" in answer.degraded["callers"] and "another version" in found.degraded["callers"]
        assert "without callers: the code was indexed by another version" in _text(answer)
        assert "1. " in _text(memory.ask("where is a bill made?"))


def test_after_an_upgrade_the_code_is_indexed_again_when_it_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = _write(tmp_path / "tree", {"shop.py": "def tax(n):\n    return n\n\n\ndef bill():\n    return tax(1)\n"})
    with Memory.open(tmp_path / "store", project="p") as memory:
        memory.index_code(root)
    monkeypatch.setattr(cache, "version", lambda: "of tomorrow")
    with Memory.open(tmp_path / "store", project="p") as memory:
        assert [call.symbol.name for call in memory.code.callers("tax").calls] == ["shop.bill"]
    with Memory.open(tmp_path / "store", project="p") as memory:
        assert not memory.ask("who calls tax?").degraded


def test_unused_exported_names_are_mentioned(memory: Memory, tmp_path: Path) -> None:
    memory.index_code(_write(tmp_path, {"shop.ts": "export function tax() {}\nexport function bill() {}\n"}))
    said = answer_of("code dead", memory.code.dead())
    assert "2 public names are used by nothing in the repository, tests and examples included:" in said
    assert "2 public that nothing here uses, 0 unexported unused" in said
    assert "--exported" not in answer_of("code dead", memory.code.dead(exported=True))


_CONFTEST = """import pytest
from shop import make_db, seed, log_in


@pytest.fixture
def db():
    return make_db()


@pytest.fixture(name="client")
def make_client(db):
    return log_in(db)


@pytest.fixture(autouse=True)
def _seeded():
    seed()
"""
_FIXTURE_TESTS = """import pytest
from shop import make_db


def test_by_name(db, n=(1, 2)):
    assert db


async def test_of_a_fixture(client: dict[str, int]):
    assert client


@pytest.mark.usefixtures("db")
class TestMarked:
    def test_marked(self):
        assert True


def test_on_request(request):
    assert request.getfixturevalue("db")


@pytest.mark.parametrize("db", [1, 2], indirect=True)
def test_indirect(db):
    assert db


def test_without():
    assert True
"""
_NEARER = "import pytest\n\n\n@pytest.fixture\ndef db():\n    return 1\n\n\ndef test_nearer(db):\n    assert db\n"


def test_tests_that_reach_a_symbol_through_fixtures_are_found(memory: Memory, tmp_path: Path) -> None:
    files = {
        "shop.py": "def make_db():\n    return {}\n\n\ndef seed():\n    pass\n\n\ndef log_in(db):\n    return db\n"
    }
    files |= {"tests/conftest.py": _CONFTEST, "tests/unit/test_shop.py": _FIXTURE_TESTS, "tests/test_near.py": _NEARER}
    memory.index_code(_write(tmp_path, files))
    tests = lambda name: {place.name.rpartition(".")[2] for place, _ in memory.code.tests(name).tests}
    through = {"test_by_name", "test_of_a_fixture", "test_marked", "test_on_request", "test_indirect"}
    assert tests("make_db") == through  # not the one with a fixture of its own
    assert tests("log_in") == {"test_of_a_fixture"}
    plan = memory.code.tests("log_in")
    assert ([helper.short_name for helper in plan.helpers], plan.helpers_total) == (["make_client"], 1)
    assert "through tests/conftest.py:11 make_client" in FORMS[type(plan)](plan)[1]
    assert any("through tests/conftest.py" in line for line in memory.ask("which tests reach log_in?").lines)
    assert tests("seed") >= through | {"test_without", "test_nearer"}
    assert {call.symbol.name.rpartition(".")[2] for call in memory.code.callers("conftest.db").calls} == {
        "make_client", "test_by_name", "test_marked", "test_on_request", "test_indirect",
    }  # fmt: skip


_TODO_FORMS = {
    "a.py": "# TODO: write one\n# TODO(anna) write two\nx = 1  # todo write three\n\n# fixme: four is broken\n",
    "b.js": "// todo - write five\n/* FIXME write six */\n/**\n * @todo write seven\n */\nlet a; // TODO[bob]: write eight\n"
    "/* TODO:\n * write nine\n */\n// TODO @carl write ten\n// todo list of the user\n",
    "c.html": "<!-- TODO write eleven -->\n<p>TODO not this</p>\n",
    "d.md": "<!-- TODO: write twelve -->\n\n    # TODO: an example\n",
    "e.yml": "# TODO: write thirteen\n",
    "f.py": 'def f():\n    """Do it.\n\n    TODO: write fourteen\n\n    .. todo:: write fifteen\n\n    The TODO list is long; todo: no.\n    """\n'
    '    return "TODO: not this"\n\n\ndef g():\n    """TODO(anna): write sixteen"""\n',
}


def test_each_form_of_a_todo_comment_is_listed_with_its_line(memory: Memory, tmp_path: Path) -> None:
    memory.index_code(_write(tmp_path, _TODO_FORMS))
    rows = [tuple(row) for row in memory.code.todos().rows]
    words = "one two three broken five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()
    assert sorted(words, key=words.index) == [row[3].split()[-1] for row in sorted(rows, key=lambda r: r[:2])]
    lines = {row[3].split()[-1]: row[1] for row in rows}
    assert (lines["three"], lines["seven"], lines["nine"], lines["twelve"]) == (3, 4, 7, 1)
    assert (lines["fourteen"], lines["fifteen"], lines["sixteen"]) == (4, 6, 14)
    people = {row[3].split()[-1]: row[4] for row in rows if row[4]}
    assert people == {"two": "anna", "eight": "bob", "ten": "carl", "sixteen": "anna"}
    said = memory.ask("which TODOs are open?").lines
    assert said[0] == "16 TODO and similar comments" and f"b.js:{lines['ten']} TODO: write ten" in said
    assert memory.ask("which TODOs are there about nine?").lines[1:] == (
        "1 of them has a word of the question in the text or path", f"b.js:{lines['nine']} TODO: write nine",
    )  # fmt: skip


_CLOSURES = {
    "go/go.mod": "module example.org/a\n",
    "go/a.go": "package a\n\nfunc Tax(n int) int { return n }\n",
    "go/a_test.go": 'package a\n\nimport . "github.com/onsi/ginkgo/v2"\n\nvar _ = Describe("tax", func() {\n\tIt("adds", func() {'
    "\n\t\tTax(1)\n\t})\n})\n",
    "rb/lib/a.rb": "class Cart\n  def total; 1; end\nend\n",
    "rb/spec/a_spec.rb": 'RSpec.describe Cart do\n  let(:cart) { described_class.new }\n  it "adds" do\n    cart.total\n  end\nend\n',
    "kt/src/main/kotlin/A.kt": "package a\n\nfun make(): Int = 1\n\nclass Cart { fun total() = 1 }\n",
    "kt/src/test/kotlin/ATest.kt": "package a\n\nclass ATest {\n  private var cart = 0\n  @BeforeEach fun prepare() { cart = make() }\n"
    "  @Test fun adds() { check(cart > 0) }\n}\n",
}


def test_tests_in_closures_and_set_up_by_a_method_are_found(memory: Memory, tmp_path: Path) -> None:
    memory.index_code(_write(tmp_path, _CLOSURES))
    tests = lambda name: [(place.file, place.line) for place, _ in memory.code.tests(name).tests]
    assert tests("go/a.go:3") == [("go/a_test.go", 6)]
    assert tests("rb/lib/a.rb:2") == [("rb/spec/a_spec.rb", 3)]
    assert tests("make") == [("kt/src/test/kotlin/ATest.kt", 6)]


def test_the_methods_of_a_large_interface_are_counted(memory: Memory, tmp_path: Path) -> None:
    methods = "".join(f"    def call_{n}(self):\n        return {n}\n\n" for n in range(30))
    text = f"class Port:\n{methods}\n\nclass Adapter(Port):\n{methods}"
    memory.index_code(_write(tmp_path, {"a.py": text}))
    found = memory.code.implementations("Port")
    said = _text(found)
    assert said.count("call_") == 8 and "and 22 more methods (--json lists each)" in said, said
    assert len(found.implemented_by[0].methods) == 30


def test_who_wants_to_write_their_own_gets_the_type_to_extend_and_the_shortest_example(
    memory: Memory, tmp_path: Path
) -> None:
    long = "\n".join(f"        event.add({number})" for number in range(9))
    _write(
        tmp_path,
        {
            "log/enrichers.py": "from abc import ABC, abstractmethod\n\n\n"
            'class LogEnricher(ABC):\n    """Adds properties to an event."""\n\n    @abstractmethod\n    def enrich(self, event): ...\n\n\n'
            f"class HostEnricher(LogEnricher):\n    def enrich(self, event):\n{long}\n\n\n"
            "class ZoneEnricher(LogEnricher):\n    def enrich(self, event):\n        event.zone = 1\n",
            "tests/test_log.py": "from log.enrichers import LogEnricher\n\n\nclass Fake(LogEnricher):\n    def enrich(self, event): ...\n",
        },
    )
    memory.index_code(tmp_path)
    memory.process()
    for question in ("how do I write my own enricher?", "How can we implement a custom LogEnricher for JSON?"):
        first = memory.search(question).hits[0]
        assert first.is_answer and first.title.endswith("LogEnricher")
        lines = first.passage.split("\n")
        assert lines[0] == "extend class LogEnricher (log/enrichers.py:4)"
        assert "Adds properties to an event." in lines
        assert "log/enrichers.py: ZoneEnricher 24, HostEnricher 11" in lines
        assert lines[lines.index("1 in tests:") + 1] == "tests/test_log.py: Fake 4"
        assert lines[-1].endswith("graphmem code source ZoneEnricher")
    assert (
        not memory.search("how do I write my own sandwich?").hits[:1]
        or not memory.search("how do I write my own sandwich?").hits[0].is_answer
    )


def test_a_page_that_tells_how_to_write_ones_own_stands_before_the_type_to_extend(
    memory: Memory, tmp_path: Path
) -> None:
    _write(
        tmp_path,
        {
            "sinks.py": "class Sink:\n    def write(self, line): ...\n\n\nclass FileSink(Sink):\n    def write(self, line): ...\n",
            "README.md": "# Logs\n\nThis package writes lines.\n\n## Writing a custom sink\n\nTo write your own sink, subclass `Sink` and"
            " implement `write`.\n",
        },
    )
    memory.index_code(tmp_path)
    memory.ingest("documents", tmp_path)
    memory.process()
    found = memory.search("how do I write a custom sink?").hits
    assert found[0].kind == "document" and not found[0].is_answer
    assert memory.ask("how do I write a custom sink?").lines[1] == "extend class Sink (sinks.py:1)"


def test_a_korean_question_is_about_more_than_the_acronym_in_it(memory: Memory, tmp_path: Path) -> None:
    _write(tmp_path, {"accept.py": 'def accept(line):\n    return line.startswith("HTTP")\n'})
    memory.index_code(tmp_path)
    memory.process()
    assert memory.search("HTTP 문자열은 어디에 있나요?").hits[0].is_answer
    found = memory.search("HTTP 다이제스트 인증을 기본으로 지원하는 미들웨어 이름은 무엇인가요?")
    assert not any(hit.is_answer for hit in found.hits)
