"""Questions in words: their types, English and Korean, and answers with evidence from a repository of two authors."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support import STOP_S, Repository

from graphmem import Memory
from graphmem.ask import leading
from graphmem.ask.answer import answer_question
from graphmem.ask.types import parse_question
from graphmem.interfaces.cli import render
from graphmem.interfaces.mcp.answers import format_answer
from graphmem.interfaces.mcp.groups import find_call
from graphmem.interfaces.text.answers import FORMS
from graphmem.interfaces.verbs import general

CART = "def total(items):\n    return tax(sum(items))\n\n\ndef tax(amount):\n    return amount\n"
TESTS = "from cart import total\n\n\ndef test_total():\n    assert total([]) == 0\n"


def _commit_as(repository: Repository, author: str, message: str, files: dict[str, str]) -> None:
    for name, text in files.items():
        repository.write(name, text)
    repository.git("add", "-A")
    who = {
        f"GIT_{role}_{key}": value
        for role in ("AUTHOR", "COMMITTER")
        for key, value in (("NAME", author), ("EMAIL", "b@example.org"), ("DATE", "1700200000 +0000"))
    }
    subprocess.run(["git", "-C", str(repository.path), "commit", "-qm", message], check=True, env=os.environ | who)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search waits for git as long as it takes here."""
    monkeypatch.setattr(leading, "_PATIENCE_S", STOP_S)


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """One memory for all questions: none changes it."""
    repository = Repository(tmp_path_factory.mktemp("asked") / "repository")
    repository.commit("Begin", {"cart.py": CART + "\n\ndef rebate(x):\n    return x\n"})
    repository.git("tag", "v1.0.0")
    _commit_as(
        repository,
        "Grace",
        "Round the sum\n\nThe bank refuses parts of a cent.",
        {
            "cart.py": CART + "\n\ndef round_sum(x):\n    return round(x)\n\n\ndef rebate(x):\n    return x\n",
            "test_cart.py": TESTS,
        },
    )
    _commit_as(
        repository,
        "Grace",
        "Drop rebate\n\nNobody used it since the spring.",
        {"cart.py": CART + "\n\ndef round_sum(x):\n    return round(x)\n"},
    )
    _commit_as(repository, "Grace", "Fix the sum of nothing", {"notes.txt": "0\n", "Makefile": "all:\n"})
    with Memory.open(tmp_path_factory.mktemp("asked") / "store", project="demo") as memory:
        memory.init(repository.path)
        yield memory


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("who wrote round_sum?", "introduced"), ("round_sum은 누가 만들었나?", "introduced"),
        ("when was rebate removed", "removed"), ("rebate는 언제 제거됐나?", "removed"),
        ("who knows tax?", "owners"), ("tax 담당자가 누구야?", "owners"),
        ("what else is affected when tax returns zero?", "impact"), ("who depends on Basket", "impact"),
        ("why was the coupon taken out of the basket?", "removed"), ("when did we get rid of coupons?", "removed"),
        ("what breaks if I change tax?", "impact"), ("tax를 바꾸면 무엇이 깨지나?", "impact"),
        ("what calls tax?", "callers"), ("tax를 호출하는 함수는?", "callers"),
        ("which tests cover tax?", "tests"), ("tax를 검증하는 테스트는?", "tests"),
        ("what changed since v1.0.0?", "revisions"), ("v1.0.0 이후 무엇이 바뀌었나?", "revisions"),
        ("who wrote most of cart.py?", "owners"), ("who is the main author of cart.py", "owners"),
        ("어떤 커밋이 round_sum을 추가했나?", "introduced"), ("어느 커밋에서 rebate를 없앴나?", "removed"), ("어떤 커밋이 있나?", "commits"),
        ("세율의 기본값을 누가 왜 올리자고 했나?", "decided"), ("세율의 기본값은?", "default"), ("why is the default of tax 5?", "decided"),
        ("who came up with coupons?", "introduced"), ("who contributed the coupon?", "introduced"),
        ("why do we round?", "decided"), ("why is total called before tax is set?", "decided"), ("왜 반올림하나?", "decided"),
        ("where is tax defined?", "where"), ("tax는 어디에 있나?", "where"),
        ("which releases changed tax?", "releases"), ("in which version was rebate removed?", "releases"),
        ("어느 버전에서 tax가 바뀌었나?", "releases"), ("which version of Python is needed?", "search"),
        ("state of the login task", "task"), ("로그인 작업 상태", "task"),
        ("rounding", "search"),
        ("who last changed src/cart.py", "last change"), ("cart.py는 누가 마지막으로 수정했나?", "last change"),
        ("when was tax last modified?", "last change"), ("what happens when a list is edited?", "search"),
        ("what does total call?", "callees"), ("total은 무엇을 호출하나?", "callees"),
        ("who implements Store?", "implementations"), ("Store의 구현체는?", "implementations"),
        ("how does total reach tax?", "path"), ("total에서 tax까지", "path"),
        ("what is unused in src/app?", "unused"), ("사용되지 않는 함수", "unused"),
        ("which commits mention tax?", "commits"), ("tax에 관한 커밋을 찾아줘", "commits"), ("which commit added tax?", "introduced"),
        ("what does `overrides` of package.json do?", "configuration"), ("what does a new field of Cart need?", "new member"),
        ("what must I change to add a column to Cart?", "new member"), ("how do I add a field?", "additions"),
        ("which environment variables are read?", "environment"), ("어떤 환경 변수를 읽나?", "environment"),
        ("which files change together with cart.py?", "cochange"), ("cart.py와 함께 바뀌는 파일은?", "cochange"),
    ],
)  # fmt: skip
def test_types_of_questions(text: str, type: str) -> None:
    assert parse_question(text).type == type


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("who wrote round_sum?", ("introduced by Grace on 2023-11-17", "Round the sum", "cart.py:9")),
        ("`round_sum`은 누가 만들었나?", ("introduced by Grace",)),
        ("when was `rebate` removed?", ("removed by Grace", "Drop rebate", "Nobody used it", "no line holds it")),
        ("who introduced `tax`?", ("introduced by Ada",)),
        ("when was rebate removed from `cart`?", ("`rebate` was removed by Grace",)),
        ("who knows round_sum?", ("Grace: 2 lines",)),
        ("who maintains this repository?", ("4 commits by 2 people", "Grace: 3 commits, last on 2023-11-17")),
        ("what breaks if I change `tax`?", ("1 symbol and 1 test", "cart.py: total 2", "test_cart.py")),
        ("`tax`를 호출하는 함수는?", ("1 caller of function", "cart.py: total 2")),
        ("which tests cover `tax`?", ("1 test reaches function tax", "test_cart.py: test_total 4", "run: pytest test_cart.py")),
        ("what changed since v1.0.0?", ("3 commits", "Drop rebate", "Grace")),
        ("왜 `round_sum`이 있나?", ("Grace: Round the sum", "refuses parts of a cent")),
        ("who last changed cart.py?", ("last changed by Grace", "Drop rebate", "3 commits changed it, before that", "Round the sum")),
        ("누가 마지막으로 `tax`를 고쳤나?", ("function tax (cart.py:5) was last changed by Ada", "Begin")),
        ("which commits name rebate?", ("1 commit names `rebate`", "Drop rebate")),
        ("which bugs in sums were fixed?", ("2 commits name `sum`", "Fix the sum", "1 more, whose subject names no fix:")),
        ("who wrote test_cart.py?", ("`test_cart.py` was added by Grace on 2023-11-17",)),
        ("who first added a Makefile?", ("`Makefile` was added by Grace", "Fix the sum of nothing")),
        ("who knows cart.py?", ("`cart.py` has 10 lines", "Ada: 8 lines", "Grace: 2 lines")),
        ("what changed in cart.py?", ("3 commits changed `cart.py`", "Round the sum")),
        ("what does total call?", ("1 of them defined in the tree", "cart.py: tax 5")),
        ("how does test_total reach tax?", ("test_total (test_cart.py:5) → total (cart.py:2) → tax",)),
        ("is `round_sum` unused?", ("nothing uses function round_sum (cart.py:9)",)),
        ("what is unused?", ("1 used by nothing in the tree", "cart.py: round_sum 9")),
        ("which files change together with cart.py?", ("test_cart.py in 1 commit",)),
        ("where is `tax` defined?", ("function tax (cart.py:5)", "def tax(amount)")),
    ],
)  # fmt: skip
def test_answers(asked: Memory, question: str, parts: tuple[str, ...]) -> None:
    found = asked.ask(question)
    text = "\n".join(FORMS[type(found)](found))
    assert not [part for part in parts if part not in text], text
    assert found.commands and not found.missing


def test_a_name_that_exists_nowhere_lowers_the_confidence(asked: Memory) -> None:
    found = asked.ask("what calls `frobnicate`?")
    assert (found.missing, found.confidence, found.lines) == (("frobnicate",), "none", ())
    assert asked.ask("what calls `tax`?").confidence == "high"


@pytest.mark.parametrize(
    ("question", "kind", "parts"),
    [
        ("who wrote round_sum?", "commit", ("introduced by Grace on 2023-11-17", "more: graphmem code text round_sum")),
        ("`round_sum`은 누가 만들었나?", "commit", ("introduced by Grace",)),
        ("when was rebate removed?", "commit", ("removed by Grace", "Nobody used it")),
        ("what breaks if I change tax?", "symbol", ("1 symbol and 1 test", "more: graphmem code impact tax")),
        ("what calls tax?", "symbol", ("1 caller of function", "cart.py: total 2")),
        ("which tests cover tax?", "symbol", ("test_cart.py: test_total 4",)),
        ("what changed since v1.0.0?", "commit", ("3 commits", "Round the sum")),
    ],
)  # fmt: skip
def test_the_answer_of_an_operation_is_the_first_hit(
    asked: Memory, question: str, kind: str, parts: tuple[str, ...]
) -> None:
    found = asked.search(question, k=3)
    first = found.hits[0]
    assert (first.kind, first.is_answer, found.confidence) == (kind, True, "high"), first
    assert not [part for part in parts if part not in first.passage], first.passage
    assert len({hit.id for hit in found.hits}) == len(found.hits) <= 3
    assert [hit.score for hit in found.hits] == sorted((hit.score for hit in found.hits), reverse=True)
    assert parts[0] in found.context
    assert asked.details([first.citation])[0].content == first.content


@pytest.mark.parametrize(
    "question",
    [
        "who wrote frobnicate?",  # nothing has that name
        "what calls tax in the warehouse?",  # nothing is known of a warehouse there
        "rounding of the sum",  # asks for no operation
        "The total is wrong when the list was emptied and tax was removed before. " * 3,  # a report
    ],
)
def test_other_searches_have_the_hits_that_they_had(asked: Memory, question: str) -> None:
    found = asked.search(question, k=3)
    ranked = asked._store.retriever.search(question, k=3, project=asked.project)
    assert [hit.id for hit in found.hits] == [hit.id for hit in ranked.hits]
    assert not any(hit.is_answer for hit in found.hits)


def test_a_commit_with_the_reason_is_the_first_hit(asked: Memory) -> None:
    first = asked.search("why do we `round` the sum?").hits[0]
    assert (first.kind, first.title) == ("commit", "Round the sum")


def test_a_comment_with_the_reason_is_the_first_hit(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    signal = 'class Drop(BaseException):\n    """Signals an end.\n\n    It derives from the base, because it is no error.\n    """\n'
    loop = "\n\ndef fill(tanks):\n    # Copied first, otherwise the loop over the tanks never ends.\n    return list(tanks)\n"
    repository.commit("Begin", {"tank.py": signal + loop})
    with Memory.open(tmp_path / "store", project="tanks") as memory:
        memory.init(repository.path)
        for question, title, told in (
            (
                "why are the tanks copied in `fill`?",
                "tank.fill",
                "Copied first, otherwise the loop over the tanks never ends.",
            ),
            ("why does Drop() derive from the base?", "tank.Drop", "It derives from the base, because it is no error."),
        ):
            first = memory.search(question).hits[0]
            assert first.is_answer and (first.title, told in first.passage) == (title, True)
        assert not memory.search("why is the pressure of `fill` low?").hits[0].is_answer


def test_the_reason_may_be_that_of_a_member_or_of_what_was_taken_out(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    tank = (
        'class Tank:\n    """Holds water.\n\n    A tank must be filled slowly.\n    """\n\n'
        '    def drain_all(self):\n        """No seasonality is kept, because all goes at once.\n        """\n\n'
        "    def last_pipe(self):\n        return {}\n\n"
        "    def copy_pipes(self):\n        # FIXME Pipe#dup is broken on Windows\n        return list(self.pipes)\n"
    )
    repository.commit("Begin", {"tank.py": tank.format("pipes.at_end(1)")})
    repository.commit("Read pipes in another way\n\nOld systems lack it.", {"tank.py": tank.format("self.pipes[-1]")})
    repository.commit("Rename nothing", {"other.py": "x = 1\n"})
    with Memory.open(tmp_path / "store", project="tanks") as memory:
        memory.init(repository.path)
        for question, title, told in (
            ("why doesn't Tank make drain_all seasonal?", "tank.Tank.drain_all", "No seasonality is kept"),
            ("why doesn't copy_pipes use `Pipe#dup`?", "tank.Tank.copy_pipes", "Pipe#dup is broken"),
            (
                "why does last_pipe not use `pipes.at_end` any more?",
                "Read pipes in another way",
                "Old systems lack it.",
            ),
        ):
            first = memory.search(question).hits[0]
            assert first.is_answer and (first.title, told in first.passage) == (title, True)
        assert not memory.search("why does last_pipe not use `pipes.pressure`?").hits[0].is_answer


def test_an_acronym_is_no_certain_name_of_what_is_asked_for(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"tank.py": "def fill():\n    return 1\n"})
    repository.commit("Write XML", {"tank.py": "def fill():\n    return '<XML>'\n"})
    with Memory.open(tmp_path / "store", project="tanks") as memory:
        memory.init(repository.path)
        assert memory.ask("when was XML introduced?").confidence == "high"
        for question in (
            "when was the XML valve format introduced?",
            "XML 밸브 형식은 언제 도입됐어?",
            "XML 밸브는 누가 추가했나요?",
        ):
            assert memory.ask(question).confidence != "high"
            assert not any(hit.is_answer for hit in memory.search(question).hits)
        assert memory.ask("XML은 언제 추가됐어?").confidence == "high"


def test_who_wrote_most_is_answered_by_lines_and_never_by_a_field_of_that_name(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    page = "package page\n\ntype reply struct {\n\tHTML string\n}\n"
    repository.commit("Begin", {"page/page.go": page})
    for part in "ab":
        repository.commit(f"Add an HTML formatter of {part}", {f"formatters/{part}.go": f"package {part}\n"})
    with Memory.open(tmp_path / "store", project="pages") as memory:
        memory.init(repository.path)
        for question in ("who wrote most of page/page.go?", "page/page.go 는 주로 누가 썼어?"):
            assert memory.ask(question).lines[0].startswith("`page/page.go` has ")
            first = memory.search(question).hits[0]
            assert first.is_answer
            assert first.passage.startswith("`page/page.go` has ")
        assert memory.ask("who wrote most of the HTML formatter?").lines[0].startswith("2 commits name `HTML`")
        answer = memory.ask("HTML 포매터는 주로 누가 썼어?")
        assert answer.confidence != "high"
        assert "field" not in answer.lines[0]


def test_the_first_caller_is_what_a_question_for_callers_finds(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    tests = "from tank import fill\n\n\ndef test_fill():\n    assert fill() == 1\n"
    tank = "def fill():\n    return 1\n\n\ndef refill():\n    return fill()\n"
    repository.commit("Begin", {"tank.py": tank, "a_tests/test_tank.py": tests})
    with Memory.open(tmp_path / "store", project="tanks") as memory:
        memory.init(repository.path)
        first = memory.search("what calls fill?").hits[0]
        assert (first.title, first.is_answer) == ("tank.refill", True)
        assert first.passage.startswith("2 callers of function fill")


def test_what_a_name_is_may_be_said_beside_it(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"tank.py": "def fill(options):\n    return options\n"})
    repository.commit("Fill later", {"tank.py": "def fill(options):\n    return options.get('fill_after')\n"})
    repository.commit(
        "Let options be read", {"tank.py": "def fill(options):\n    return dict(options).get('fill_after')\n"}
    )
    with Memory.open(tmp_path / "store", project="tanks") as memory:
        memory.init(repository.path)
        first = memory.search("when was the fill_after option introduced?").hits[0]
        assert (first.is_answer, first.title) == (True, "Fill later")
        assert not memory.search("when was the pressure of fill_after introduced?").hits[0].is_answer


def test_words_that_spell_a_symbol_by_chance_need_all_others_of_the_question(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    tests = "from tank import refill_tank\n\n\ndef test_refill():\n    assert refill_tank() is None\n"
    repository.commit("Begin", {"tank.py": "def refill_tank():\n    pass\n", "test_tank.py": tests})
    with Memory.open(tmp_path / "store", project="tanks") as memory:
        memory.init(repository.path)
        assert memory.search("which tests cover refill tank?").hits[0].is_answer
        assert not memory.search("is there a test for a refill tank with a broken seal?").hits[0].is_answer


def test_a_narrowed_search_and_a_small_budget_are_kept(asked: Memory) -> None:
    assert not asked.search("what calls tax?", kinds=["commit"]).hits[0].is_answer
    found = asked.search("what calls tax?", budget=30)
    assert found.tokens <= 30 and found.hits[0].is_answer


def test_several_questions_are_answered_in_one_call(asked: Memory) -> None:
    found = general.ask(asked, ["what calls `tax`?", "who knows round_sum?"])
    assert [answer.type for answer in found.answers] == ["callers", "owners"]
    told = format_answer("ask", found)
    assert told.index("Q: what calls `tax`?") < told.index("cart.py: total 2") < told.index("Q: who knows round_sum?")
    assert "Grace: 2 lines" in told
    printed = io.StringIO()
    render.show("ask", found, render.make_console(printed, {}))
    assert "Q: who knows round_sum?\n" in printed.getvalue() and "Grace: 2 lines" in printed.getvalue()
    _, arguments = find_call("ask", {"question": "what calls `tax`?"})  # a client may give one as text
    assert general.ask(asked, **arguments).type == "callers"


def test_words_without_quotation_marks_are_one_question(asked: Memory) -> None:
    found = general.ask(asked, ["what", "calls", "tax?"])
    assert found.question == "what calls tax?" and found.type == "callers"


def test_an_ordinary_word_among_others_is_no_field(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"shop.py": "class Cart:\n    policy: str = ''\n\n\ndef refund(x):\n    return x\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        assert "policy" not in str(memory.ask("why was the refund-limit policy changed?").lines)
        assert memory.ask("who knows policy?").confidence == "high"  # the only word


def test_the_variables_of_the_environment_are_listed(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    files = {
        "a.py": "import os\nHOME = os.environ['SHOP_HOME']\nport = os.environ.get(\"SHOP_PORT\", '1')\nkey = os.getenv('SHOP_HOME')\n"
        "os.environ['SHOP_WRITTEN'] = '1'\n",
        "b.go": 'package b\n\nimport "os"\n\nvar level = os.Getenv("SHOP_LEVEL")\n',
        "c.ts": "export const region = process.env.SHOP_REGION ?? process.env['SHOP_ZONE'];\n",
        "d.rs": 'fn main() { let x = std::env::var("SHOP_RUST").unwrap(); }\n',
        "tests/test_a.py": "import os\nos.environ['SHOP_TEST'] = '1'\n",
        "vendor/e.js": "let a = process.env.SHOP_OF_OTHERS;\n",
    }
    repository.commit("Begin", files)
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        lines = memory.ask("which environment variables are read?").lines
        names = [line.split()[0] for line in lines[1:]]
        assert names == ["SHOP_HOME", "SHOP_LEVEL", "SHOP_PORT", "SHOP_REGION", "SHOP_RUST", "SHOP_ZONE"], lines
        assert lines[1] == "SHOP_HOME a.py:2 HOME, 4 key"
        named = memory.ask("where is the environment variable SHOP_PORT read?")
        assert any(line.startswith("a.py:3:") for line in named.lines) and named.confidence == "high"


def test_variables_of_examples_and_of_test_support_are_counted_apart(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    files = {
        "crane.go": 'package crane\n\nimport "os"\n\nfunc Lift() string { return os.Getenv("CRANE_LOAD") + os.Getenv("HOME") }\n\n'
        'func Turn() string { return os.Getenv("CRANE_LOAD") }\n',
        "internal/testutil/env.go": 'package testutil\n\nimport "os"\n\nvar a = os.Getenv("CRANE_LOAD")\n\nvar b = os.Getenv("CRANE_TEST")\n',
        "_examples/lib/main.py": "import os\n\nBUCKET = os.environ['CRANE_BUCKET']\n",
        "setup.py": "import os\n\nVERSION = os.environ['CRANE_VERSION']\n",
    }
    repository.commit("Begin", files)
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.index_code(repository.path)
        lines = memory.ask("which environment variables are read?").lines
        assert lines[:3] == (
            "2 variables are read from the environment, in sources without tests",
            "CRANE_LOAD crane.go:5 Lift, 7 Turn",
            "HOME crane.go:5 Lift",
        )
        assert (
            lines[3].startswith("3 more only in examples, scripts, support of tests, building and packaging: ")
            and len(lines) == 4
        )
        named = memory.ask("which environment variables named CRANE_* are read?").lines
        assert named[0].startswith("1 variable whose name begins with CRANE_") and not any(
            "HOME" in line for line in named
        )


def test_composed_names_of_variables_are_listed_as_such(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    files = {
        "a.py": "import os\nPREFIX = 'SHOP_'\n\n\ndef fetch(name):\n    return os.environ[PREFIX + name]\n\n\ndef other(name):\n"
        "    return os.getenv(f'{PREFIX}{name}')\n",
        "b.py": "class Settings(BaseSettings):\n    model_config = SettingsConfigDict(env_prefix='BILL_')\n    port: int = 1\n",
        "c.go": 'package c\n\nfunc init() { viper.SetEnvPrefix("tool") }\n',
        "d.go": 'package d\n\nfunc load() { k.Load(env.Provider("MAST_", ".", nil), nil) }\n',
        "e.rs": 'fn load() -> Figment { Figment::new().merge(Env::prefixed("KEEL_")) }\n',
    }
    repository.commit("Begin", files)
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.index_code(repository.path)
        lines = memory.ask("which environment variables are read?").lines
        assert [line.partition(" names")[0] for line in lines[1:]] == [
            "BILL_* b.py:2", "TOOL_* c.go:3", "MAST_* d.go:3", "KEEL_* e.rs:1", "SHOP_* a.py:6", "SHOP_* a.py:10"
        ], lines  # fmt: skip


_PACKAGE = """{
  "name": "shop",
  "overrides": {
    "glob": "8.1.0"
  }
}
"""


_RULES = """ignore = [
  "E501",{}
]
"""


def test_keys_of_configuration_files_are_answered_with_their_commits(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"package.json": _PACKAGE, "read.js": "const pinned = data['overrides'];\n"})
    more = _PACKAGE.replace('"8.1.0"', '"8.1.0",\n    "braces": "3.0.3"')
    repository.commit("Pin braces\n\nOlder ones use up the memory.", {"package.json": more})
    repository.commit(
        "Settings",
        {
            "pyproject.toml": f"[tool.ruff]\nline-length = 100\n{_RULES.format('')}",
            "ci.yml": "jobs:\n  test:\n    on: x\n",
        },
    )
    rules = "[tool.ruff]\nline-length = 100\n" + _RULES.format('\n  "B905",  # zip')
    repository.commit("Ignore zips", {"pyproject.toml": rules})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.index_code(repository.path)
        listed = memory.ask("what does each entry of `ignore` in pyproject.toml do?").lines
        assert [line.split(":")[0] for line in listed[-2:]] == ['"E501"', '"B905"'] and "Ignore zips" in listed[-1]
        found = memory.ask("what does the setting `overrides` of package.json do, each entry?")
        text = "\n".join(found.lines)
        assert found.confidence == "high" and found.lines[0] == "package.json:3-6 `overrides`"
        assert '"braces": "3.0.3"' in text and "in code: read.js:1" in text
        assert "glob: " in text and "Begin" in text and "Pin braces — Older ones use up the memory" in text
        assert (
            memory.ask("what is line-length in pyproject.toml?").lines[0] == "pyproject.toml:2 `tool.ruff.line-length`"
        )
        missing = memory.ask("what does `resolutions` of package.json do?")
        assert missing.lines[0].startswith("package.json has no key `resolutions`; 2 outermost keys")
        assert missing.confidence in ("none", "suggested")
        assert memory.code.text("on: x").matches[0].symbol == "jobs.test"
        assert memory.code.source("package.json", limit=2).left_out == 5


def test_a_false_premise_is_the_first_line(asked: Memory) -> None:
    found = asked.ask("why did they choose tax instead of rocket?")
    assert found.missing == ("rocket",) and found.confidence == "none"
    assert FORMS[type(found)](found)[0].startswith("Not in the repository: `rocket`.")
    assert asked.ask("why is tax used instead of rebate?").missing == ()  # the history has it
    assert asked.ask("rocket 대신 tax를 쓰는 이유는?").missing == ("rocket",)


def test_a_new_field_needs_what_its_siblings_have(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    files = {
        "shop/order.py": "from dataclasses import dataclass\n\n\n@dataclass\nclass Order:\n    buyer: str\n    amount: int\n",
        "shop/write.py": "def dump(order):\n    return {'buyer': order.buyer, 'amount': order.amount}\n\n\ndef one(o):\n    return o.amount\n",
        "migrations/1.sql": "CREATE TABLE orders (buyer TEXT, amount INT);\n",
        "docs/orders.md": "An order has a `buyer` and an `amount`.\n",
        "tests/test_order.py": "def test_order():\n    assert Order(buyer='a', amount=1).amount == 1\n",
    }
    repository.commit("Begin", files)
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.index_code(repository.path)
        found = memory.ask("what does a new field of Order need?")
        places = [line.rpartition(":")[0] for line in found.lines[1:5]]
        assert places == ["shop/write.py:2 dump", "migrations/1.sql:1 other", "docs/orders.md:1 document",
                          "tests/test_order.py:2 test_order"], found.lines  # fmt: skip
        assert found.confidence == "high" and not any(" one" in line for line in found.lines)
        assert any(
            line.startswith("`buyer, amount` came with") and "migrations/1.sql" in line for line in found.lines
        ), found.lines


def test_variables_read_through_a_function_are_listed_and_narrowed_by_their_place(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    files = {
        "harbour/util.go": 'package harbour\n\nimport "os"\n\nfunc EnvPath(key, other string) string {\n'
        '\tif v := os.Getenv(key); v != "" {\n\t\treturn v\n\t}\n\treturn other\n}\n',
        "harbour/crane.go": 'package harbour\n\nfunc Crane() string { return EnvPath("HARBOUR_CRANE_ROOT", "") }\n',
        "lights/lamp.go": 'package lights\n\nimport "os"\n\nvar lamp = os.Getenv("LAMP_COLOUR")\n',
    }
    repository.commit("Begin", files)
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        lines = memory.ask("which environment variables are read?").lines
        assert (
            lines[0].startswith("2 variables")
            and 'HARBOUR_CRANE_ROOT harbour/crane.go:3 Crane (through EnvPath, default "")' in lines
        )
        for asked in (
            "do the lights read",
            "does the lights package read",
            "are read in lights/",
            "does @coast/lights read",
        ):
            found = memory.ask(f"which environment variables {asked}?")
            assert found.lines[0] == "1 variable is read from the environment in lights, in sources without tests", (
                asked
            )
            assert found.lines[1:] == ("LAMP_COLOUR lights/lamp.go:5 lamp",) and found.confidence == "high", found.lines
        assert memory.ask("which environment variables does harbour.crane read?").lines[1:] == (
            'HARBOUR_CRANE_ROOT harbour/crane.go:3 Crane (through EnvPath, default "")',
        )
        none = memory.ask("which environment variables does the ferry package read?")
        assert none.lines == ("there is no package or folder `ferry`",) and none.confidence != "high"


def test_fixes_are_found_by_any_form_of_a_word_subjects_first(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("fix(redact): a path is no secret", {"a.py": "a = 1\n"})
    repository.commit("fix: an update wrote credentials\n\nThey were redacted too late.", {"a.py": "a = 2\n"})
    repository.commit("Describe redaction", {"a.py": "a = 3\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        lines = memory.ask("which bugs in redaction were fixed?").lines
    assert lines[0] == "3 commits name `redaction`, 2 of them in the subject: these first, newest first"
    told = [line.partition(" — ")[0] for line in lines[1:]]
    assert [line.partition(": ")[2] or line for line in told] == [
        "fix(redact): a path is no secret",
        "fix: an update wrote credentials",
        "1 more, whose subject names no fix:",
        "Describe redaction",
    ]


def test_a_word_that_names_a_file_does_not_stand_for_the_others(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"core/plugins.py": "1\n", "core/loader.py": "1\n", "web.py": "1\n", "log.py": "1\n"})
    repository.commit("Fix the listing of names", {"core/plugins.py": "2\n"})
    repository.commit("Fix circular dependencies", {"core/plugins.py": "3\n"})
    repository.commit("Fix cascading dependency of plugins", {"core/loader.py": "2\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        said = "\n".join(memory.ask("which bugs in the plugin dependency were fixed?").lines)
    assert "Fix cascading dependency of plugins" in said and "Fix circular dependencies" in said
    assert "listing of names" not in said


def test_what_is_open_or_blocked_is_answered_by_the_tasks(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="demo") as memory:
        assert memory.ask("what is blocked?").lines[0] == "0 tasks are blocked"
        memory.tasks.create("Release it", blocked_by=["the review"], status="blocked")
        memory.tasks.create("Write the notes")
        memory.process()
        blocked, still = memory.ask("what is blocked?"), memory.ask("what is still open?")
        korean = memory.ask("지금 뭐가 막혀 있나?")
    assert blocked.lines[0] == "1 task is blocked" and "Release it, waits for the review" in blocked.lines[1]
    assert still.lines[0] == "2 tasks are open" and still.confidence == "high"
    assert korean.lines == blocked.lines


def test_a_key_of_a_request_is_no_variable_of_the_environment(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    text = "import os\n\n\ndef f(request):\n    return request.environ['PATH_INFO'], os.environ['LAMP_ROOT']\n"
    repository.commit("Begin", {"web.py": text})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        lines = memory.ask("which environment variables are read?").lines
    assert lines[1:] == ("LAMP_ROOT web.py:5 f",)


def test_fixes_of_a_place_need_not_name_it(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit(
        "Begin", {"db/schema.sql": "1\n", "db/migrations/1.py": "x = 1\n", "web/a.py": "x = 1\n", "b.py": "x = 1\n"}
    )
    repository.commit("Close a race condition between two cranes", {"db/migrations/1.py": "x = 2\n"})
    repository.commit("Fix what the crane lifts", {"db/schema.sql": "2\n"})
    repository.commit("Fix typo", {"db/schema.sql": "3\n"})
    repository.commit("Fix the colour of the page", {"web/a.py": "x = 2\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        asked = "which bugs in the SQL or the migrations were fixed?", "which commits fixed faults in db/migrations?"
        both, one = (memory.ask(question) for question in asked)
    assert [line.partition(": ")[2] or line for line in both.lines] == [
        "2 fixes changed db/migrations, db/schema.sql:",
        "Fix what the crane lifts",
        "Close a race condition between two cranes",
    ]
    assert both.confidence == "suggested" and both.commands == ("git log --no-merges -- db/migrations db/schema.sql",)
    assert [line.partition(": ")[2] or line for line in one.lines] == [
        "1 fix changed db/migrations:",
        "Close a race condition between two cranes",
    ]


def test_fixes_of_a_period_are_those_of_the_period(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    day = 86_400
    june = 1_748_736_000  # 2025-06-01
    repository.commit("fix(crane): lift no ghosts", {"crane.py": "x = 1\n"}, at=june - 400 * day)
    repository.commit("fix(crane): hold on in May", {"crane.py": "x = 2\n"}, at=june - 20 * day)
    repository.commit("fix(crane): let go", {"crane.py": "x = 3\n"}, at=june + day)
    repository.commit("feat(crane): turn", {"crane.py": "x = 4\n"}, at=june + 2 * day)
    repository.commit("fix(crane): turn back", {"crane.py": "x = 5\n"}, at=june + 40 * day)
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)

        def fixes(question: str) -> list[str]:
            lines = memory.ask(question).lines
            return [line.partition("crane): ")[2] for line in lines if "fix(crane)" in line]

        assert fixes("which bugs in crane were fixed since 2025-06-01?") == ["turn back", "let go"]
        assert fixes("which bugs in the crane were fixed between 2025-05-01 and 2025-06-30?") == [
            "let go",
            "hold on in May",
        ]
        assert fixes("which bugs in the crane were fixed in 2024?") == ["lift no ghosts"]
        assert fixes("2025년 6월 이후에 고친 crane 버그는? 어떤 커밋") == ["turn back"]
        since = memory.ask("which bugs in crane were fixed since 2025-06-01?")
        assert "--since=2025-06-01" in since.commands[0]


def test_commits_that_have_most_of_many_words_are_shown_apart(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Keep the harbour image of Windows in Unicode", {"a.py": "a = 1\n"})
    repository.commit("Fix the crane", {"a.py": "a = 2\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        found = memory.ask("which bugs of packaged harbour images on Windows were fixed?")
    assert found.lines[0].startswith("0 commits name") and found.lines[1].startswith("1 more name most")
    assert found.lines[2].endswith("Keep the harbour image of Windows in Unicode") and found.confidence != "high"


def test_fixes_of_what_a_question_spells_in_words_are_not_narrowed_to_a_symbol(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Rig the RedisBerth", {"berth.py": "class RedisBerth:\n    length = 1\n", "sail.py": "x = 1\n"})
    repository.commit("Ease overrides of RedisBerth", {"berth.py": "class RedisBerth:\n    length = 2\n"})
    repository.commit("Fix the reconnection to redis", {"berth.py": "class RedisBerth:\n    length = 3\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        found = memory.ask("which bugs in the Redis berth were fixed?")
        without = memory.ask("which bugs in RedisBerth were fixed?")
    assert any(line.endswith("Fix the reconnection to redis") for line in found.lines)
    assert "`redis` and `berth`" in "\n".join(found.lines) or "changed berth.py" in "\n".join(found.lines)
    assert without.confidence != "high"  # none of the commits that name it is a fix


def test_what_one_more_of_something_takes_is_read_from_those_that_were_added(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    for number, name in enumerate(("crane", "ferry", "lamp")):
        files = {f"readers/{name}.py": "x = 1\n", "registry.py": f"n = {number}\n", "README.md": f"{number} readers\n"}
        repository.commit(f"Add the {name} reader", files)
    repository.commit("Fix a reader", {"registry.py": "n = 9\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        found = memory.ask("what must be touched to add a new reader?")
    assert found.type == "additions" and found.confidence == "suggested"
    assert {"3 commits that add one and bring new files:", "registry.py in 3", "README.md in 3"} <= set(found.lines)
    assert not any("Fix a reader" in line for line in found.lines)


def test_code_that_reads_a_name_without_a_symbol_is_the_first_hit(memory: Memory, repository: Repository) -> None:
    files = {
        "shop.py": "import os\n\n\ndef open_till():\n    return os.environ['SHOP_LEVEL']\n\n\n# SHOP_LEVEL is read above\n\n\n"
        "def read(path):\n    return path\n",
        "paint.py": "import os\n\n\ndef paint_color(name):\n    return os.environ.get(f'SHOP_{name}')\n\n\n"
        "def is_plain():\n    return os.environ.get('NO_COLOR')\n",
        "tests/test_shop.py": "import os\n\n\ndef test_shop():\n    os.environ['SHOP_LEVEL'] = '1'\n",
        "README.md": "# Shop\n\nSet `SHOP_LEVEL`. The level is read when the shop opens.\n",
    }
    repository.commit("Read the SHOP_LEVEL", files)
    memory.init(repository.path)
    for question in ("where is SHOP_LEVEL read", "where is the environment variable SHOP_LEVEL used?"):
        first = memory.search(question).hits[0]
        assert first.is_answer and first.ref == "shop.py:4", question
    first = memory.search("where do the color environment variables get read").hits[0]
    assert first.is_answer and first.ref == "paint.py:4" and "NO_COLOR paint.py:9" in first.passage
    assert "SHOP_LEVEL" not in first.passage
    assert not memory.search("where is SHOP_LEVEL turned into a number").hits[0].is_answer


@pytest.mark.parametrize(
    "notes",
    [
        "# Changes\n\n## Unreleased\n\n- oat bread\n\n## 1.0.0\n\n- salt\n",
        "# Changes\n\n## 1.1.0\n\n_(not yet released)_\n\n- oat bread\n\n## 1.0.0\n\n- salt\n",
        "# Unreleased changes\n\n## Fixes\n\n- oat bread\n\n# 1.0.0\n\n- salt\n",
    ],
)
def test_what_is_not_released_yet_is_in_the_changelog(memory: Memory, repository: Repository, notes: str) -> None:
    repository.commit("Release the salt", {"a.py": "x = 1\n", "CHANGES.md": notes})
    memory.init(repository.path)
    for question in ("what has changed but is not released yet", "unreleased changes", "아직 릴리스되지 않은 것은?"):
        first = memory.search(question).hits[0]
        assert first.is_answer and "oat bread" in first.passage and "salt" not in first.passage, question


def test_a_decision_that_has_the_exact_name_is_no_uncertain_answer(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"shop.py": "def refund(x):\n    return x\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        memory.observe("FETCH_LIMIT stays at 50: the bank refuses larger pages.", role="assistant", session="s")
        memory.process()
        found = memory.search("FETCH_LIMIT")
        unsure = replace(found, confidence="none", hits=tuple(replace(hit, probability=0.05) for hit in found.hits))
        said = answer_question("why is `FETCH_LIMIT` 50?", memory, lambda text: unsure)
        assert said.confidence == "suggested" and "stays at 50" in said.lines[0]
        assert answer_question("what happens at 50?", memory, lambda text: unsure).confidence == "none"


def test_a_function_with_the_name_of_a_verb_can_be_asked_about(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"shop.py": "def remove(x):\n    return x\n\n\ndef clear(x):\n    return remove(x)\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        assert "function remove (shop.py:1) has 2 lines" in memory.ask("who knows remove?").lines[0]
        assert "1 caller of function remove" in memory.ask("what calls remove?").lines[0]
        assert not memory.ask("why was it removed?").lines


def test_tests_are_named_without_the_functions_inside(tmp_path: Path) -> None:
    test = "import shop\n\n\ndef test_all():\n    assert list(map(lambda x: shop.tax(x), [1])) == [1]\n    assert shop.tax(1)\n"
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"shop.py": "def tax(x):\n    return x\n", "tests/test_shop.py": test})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        rows = [line for line in memory.ask("which tests cover tax?").lines if line.startswith("tests/")]
        assert rows == ["tests/test_shop.py: test_all 4"], rows


def test_the_introduction_of_a_phrase_needs_no_further_command(asked: Memory) -> None:
    assert asked.ask("since when is there `sum(items)`?").commands
    assert asked.ask("since when is there `return tax`?").commands == ()


def test_merges_are_no_fixes(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    repository.commit("Begin", {"shop.py": "x = 1\n"})
    repository.commit("Fix the tax", {"shop.py": "x = 2\n"})
    repository.commit("Merge pull request #3 from ada/fix-tax", {"shop.py": "x = 3\n"})
    with Memory.open(tmp_path / "store", project="demo") as memory:
        memory.init(repository.path)
        said = memory.ask("which bugs in tax were fixed?")
        assert (
            said.confidence == "suggested" and said.lines[0].startswith("1 commit") and "Fix the tax" in said.lines[1]
        )


@pytest.fixture(scope="module")
def overloaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A tree with overloads, and with a name that only an example has."""
    repository = Repository(tmp_path_factory.mktemp("overloaded") / "repository")
    files = {
        "shop/__init__.py": "",
        "shop/till.py": "from typing import overload\n\n\n@overload\ndef ring_up(x: int) -> int: ...\n@overload\ndef ring_up(x: str) -> str: ...\n"
        "def ring_up(x):\n    return x\n\n\ndef close_day():\n    return ring_up(1)\n\n\nclass DayReport:\n    pass\n\n\ndef day_report():\n    pass\n",
        "tests/test_till.py": "from shop.till import ring_up\n\n\ndef test_ring_up():\n    assert ring_up(1) == 1\n",
        "examples/drawer.py": "def drawer():\n    pass\n",
    }
    repository.commit("Begin", files)
    with Memory.open(tmp_path_factory.mktemp("overloaded") / "store", project="demo") as memory:
        memory.init(repository.path)
        yield memory


def test_all_overloads_of_a_name_are_meant(overloaded: Memory) -> None:
    assert overloaded.ask("who calls ring_up?").lines[0].startswith("2 callers of function ring_up")
    assert overloaded.ask("which tests cover ring_up?").lines[0].startswith("1 test reaches")
    assert "and 1 test that depend" in overloaded.ask("what breaks if I change ring_up?").lines[0]


def test_a_name_that_is_written_apart_is_found_if_there_is_one(overloaded: Memory) -> None:
    assert overloaded.ask("who calls the ring up function?").lines == overloaded.ask("who calls ring_up?").lines
    found = overloaded.ask("what calls the day report?")  # a class and a function: neither is certain
    assert found.confidence != "high"


def test_what_is_computed_is_no_field(memory: Memory, repository: Repository) -> None:
    text = "class Cache:\n    config_hash: str = ''\n\n\ndef digest(text):\n    return text\n"
    repository.commit("Begin", {"cache.py": text})
    memory.init(repository.path)
    assert memory.ask("where is the config hash computed").confidence != "high"
    assert memory.ask("where is the config hash").confidence == "high"


def test_a_word_that_only_an_example_has_as_a_name_is_no_certain_answer(overloaded: Memory) -> None:
    found = overloaded.ask("where is the drawer opened")
    assert found.confidence != "high" and not found.lines


def test_no_callers_and_unresolved_calls_are_no_certain_answer(memory: Memory, repository: Repository) -> None:
    repository.commit(
        "Begin", {"a.py": "class A:\n    def spin(self):\n        pass\n", "b.py": "def f(x):\n    x.spin()\n"}
    )
    memory.init(repository.path)
    found = memory.ask("who calls A.spin?")
    assert found.confidence == "suggested" and "unresolved" in found.lines[0]
    assert found.lines[1] == "unresolved: b.py:2"


def test_callers_of_a_name_that_several_have_are_those_of_each(memory: Memory, repository: Repository) -> None:
    files = {
        "a.py": "class Reel:\n    def spin(self):\n        pass\n\n\ndef reel(x: Reel):\n    x.spin()\n",
        "b.py": "class Yarn:\n    def spin(self):\n        pass\n\n\ndef knit(x: Yarn):\n    x.spin()\n",
    }
    repository.commit("Begin", files)
    memory.init(repository.path)
    assert {line for line in memory.ask("who calls spin?").lines if line.startswith(("a.py", "b.py"))} == {
        "a.py: reel 7",
        "b.py: knit 7",
    }


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("where are environment variables expanded in paths", "where"),
        ("which environment variables are read?", "environment"),
        ("how does it decide whether to strip colors", "search"),
        ("why is sslmode removed from the database URL?", "decided"),
        ("what was decided about the port", "decided"),
    ],
)
def test_words_that_mean_something_else_in_context(text: str, type: str) -> None:
    assert parse_question(text).type == type


def test_a_good_hit_is_no_certain_answer_where_the_operation_gives_none(memory: Memory, repository: Repository) -> None:
    repository.commit("Begin", {"cart.py": CART})
    (repository.path / "late.py").write_text("def rebate_of_the_day():\n    pass\n")  # in no commit
    memory.init(repository.path)
    assert memory.search("rebate_of_the_day").confidence == "high"
    found = memory.ask("who added rebate_of_the_day?")
    assert not found.lines and found.confidence == "suggested"


def test_symbols_are_quoted_with_the_lines_that_say_most_of_the_question(
    memory: Memory, repository: Repository
) -> None:
    long = "".join(f"    step_{number} = {number}\n" for number in range(9))
    repository.commit(
        "Begin",
        {
            "a.py": f"def send(crate):\n{long}    if crate.weight > LARGEST:  # the crane lifts no more\n        raise Heavy\n{long}",
            "b.py": "def weigh(crate):\n    return crate.mass * GRAVITY\n",
        },
    )
    memory.init(repository.path)
    found = memory.ask("how is the weight limited that the crane lifts?")
    quoted = {hit.title: found.quotes.get(hit.id, ()) for hit in found.hits}
    assert quoted["a.send"][0] == (11, "if crate.weight > LARGEST:  # the crane lifts no more")
    assert quoted["b.weigh"] == ((1, "def weigh(crate):"), (2, "    return crate.mass * GRAVITY"))
    assert "   11: if crate.weight > LARGEST:" in FORMS[type(found)](found)[0]


def test_a_member_is_meant_by_its_name_and_that_of_its_type(memory: Memory, repository: Repository) -> None:
    begin = "class Crane:\n    def reset(self):\n        return 1\n\n\nclass Winch:\n    def turn(self):\n        return 2\n"
    repository.commit("Begin", {"a.py": begin})
    repository.commit(
        "Let the winch be reset", {"a.py": f"{begin}\n    def reset(self):\n        return self.turn()\n"}
    )
    memory.init(repository.path)
    for question in (
        "when was the Winch reset method added?",
        "who wrote the reset method of Winch?",
        "since when has Winch's reset existed?",
    ):
        found = memory.ask(question)
        assert "Let the winch be reset" in found.lines[0] and found.confidence == "high", (question, found.lines)
    assert "Begin" in memory.ask("when was the reset method of Crane added?").lines[0]
    assert "method Winch.turn" in memory.ask("who calls the turn method of Winch?").lines[0]


def test_names_of_a_stranger_are_quoted_in_commands(memory: Memory, repository: Repository) -> None:
    name = "a; touch x.py"
    repository.commit("Begin", {name: "def f():\n    pass\n", "b.py": "x = 1\n"})
    repository.commit("Again", {name: "def f():\n    return 1\n", "b.py": "x = 2\n"}, at=1_700_100_000)
    memory.init(repository.path)
    for question in (f"who added `{name}`?", f"what changed in `{name}`?", f"what changes together with `{name}`?",
                     f"who last changed `{name}`?", "where is \"it's late\"?"):  # fmt: skip
        for command in memory.ask(question).commands:
            assert not any(word.endswith(";") for word in shlex.split(command)), command


def test_what_changed_since_a_day_names_commits_that_git_knows(memory: Memory, repository: Repository) -> None:
    repository.commit("Begin", {"a.py": "x = 1\n"})
    repository.commit("Again", {"a.py": "x = 2\n", "b.py": "y = 1\n"}, at=1_700_900_000)
    memory.init(repository.path)
    (command,) = memory.ask("what changed since 2023-11-16?").commands
    subprocess.run(["git", "-C", str(repository.path), *shlex.split(command)[1:]], check=True, capture_output=True)
    assert memory.ask("what changed in b.py since 2023-11-16?").confidence != "high"


def test_what_changed_in_a_release_is_in_its_notes_or_in_its_commits(memory: Memory, repository: Repository) -> None:
    repository.commit("Begin", {"a.py": "x = 1\n"})
    repository.git("tag", "v1.0.0")
    repository.commit("Bake rye", {"a.py": "x = 2\n"}, at=1_700_100_000)
    repository.git("tag", "v1.1.0")
    notes = "# Changes\n\n**1.2.0** (2023-11-20)\n\n- oat bread\n\n**1.1.10**\n\n- salt\n"
    repository.commit("Bake oats", {"a.py": "x = 3\n", "CHANGES.md": notes}, at=1_700_200_000)
    repository.git("tag", "v1.2.0")
    memory.init(repository.path)
    first = memory.search("what is new in 1.2.0?").hits[0]
    assert first.is_answer and "oat bread" in first.passage and "salt" not in first.passage
    assert "oat bread" in memory.search("1.2.0에서 바뀐 점은?").hits[0].passage
    first = memory.search("what changed in v1.1.0?").hits[0]
    assert first.is_answer and "1 commit between v1.0.0 and v1.1.0" in first.passage and "Bake rye" in first.passage
    assert not memory.ask("what changed in 1.0.0?").lines  # no release is before it
    assert "2 commits between" in memory.ask("what changed since v1.0.0?").lines[0]


def test_a_name_that_ends_with_a_mark_and_words_around_a_name(memory: Memory, repository: Repository) -> None:
    code = "module Oven\n  def self.hot_enough?(a)\n    a > 200\n  end\n\n  def self.bake\n    hot_enough?(1)\n  end\nend\n"
    repository.commit("Begin", {"lib/oven.rb": code})
    memory.init(repository.path)
    for question in ("who calls hot_enough?", "what else is affected when hot_enough? returns something different"):
        first = memory.search(question).hits[0]
        assert first.is_answer and "bake" in first.passage, question


NOTES = """# Changes

## 2.0.0 (2024-05-01)

- Removed `lower`: nobody used it.
- The crane beeps while it turns.

## 1.1.0

- Added `turnSlowly`, so that the crane
  does not swing.

## 1.0.0

- Added `lower`.
"""


def test_releases_that_changed_something_are_read_from_the_changelog(memory: Memory, repository: Repository) -> None:
    repository.commit("Begin", {"crane.py": "def turnSlowly(x):\n    return x\n", "CHANGES.md": NOTES})
    memory.init(repository.path)
    for question, release, rest in (
        ("which releases changed lower()?", "2.0.0 (2024-05-01): - Removed `lower`", "1.0.0: - Added"),
        ("which release added `lower`?", "1.0.0: - Added `lower`", "2.0.0"),
        ("in which version did turning slowly arrive?", "1.1.0: - Added `turnSlowly`, so that", ""),
        ("어느 버전에서 turnSlowly가 추가됐나?", "1.1.0", ""),
    ):
        first = memory.search(question).hits[0]
        lines = first.passage.split("\n")
        assert first.is_answer and release in lines[1] and rest in first.passage, question
    assert first.kind == "document" and first.place.startswith("CHANGES.md:")
    assert not memory.search("which release removed the crane?").hits[0].is_answer  # no note says so


def test_without_notes_releases_are_the_tags_that_contain_the_commits(memory: Memory, repository: Repository) -> None:
    repository.commit("Begin", {"crane.py": "def lift_load(x):\n    return x\n"})
    repository.git("tag", "v1.0.0")
    repository.commit("Lift twice", {"crane.py": "def lift_load(x):\n    return x + x\n"})
    repository.git("tag", "v1.1.0")
    repository.commit("Lift three times", {"crane.py": "def lift_load(x):\n    return x + x + x\n"})
    memory.init(repository.path)
    first = memory.search("which releases changed lift_load?").hits[0]
    shown = [line.partition(":")[0] for line in first.passage.split("\n")[1:4]]
    assert first.is_answer and shown == ["not released", "v1.1.0", "v1.0.0"]


@pytest.mark.parametrize(
    "question",
    [
        "why was Tide 1.3 support dropped",  # 1.3 is a part of another number
        "why was Sluice XP support dropped",  # the commit names Sluice only
        "why was Tide 2.4 support dropped",  # it left, and no message says so
    ],
)
def test_a_part_of_what_was_dropped_is_no_certain_answer(memory: Memory, repository: Repository, question: str) -> None:
    repository.commit("Begin", {"needs.txt": "Tide 3.7\nTide 2.4\nrelease 1.3.1\nSluice 1\n"})
    repository.commit("Drop Tide 3.7\n\nIts harbour is closed.", {"needs.txt": "Tide 2.4\nrelease 1.3.1\nSluice 1\n"})
    repository.commit("Remove the sluice", {"needs.txt": "Tide 2.4\nrelease 1.3.1\n"})
    repository.commit("Prepare 1.3.2, removing the first try", {"needs.txt": "Tide 3.6\nrelease 1.3.2\n"})
    memory.init(repository.path)
    found = memory.search(question)
    assert found.confidence != "high" and not any(hit.is_answer for hit in found.hits)
    assert memory.ask(question).confidence != "high"
    right = memory.search("why was Tide 3.7 support dropped")
    assert right.confidence == "high" and "Its harbour is closed" in right.hits[0].passage


def test_who_knows_a_topic_best_made_most_commits_that_name_it(memory: Memory, repository: Repository) -> None:
    repository.commit("Begin", {"crane.py": "proxy = 1\n"})
    for number, author in enumerate(("Grace", "Ada", "Grace", "dependabot[bot]", "dependabot[bot]", "dependabot[bot]")):
        _commit_as(repository, author, f"Support proxies, part {number}", {"crane.py": f"proxy = {number}\n"})
    memory.init(repository.path)
    for question in ("who knows proxy support best?", "who should review proxies?"):
        lines = memory.search(question).hits[0].passage.split("\n")
        assert lines[1].startswith("Grace: 2") and lines[2].startswith("Ada: 1"), question
        assert "dependabot" not in "".join(lines)


_USED = {
    "shop/cart.py": "from shop.rates import Rate\n\n\nclass Cart:\n    def __init__(self):\n        self.total_due: int | None = None\n\n"
    "    def fill(self):\n        self.total_due = Rate(2).apply(1)\n\n    def show(self):\n        return f'{self.total_due}'\n\n"
    "    def __call__(self):\n        self.fill()\n",
    "shop/rates.py": "import os\n\n\nclass Rate:\n    def __init__(self, n):\n        self.n = n\n\n    def apply(self, x):\n        return x\n\n\n"
    "class Double(Rate):\n    def apply(self, x):\n        return 2 * x\n\n\ndef is_debug(environ):\n"
    "    host = environ.get('HTTP_HOST')\n    return 'SHOP_DEBUG' in os.environ and host\n",
    "shop/web.py": "from flask import Flask\n\nfrom shop.cart import Cart\nfrom shop.rates import Rate\n\napp = Flask(__name__)\n\n\n"
    "@app.post('/carts/<int:id>')\ndef add(id):\n    return Cart(), Rate(n=id)\n\n\ndef charge(given):\n    return given.apply(3)\n",
    "shop/__init__.py": "",
    "rates/card.go": "package rates\n\ntype Card struct{ Level int }\n\nfunc Make() *Card {\n\treturn &Card{Level: 1}\n}\n\n"
    "func (c *Card) Up() int {\n\tc.Level++\n\treturn c.Level\n}\n",
}


def test_what_is_done_with_a_name(memory: Memory, tmp_path: Path) -> None:
    for name, text in _USED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    memory.index_code(tmp_path)
    lines = lambda question: "\n".join(memory.ask(question).lines)
    written = "is written at 2 places\nshop/cart.py:6 Cart.__init__: self.total_due: int | None = None\nshop/cart.py:9 Cart.fill: "
    assert written in lines("who writes Cart.total_due?")
    assert "is read at 1 place\nshop/cart.py:12 Cart.show: return" in lines("where is total_due read?")
    assert "rates/card.go:10 Card.Up: c.Level++" in lines("who reads Card.Level?")
    assert "rates/card.go:6 Make: return &Card{Level: 1}\nrates/card.go:10 Card.Up: c.Level++" in lines(
        "who sets Card.Level?"
    )
    made = lines("who constructs Rate?")
    assert (
        "2 places make" in made and "shop/cart.py:9 Cart.fill: " in made and "shop/web.py:11 add: return Cart()" in made
    )
    assert "rates/card.go:6 Make: return &Card{Level: 1}" in lines("what creates instances of Card?")
    assert "shop/rates.py: Double.apply 13" in lines("which classes override Rate.apply?")
    assert "POST /carts/<int:id> add (shop/web.py:10)" in lines("which function handles /carts/{n}?")
    assert lines("are there cycles between packages?").startswith(
        "no cycles of packages that use each other\nno cycles of files"
    )
    assert "fill (shop/cart.py:9) → apply" in lines("how does Cart.fill reach Rate.apply?")
    assert "charge (shop/web.py:15, unresolved) → apply" in lines("how does charge reach Double.apply?")
    said = lines("which environment variables are read in shop/?")
    assert "SHOP_DEBUG shop/rates.py:19" in said and "HTTP_HOST" not in said
