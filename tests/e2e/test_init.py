"""The main job as a user runs it: the installed command on real repositories, as processes."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import STOP_S, end_owner, wait_until, with_deep

from graphmem.log.stages import FILE, read_state

COMMAND = Path(sys.executable).parent / "graphmem"


def graphmem(*arguments: str, cwd: Path, check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, timeout=STOP_S)
    if check:
        assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def shop(repository):
    """A small repository in five languages, with two authors' worth of history."""
    repository.commit("Add the cart", {
        "shop/__init__.py": "from shop.cart import Cart\n",
        "shop/cart.py": "class Cart:\n    def total(self):\n        return tax(sum(self.prices()))\n\n    def prices(self):\n        return []\n\n\ndef tax(n):\n    return n * 1.2\n",
        "web/app.ts": "import { greet } from './greet';\nexport function main() { greet('x'); }\n",
        "web/greet.ts": "export function greet(name: string) { return name; }\n",
        "go.mod": "module example.org/shop\n", "cmd/main.go": "package main\n\nfunc main() { run() }\n\nfunc run() {}\n",
        "lib.rs": "fn outer() { inner(); }\nfn inner() {}\n",
        "Shop.java": "class Shop { void open() { close(); } void close() {} }\n",
        "README.md": "# Shop\n\nA shop that sells graphs.\n",
    })  # fmt: skip
    repository.commit(
        "Fix the tax, fixes #12",
        {"shop/cart.py": repository.path.joinpath("shop/cart.py").read_text().replace("1.2", "1.19")},
    )
    return repository


@pytest.mark.usefixtures("default_engine")
def test_one_command_makes_a_graph_that_answers(shop) -> None:
    shown = graphmem("init", cwd=shop.path).stdout
    assert "repository" in shown and "shop.cart.tax" in shown and "graphmem cypher --named" in shown
    again = graphmem("init", cwd=shop.path).stdout
    assert "2 read, 0 of them new" in again
    rows = json.loads(
        graphmem(
            "cypher",
            "MATCH (a:Symbol)-[:CALLS]->(b:Symbol) WHERE NOT b.external RETURN a.name, b.name",
            "--json",
            cwd=shop.path,
        ).stdout
    )
    calls = {tuple(row) for row in rows["data"]["rows"]}
    assert {
        ("total", "tax"),
        ("total", "prices"),
        ("main", "greet"),
        ("main", "run"),
        ("outer", "inner"),
        ("open", "close"),
    } <= calls
    assert "tax" in graphmem("cypher", "--named", "functions_of_commits", "text=fixes", cwd=shop.path).stdout
    assert "sells graphs" in graphmem("search", "what does it sell", cwd=shop.path).stdout
    assert "Fix the tax" in graphmem("show", "shop.cart.tax", cwd=shop.path).stdout


def test_code_answers_at_once_and_the_owner_does_the_rest(shop) -> None:
    done = graphmem("init", "--no-wait", cwd=shop.path)
    assert "follow in the background" in done.stdout and "code ready after" in done.stderr
    assert "total" in graphmem("code", "callers", "shop.cart.tax", cwd=shop.path).stdout
    assert "sells graphs" in graphmem("search", "what does it sell", cwd=shop.path).stdout  # waits for the texts
    (store,) = Path(os.environ["GRAPHMEM_HOME"]).glob("projects/*")
    wait_until(lambda: "vectors after" in told(shop.path))
    state = read_state(str(store))
    assert state is not None and not state.failure
    _, history, texts, *_ = (stage.done for stage in state.stages)
    assert history == 2 and texts >= 4  # more where something was recorded meanwhile
    assert "2 read, 0 of them new" in graphmem("init", cwd=shop.path).stdout
    assert "init       ready: code after" in graphmem("stats", cwd=shop.path).stdout

    left = [stage if stage.name == "code" else stage._replace(ready_s=None) for stage in state.stages]
    hook = {"session_id": "s", "cwd": str(shop.path), "tool_name": "Bash", "tool_input": {"command": "ls"}}
    for go_on in (
        lambda: graphmem("search", "what does it sell", cwd=shop.path),
        lambda: subprocess.run(
            [COMMAND, "hook", "PostToolUse"], input=json.dumps(hook), cwd=shop.path, text=True, check=True
        ),
    ):
        end_owner(store, signal.SIGKILL)  # as if it had been killed meanwhile: the next one goes on
        (store / FILE).write_text(json.dumps(state._replace(stages=left, at=time.time())._asdict()))
        assert "off  init: ready: code; stopped while reading the history: it was interrupted" in told(shop.path)
        go_on()
        wait_until(lambda: "vectors after" in told(shop.path))


def test_init_says_at_once_what_it_does(shop) -> None:
    """Before anything is loaded; on a terminal then what is being done, elsewhere a line for each stage."""
    begun = "Reading the code first"
    watched = (
        "import os, sys\nfrom graphmem.interfaces import entry\nsys.argv = ['graphmem', 'init']\n"
        "class Screen:\n    def write(self, text):\n        print(text, 'typer' in sys.modules, flush=True); os._exit(0)\n"
        "sys.stderr = Screen()\nentry.run()\n"
    )
    done = subprocess.run([sys.executable, "-c", watched], cwd=shop.path, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(begun) and "False" in done.stdout
    assert begun not in graphmem("init", "--json", cwd=shop.path).stderr
    master, screen = pty.openpty()
    with subprocess.Popen([COMMAND, "init"], cwd=shop.path, stdout=subprocess.DEVNULL, stderr=screen) as process:
        os.close(screen)
        shown = read_all(master)
        assert process.wait() == 0
    assert shown.startswith(begun) and "0 s  starting the owner process" in shown and "code ready after" in shown
    piped = graphmem("init", cwd=shop.path).stderr
    assert piped.startswith(begun) and "starting" not in piped and piped.count("\n") == 6


def read_all(terminal: int) -> str:
    """What a program writes to a terminal until it ends, when reading fails on Linux."""
    said = b""
    with contextlib.suppress(OSError):
        while part := os.read(terminal, 4_096):
            said += part
    os.close(terminal)
    return said.decode()


def told(folder: Path) -> str:
    """What `status` says of `init`."""
    lines = graphmem("status", cwd=folder).stdout.splitlines()
    return next(line for line in lines if " init: " in line)


def test_a_repository_without_commits_is_told_how_to_go_on(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "a.py").write_text("def f():\n    return 1\n")
    assert "no commits yet" in graphmem("init", cwd=tmp_path).stdout


def test_nodes_equal_what_git_and_the_tree_say(shop) -> None:
    graphmem("init", cwd=shop.path)
    ask = lambda query: json.loads(graphmem("cypher", query, "--json", cwd=shop.path).stdout)["data"]["rows"]
    hashes = shop.git("rev-list", "HEAD").split()
    assert sorted(row[0] for row in ask("MATCH (c:Commit) RETURN c.hash")) == sorted(hashes)
    touched = {tuple(row) for row in ask("MATCH (c:Commit)-[t:TOUCHES]->(f:File) RETURN c.hash, t.change, f.path")}
    said = set()
    for block in shop.git("log", "--name-status", "--no-renames", "--format=%x01%H").split("\x01")[1:]:
        hash_, *lines = [line for line in block.splitlines() if line]
        said |= {(hash_, *line.split("\t")) for line in lines}
    assert touched == said
    present = {row[0] for row in ask("MATCH (f:File) WHERE f.present AND f.skipped = '' RETURN f.path")}
    assert present == {path for path in shop.git("ls-files").split() if not path.endswith(".md")}


def test_a_deleted_store_is_the_same_after_a_rebuild(shop) -> None:
    graphmem("init", cwd=shop.path)
    ask = lambda *a: re.sub(r'"_id": {.*?}', "", graphmem(*a, "--json", cwd=shop.path).stdout.partition('"meta"')[0])
    questions = [("cypher", "MATCH (n) WHERE label(n) <> 'Cursor' RETURN n.id ORDER BY n.id"), ("cypher", "MATCH (a)-[r]->(b) RETURN a.id, label(r), b.id ORDER BY a.id, b.id, label(r)"),
                 ("search", "tax"), ("show", "shop.cart.tax")]  # fmt: skip
    before = [ask(*question) for question in questions]
    (store,) = Path(os.environ["GRAPHMEM_HOME"]).glob("projects/*")
    end_owner(store)
    for file in store.iterdir():
        if file.is_dir():
            shutil.rmtree(file)
        elif not file.name.startswith("log.db"):
            file.unlink()
    shop.write("shop/cart.py", "nothing = 'of it is left'\n")  # the log knows the state that was indexed
    graphmem("rebuild", cwd=shop.path)
    assert [ask(*question) for question in questions] == before


@pytest.mark.parametrize("spoil", with_deep(["odd"], ["empty"]))
def test_bad_input_is_counted_and_loses_nothing(repository, spoil: str) -> None:
    if spoil == "odd":
        repository.commit("odd", {"min.js": "a=1;" * 2_500_000, "bad.py": b"caf\xe9 = 1\ndef f(): pass\n", "image.py": b"\0\1\2", "ok.py": "def ok(): pass\n",
                                  "broken.py": "def broken(:\n", "notes.md": b"# caf\xe9\n\ntext\n"})  # fmt: skip
        (repository.path / "gone").symlink_to("/nowhere")
        closed = repository.write("closed/secret.py", "x = 1\n").parent
        closed.chmod(0)
    shown = graphmem("init", cwd=repository.path)
    if spoil == "odd":
        (skipped,) = (line for line in shown.stdout.splitlines() if line.startswith("  skipped"))
        assert "binary" in skipped and "syntax errors" not in skipped  # those files are in the graph
        assert "  in part    not utf-8 (replaced) 1, syntax errors (read around) 1" in shown.stdout
        assert "ok.ok" in graphmem("cypher", "MATCH (s:Symbol) RETURN s.qualified_name", cwd=repository.path).stdout


def test_errors_are_one_sentence_with_a_status(tmp_path: Path, shop) -> None:
    done = graphmem("init", cwd=tmp_path, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "git repository" in done.stderr
    done = graphmem("cypher", "RETURN 1", cwd=shop.path, check=False)
    assert done.returncode == 2 and "graphmem init" in done.stderr  # reading makes no store
    graphmem("init", cwd=shop.path)
    done = graphmem("cypher", "MATCH (n) DELETE n", "--json", cwd=shop.path, check=False)
    assert done.returncode == 2 and json.loads(done.stdout)["error"]["code"] == "ForbiddenQuery"
    done = graphmem("show", "nobody", cwd=shop.path, check=False)
    assert done.returncode == 2 and "nobody" in done.stderr
    done = graphmem("search", "x", "--store", str(tmp_path / "mistyped"), cwd=shop.path, check=False)
    assert done.returncode == 2 and "no store at" in done.stderr and not (tmp_path / "mistyped").exists()


@pytest.mark.deep
def test_a_repository_named_from_elsewhere_is_the_same_project(shop, tmp_path: Path) -> None:
    shown = graphmem("init", str(shop.path), cwd=tmp_path).stdout
    assert shown.startswith("repository  ")
    assert json.loads(graphmem("stats", "--json", cwd=shop.path).stdout)["data"]["project"] == "repository"
