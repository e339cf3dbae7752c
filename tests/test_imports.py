"""Who imports whom, and when: modules form no circle, own modules are imported at the top of a module save for the few doors
listed here, and what starts often loads nothing heavy."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "graphmem"
MOST = 76

# Where a function imports an own module, and why it does not do so at the top. Behind a door everything is imported at the top.
DOORS = {
    "__init__.py:__getattr__": "`import graphmem` does no work",
    "ask/asking.py:lead_if_asked": "few searches are questions that an operation answers",
    "backends/graph/opening.py:open_graph": "a graph engine takes 0.1 s to load",
    "errors.py:_with_room_first": "few errors advise to rebuild",
    "extract/sources.py:read_files": "the readers of all kinds of files are loaded for a folder of them alone",
    "extract/sources.py:read_sessions": "the readers of chats are loaded for chats alone",
    "hooks/asking.py:request_for_memories": "asking is off unless the user switches it on",
    "hooks/endless_gate.py:endless_injection": "endless mode is mostly off",
    "hooks/respond.py:_context": "a hook that only records searches nothing",
    "interfaces/cli/agents.py:_load_install": "a command line loads what its command needs",
    "interfaces/cli/agents.py:mcp": "a command line loads what its command needs",
    "interfaces/install/overview.py:_former": "few stores are without the history of their repository",
    "interfaces/install/overview.py:show": "few ask for JSON",
    "interfaces/cli/agents.py:tools": "a command line loads what its command needs",
    "interfaces/cli/main.py:_by_doctor": "only a store that is damaged is examined",
    "interfaces/cli/main.py:_load_store": "the help opens no store",
    "interfaces/cli/main.py:execute": "the shell is one command",
    "interfaces/cli/serving.py:_attempt": "a command line loads what its command needs",
    "interfaces/cli/stores.py:_load_stores": "the help opens no store",
    "interfaces/cli/serving.py:_serve_shared": "a web server takes a second to load",
    "interfaces/cli/team.py:_load": "an HTTP client takes 0.1 s to load",
    "interfaces/daemon.py:serve_commands": "few stores are connected to a shared server",
    "interfaces/cli/users.py:_forget": "few commands open a store",
    "interfaces/cli/users.py:_stores": "few commands look at stores",
    "interfaces/cli/users.py:_opened": "the help opens no accounts",
    "interfaces/cli/serving.py:serve": "a web server takes a second to load",
    "interfaces/daemon.py:commands": "an owner that nobody sends commands loads no command line",
    "interfaces/entry.py:run": "hooks, thin clients and command lines start apart",
    "interfaces/hooks/entry.py:_alone": "where an owner answers, a hook loads no store",
    "interfaces/hooks/entry.py:_spooled": "hooks that only ask keep nothing",
    "interfaces/verbs/general.py:bring": "the readers of chats are loaded for chats alone",
    "maintenance.py:_browse": "each subject of a memory is loaded with its first call",
    "maintenance.py:_keeping": "each subject of a memory is loaded with its first call",
    "memory.py:_sources": "each subject of a memory is loaded with its first call",
    "memory.py:ask": "each subject of a memory is loaded with its first call",
    "memory.py:code": "each subject of a memory is loaded with its first call",
    "memory.py:endless": "each subject of a memory is loaded with its first call",
    "memory.py:open": "who imports the class needs no store yet",
    "memory.py:tree": "each subject of a memory is loaded with its first call",
    "operations/registry.py:_evolution": "clients send requests and run none",
    "sync/rebuild.py:erase_forgotten": "hardly ever is anything purged",
    "sync/pipeline.py:_follow_code": "many stores hold no code",
    "sync/pipeline.py:_restore_last_run": "the passes of memify take 0.1 s to load, and few projections miss a run",
    "operations/registry.py:_keeping": "clients send requests and run none",
    "operations/registry.py:_pipeline": "clients send requests and run none",
    "operations/registry.py:_reading": "clients send requests and run none",
    "privacy/judge.py:_is_signed": "few texts hold a signed token",
    "retrieve/analyse.py:_find_aliases": "few questions are a name alone",
    "store/access.py:_own": "a client of an owner serves nobody",
    "store/opened.py:_facts": "a hook opens the log alone",
    "text/times/__init__.py:anchor_times": "the grammar of times takes long to load, and few texts need it",
    "store/opened.py:access": "a hook needs no graph",
    "store/opened.py:backlog": "a hook opens the log alone",
    "store/opened.py:finish_interrupted_move": "hardly ever was a move cut off",
    "store/opened.py:frozen": "most stores can be written to",
    "store/opened.py:index": "a hook that only records searches nothing",
    "store/opened.py:move": "stores are hardly ever moved",
    "store/opened.py:release_memory": "an owner alone waits for hours",
    "store/opened.py:renewal": "little is ever broken",
    "store/opened.py:represent": "a hook has no facade",
    "store/opened.py:start_owner": "most hooks find an owner",
    "store/opened.py:tasks": "tasks are one subject of many",
    "store/opened.py:writer": "without a language model nothing of it is loaded",
    "store/serving.py:_hook": "an owner that is embedded in a program answers no hooks",
    "tasks/match/matcher.py:_rank": "numpy takes 0.1 s to load, and an exact title needs none",
    "text/entities/__init__.py:_by_rules": "the lists of names take long to load",
    "text/entities/__init__.py:extract_all": "spaCy takes a second to load",
    "tree/sensor.py:_times": "the grammar of times takes long to load, and few turns speak of one",
}

pytestmark = pytest.mark.core


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
Import = ast.Import | ast.ImportFrom


def imported(node: Import) -> set[str]:
    """The own modules that a statement imports."""
    if isinstance(node, ast.Import):
        return {name.name for name in node.names} & MODULES.keys()
    below = {f"{node.module}.{name.name}" for name in node.names}
    return (below & MODULES.keys()) or ({str(node.module)} & MODULES.keys())


def imports_of(tree: ast.AST, function: str = "") -> Iterator[tuple[str, Import]]:
    """Each import of a module, with the function that it stands in, "" for none."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Import):
            yield function, node
        elif not isinstance(node, ast.expr):  # which holds no statements
            inner = node.name if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else function
            yield from imports_of(node, inner)


@pytest.fixture(scope="module")
def imports() -> list[tuple[str, str, Import]]:
    return [
        (name, function, node)
        for name, path in MODULES.items()
        for function, node in imports_of(ast.parse(path.read_text("utf-8")))
        if imported(node)
    ]


def test_modules_form_no_circle(imports: list[tuple[str, str, Import]]) -> None:
    graph: dict[str, set[str]] = {}
    for name, _, node in imports:  # those within functions, and those for the type checker alone, count as well
        graph.setdefault(name, set()).update(imported(node))
    assert list(TopologicalSorter(graph).static_order())  # raises CycleError, which names the circle


def test_own_modules_are_imported_at_the_top_save_for_doors(imports: list[tuple[str, str, Import]]) -> None:
    lazy = [f"{MODULES[name].relative_to(PACKAGE)}:{function}" for name, function, _ in imports if function]
    assert sorted(set(lazy) - DOORS.keys()) == [], "import at the top, or name it in DOORS with the reason"
    assert not DOORS.keys() - set(lazy), "this door is gone: take it off the list"
    assert len(lazy) < MOST


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import graphmem", "numpy kuzu spacy pydantic sqlite3 typer rich graphmem.memory graphmem.store"),
        ("import graphmem; graphmem.Memory", "numpy kuzu spacy pydantic sqlite3 typer rich graphmem.store"),
        ("import graphmem.interfaces.hooks.entry", "numpy kuzu sqlite3 typer pathlib graphmem.store graphmem.settings"),
        ("import graphmem.interfaces.hooks.alone", "numpy kuzu spacy pydantic typer rich graphmem.store.retrieval"),
        ("import graphmem.interfaces.install.overview", "numpy kuzu sqlite3 typer rich pydantic graphmem.store mcp"),
        ("import graphmem.interfaces.cli.thin", "numpy kuzu sqlite3 typer rich graphmem.store graphmem.memory"),
        ("import graphmem.interfaces.cli.main", "numpy kuzu spacy pydantic sqlite3 graphmem.store graphmem.retrieve"),
        ("import graphmem.store.adoption", "numpy kuzu spacy typer graphmem.sync graphmem.cognify"),
        (
            "import graphmem.store.access",
            "numpy asyncio kuzu spacy pydantic typer graphmem.sync graphmem.cognify.facts graphmem.hooks",
        ),
        ("import graphmem.interfaces.daemon", "kuzu spacy pydantic typer rich graphmem.memify.run"),
        (
            "import graphmem.operations.handlers.pipeline",
            "numpy kuzu spacy pydantic graphmem.codegraph.build graphmem.memify.run",
        ),
        ("import graphmem.maintenance", "numpy kuzu spacy pydantic asyncio graphmem.sync.health graphmem.memify.run"),
    ],
)
def test_what_starts_often_loads_little(code: str, unwanted: str) -> None:
    asked = f"{code}\nimport sys; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, text=True, check=True, cwd=ROOT, env=os.environ
    )
    assert not set(unwanted.split()) & set(done.stdout.split())
