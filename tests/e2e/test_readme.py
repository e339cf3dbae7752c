"""The commands and snippets of README and of the guides, executed: the install command in a copy of the checkout, the Python
snippets, every Cypher query, and the settings that are shown."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from support import STOP_S, Repository, end_owner
from typer.main import get_command

from graphmem import Memory
from graphmem.errors import StoreDamaged
from graphmem.hooks.respond import respond
from graphmem.interfaces.cli.aliases import GROUPS
from graphmem.interfaces.cli.main import build

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text("utf-8")
GUIDES = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "graphmem" / "guides").glob("*.md")))


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, those of README first."""
    return re.findall(rf"^```{language}\n(.*?)^```", f"{README}\n{GUIDES}", re.M | re.S)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("libraries", ["at_hand", pytest.param("from_the_registry", marks=pytest.mark.deep)])
def test_the_first_command_installs_and_reads_a_repository(tmp_path: Path, repository, libraries: str) -> None:
    """As a newcomer: a copy of what git tracks, a fresh environment, the wheel that pip builds of it. The libraries of these
    tests, which pip installed by the same list, are at hand in it, and nothing is asked of the registry; or pip builds and
    installs all by itself, which takes three minutes."""
    repository.commit(
        "Begin", {"lib/shelf.py": "def put(book):\n    return stamp(book)\n\n\ndef stamp(book):\n    return book\n"}
    )
    copy = tmp_path / "copy"
    names = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    # Compiling, which takes a minute, was tried when the graphmem under test was installed; bytecode is made as needed.
    environment = {
        **os.environ,
        "REPOSITORY": str(repository.path),
        "GRAPHMEM_COMPILE": "0",
        "PIP_NO_COMPILE": "1",
    }
    if libraries == "at_hand":
        at_hand = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        environment |= {"PYTHONPATH": os.pathsep.join(at_hand), "PIP_NO_DEPS": "1", "PIP_NO_INDEX": "1"}
        environment["PIP_NO_BUILD_ISOLATION"] = "0"  # pip reads it as the value of `build_isolation`
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", blocks("bash")[0]],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        timeout=880,
    )
    assert done.returncode == 0, done.stderr
    assert "lib.shelf.stamp" in done.stdout


def test_the_second_command_is_what_ci_runs() -> None:
    assert "<!-- ci:begin -->" in (ROOT / ".ci" / "run").read_text() and ".venv/bin/pytest" in blocks("bash")[1]


def test_the_python_snippet_runs(tmp_path: Path) -> None:
    snippet, toolbox, client = blocks("python")
    compile(client, "client", "exec")  # `test_http` calls the client of a server
    done = subprocess.run([sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True, timeout=STOP_S)
    assert done.returncode == 0, done.stderr
    content, blocker, *facts = done.stdout.splitlines()
    assert (
        "never read files" in content
        and "[mem:" in content
        and blocker == "the changelog review"
        and "Releases are tagged" in facts[0]
    )
    called = subprocess.run(
        [sys.executable, "-c", toolbox], cwd=tmp_path, capture_output=True, text=True, timeout=STOP_S
    )
    assert called.returncode == 0 and "never read files" in called.stdout, called.stderr
    again = subprocess.run(
        [sys.executable, "-c", snippet], cwd=tmp_path, capture_output=True, text=True, timeout=STOP_S
    )
    assert again.stdout.count("Releases are tagged") == facts[0].count("Releases are tagged")  # twice is once


APP = """import json


class View:
    def dispatch_request(self):
        return json.dumps(1)


class Page(View):
    pass


def run(view: View):
    return view.dispatch_request()
"""
MAIN = """from app import View, run


def main(plugin):
    plugin.start()
    return run(View())
"""
TEST = "from main import main\n\n\ndef test_main():\n    assert main(None)\n"


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory of a small repository and a session, for questions that change nothing."""
    repository = Repository(tmp_path_factory.mktemp("asked") / "repository")
    repository.commit("Cookie jar", {"app.py": APP, "main.py": MAIN, "tests/test_main.py": TEST})
    changed = {"app.py": APP.replace("view.dispatch", "view  .dispatch"), "main.py": f"{MAIN}\n"}
    repository.commit("Fix the order of cookies", changed)
    with Memory.open(tmp_path_factory.mktemp("asked") / "store", project="demo") as memory:
        memory.init(repository.path)
        said = datetime(2026, 3, 2, 9, tzinfo=UTC)
        memory.observe("We decided to store sessions in Redis.", session="monday", ref="t1", at=said)
        memory.remember("Views never read cookies.", title="Cookies", files=["app.py"], at=said)
        memory.process()
        memory.observe(
            "We decided to store sessions in PostgreSQL instead of Redis.",
            session="monday",
            at=said + timedelta(days=1),
        )
        for port in ("8080", "9090"):
            memory.remember(f"The port of the gateway is {port}.")
        memory.tasks.create("Write the notes", status="blocked", blocked_by=["the changelog review"])
        memory.capture(
            "pytest -q", output="FAILED tests/test_main.py::test_main - AssertionError", exit_code=1, session="monday"
        )
        edit = {
            "tool_name": "Write",
            "tool_input": {"file_path": str(repository.path / "app.py"), "content": APP},
            "tool_use_id": "1",
        }
        respond(
            memory._store,
            "PostToolUse",
            {"session_id": "monday", "cwd": str(repository.path), **edit, "tool_response": "ok"},
        )
        failed = {
            "tool_name": "Bash",
            "tool_input": {"command": "make"},
            "tool_use_id": "2",
            "error": "Exit code 2\nno rule",
        }
        respond(memory._store, "PostToolUseFailure", {"session_id": "monday", "cwd": str(repository.path), **failed})
        memory.process()
        yield memory


@pytest.mark.parametrize("query", blocks("cypher"))
def test_every_query_answers(asked: Memory, query: str) -> None:
    assert asked.cypher(query).rows


def test_readme_is_short_and_its_guides_exist() -> None:
    listed = re.search(r"^## Guides$(.*?)^## ", README, re.M | re.S)
    assert listed and len(README.splitlines()) <= 200
    files = {path.stem for path in (ROOT / "graphmem" / "guides").glob("*.md")}
    assert set(re.findall(r"`([a-z-]+)`", listed[1])) == files
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links and not [link for link in links if not (ROOT / link).exists()]


def compared(text: str) -> tuple[list[str], dict[str, list[str]]]:
    """The comparison table of a text: projects, and the cells of each row."""
    table = re.search(r"^\| \| graphmem \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)
    assert table
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[0].splitlines()]
    return lines[0][1:], {row[0]: row[1:] for row in lines[2:]}


def test_the_comparison_cites_its_sources_and_readme_repeats_it() -> None:
    guide = (ROOT / "graphmem" / "guides" / "comparison.md").read_text("utf-8")
    projects, rows = compared(guide)
    assert all(len(cells) == len(projects) and all(cells) for cells in rows.values())
    assert any("−" in cells[0] for cells in rows.values())  # ours are honest, too
    explained = set(re.findall(r"^- \*\*([^*]+)\*\*:", guide, re.M))
    cited = dict(re.findall(r"^\| (\S+) \| [^|]+ \| ([^|]+, 20\d\d-\d\d-\d\d|[^|]+ package) \|", guide, re.M))
    assert set(projects) == {"graphmem", *cited}
    for place, project in enumerate(projects):
        assert project in explained or all(cells[place] != "~" for cells in rows.values()), project
    short_projects, short_rows = compared(README)
    assert short_projects == projects and short_rows.items() <= rows.items()
    assert f"has {len(rows)} rows" in README


def test_every_command_that_is_named_exists() -> None:
    texts = f"{README}\n{GUIDES}"
    named = set(re.findall(r"`graphmem ([a-z]+)", texts)) | set(
        re.findall(r"^(?:\$ |    )graphmem ([a-z]+)", texts, re.M)
    )
    known = {*get_command(build()).commands, *GROUPS}
    assert named <= known, json.dumps(sorted(named - known))


def test_the_settings_shown_are_settings_and_the_replaced_fact_is_shown_so(tmp_path: Path) -> None:
    import tomllib

    from graphmem.settings import load_settings

    (shown,) = blocks("toml")
    assert load_settings(overrides=tomllib.loads(shown)).types.relations["runs_in"]["to"] == "environment"
    (told,) = [block for block in blocks("text") if "facts_replaced" in block]
    with Memory.open(tmp_path / "store", project="demo", settings={"embedding.provider": "none"}) as mem:
        for content in re.findall(r'remember "(.*)"', told):
            mem.remember(content)
        mem.process()
        ((old, new, why, *_),) = mem.query("facts_replaced").rows
        assert all(part in told for part in (old, new, why))


def recipe(guide: str, after: str) -> str:
    """The commands of the first indented block after some words of a guide."""
    text = (ROOT / "graphmem" / "guides" / guide).read_text("utf-8").partition(after)[2]
    return re.sub(r"^ +", "", re.findall(r"(?:^    .+\n)+", text, re.M)[0], flags=re.M)


def follow(commands: str, folder: Path, **variables: str) -> str:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    done = subprocess.run(["bash", "-ec", commands], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_a_backup_is_restored_as_the_guide_says(tmp_path: Path, make_repository) -> None:
    store = Path(os.environ["GRAPHMEM_HOME"]) / "restored"
    (tmp_path / "backup").mkdir()
    nets = make_repository("nets")
    nets.commit("Grow kelp in baskets", {"kelp.py": "def grow():\n    return 1\n"})
    with Memory.open(store, project="nets") as mem:
        mem.remember("We decided to harvest kelp in the morning.")
        mem.process()
        mem.export(nets.path / "backup.jsonl")
    shutil.copy2(store / "log.db", tmp_path / "backup")
    with Memory.open(store) as mem:
        mem.remember("The nets are green.")
        mem.process()
    later = (store / "log.db").read_bytes()
    shutil.copy2(tmp_path / "backup" / "log.db", store / "log.db")
    with Memory.open(store) as mem:
        (advice,) = mem.health()["advice"]
        assert "`graphmem rebuild --accept-loss` is the normal next step" in advice
        with pytest.raises(StoreDamaged, match="--accept-loss` is the normal next step"):
            mem.search("kelp")
    (store / "log.db").write_bytes(later)
    copied = recipe("formats-and-upgrades.md", "A copy of `log.db`")
    assert "The store is healthy" in follow(copied, tmp_path, GRAPHMEM_STORE=str(store))
    exported = recipe("formats-and-upgrades.md", "An export: merge it")
    follow(exported, nets.path, GRAPHMEM_STORE=str(store.with_name("other")))
    for each in (store, store.with_name("other")):
        end_owner(each)
        with Memory.open(each) as mem:
            assert mem.project == "nets"
            assert "in the morning" in mem.search("harvest kelp").hits[0].content
