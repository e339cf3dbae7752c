"""Each command line of README and the guides runs: in a repository that has what they name, on one store, in the order of the guides.
ELSEWHERE lists those that need what a test has not, with the reason; all others have to succeed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import STOP_S, Repository, end_owner, is_owned
from typer.main import get_command

from graphmem import Memory
from graphmem.interfaces.cli.main import build

ROOT = Path(__file__).parent.parent.parent
GUIDES = {path.stem: path for path in (ROOT / "README.md", *sorted((ROOT / "graphmem" / "guides").glob("*.md")))}
ELSEWHERE = {
    r"bench (?!--help)": "minutes, and data of their own",
    r"(init|index)$": "the fixture did it; test_init",
    r"serve|mcp --port": "runs until it is stopped: test_http, test_mcp",
    r"team ": "a server: test_shared_server",
    r"users ": "a server: test_shared_server",
    r"move --log|join|projector": "a PostgreSQL server: test_shared_postgresql, test_projectors",
    r"move --engine|config graph.url": "another engine: test_engine_move",
    r"move /mnt": "another disk: test_move",
    r"cypher$": "a terminal",
    r"index --scip|export code.scip": "an index of another program; protobuf: test_formats",
    r"export tables --format parquet": "the extra [analytics]: test_formats",
    r"import --from (codex|gemini|claude-code)": "the folders of these programs: test_chats",
    r"status --test": "starts a server of its own: test_install",
    r"(stop|rebuild --accept-loss)$": "test_processes, test_readme",
    r"(allow|deny) ID": "a memory that is withheld: test_poisoning",
    r"doctor$": "tests of the health of a store",
    r"uninstall": "test_install",
    r"forget --session S": "the session that others read: test_purge",
}  # fmt: skip
CODE = '''"""A web framework."""


class GraphStore:
    """A place for nodes."""

    def put(self):
        """Keep one."""


class Shelf(GraphStore):
    def put(self):
        return parse("x")


class SearchResult:
    degraded: str = ""


class Order:
    price: int = 0
    size: int = 0


def parse(text):
    return render(text)


def render(text):
    return SearchResult().degraded + text


def run(order: Order):
    return order.price + order.size


class Flask:
    def route(self, path):
        return lambda function: function

    def dispatch_request(self):
        return parse("a")

    def handle(self):
        return self.dispatch_request()


app = Flask()


@app.route("/api/users")
def users():
    return app.handle()
'''


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A repository that has the names of the guides, its store, and what stands for their placeholders."""
    made = Repository(tmp_path / "flask")
    far = CODE + "\n" * (963 - CODE.count("\n")) + "\ndef teardown():\n    return run(Order())\n"
    made.commit("Add the framework", {
        "src/flask/app.py": far, "graphmem/interfaces/page.py": "def show():\n    return 1\n", "src/old.py": "DEFAULT_MAX_SIZE = 1\n",
        "package.json": '{"name": "x", "overrides": {"parser": "<3"}}\n', ".aider.chat.history.md": "# aider chat started at 2026-01-05 09:00:00\n\n#### hello\n\nHi.\n",
    })  # fmt: skip
    for tag in ("v1.2", "v1.3", "3.0.0"):
        made.commit(f"Release {tag}", {"src/flask/version.py": f'VERSION = "{tag}"\n'})
        made.git("tag", tag)
    made.commit("Drop Python 2 support", {"src/old.py": "SIZE = 1\n"})
    made.write("src/old.py", "SIZE = 2\n")  # for `code changes`
    store = tmp_path / "store"
    with Memory.open(store, project="flask", settings={"embedding.provider": "none"}) as memory:
        memory.init(made.path)
        memory.observe("We decided that telemetry goes to the new cluster on Mondays.", session="monday", ref="t1")
        ids = [memory.remember(f"The kelp of basket {number} is cut at {number} o'clock.") for number in range(12)]
        memory.tasks.create("the audit")
        memory.process()
        node = memory.tree.index().nodes[0].id
    named = {"ID": ids[0], "OLD": ids[1], "NEW": ids[2], "OTHER": ids[3], "mem:Ab12Cd": ids[4], "SESSION": "monday", "NAME": "parse",
             "NODE": node}  # fmt: skip
    (tmp_path / "Sync").mkdir()
    with zipfile.ZipFile(made.path / "export.zip", "w") as archive:
        archive.write(ROOT / "fixtures" / "sessions" / "chatgpt" / "conversations.json", "conversations.json")
    monkeypatch.setenv("GRAPHMEM_STORE", str(store))
    monkeypatch.setenv("GRAPHMEM_EMBEDDING__PROVIDER", "none")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(made.path)
    yield named
    if is_owned(store):
        end_owner(store)


KNOWN = {*get_command(build()).commands}


def commands(guide: Path) -> Iterator[list[str]]:
    """The words of each command line in a block of a guide."""
    for line in re.findall(r"^(?:    |\$ |```\w*\n)?((?:    )?graphmem [a-z].*)$", guide.read_text("utf-8"), re.M):
        lexer = shlex.shlex(line.strip().replace(r"\$", "$"), posix=True, punctuation_chars=True)
        lexer.whitespace_split, lexer.commenters = True, "#"
        try:
            words = list(lexer)
        except ValueError:  # prose with an apostrophe
            continue
        for part in " ".join(map(shlex.quote, words)).split(" ';' "):
            own = shlex.split(re.split(r" '[<>|]+' ", part)[0])[1:]
            if own and own[0] in KNOWN:
                yield own


def run(words: list[str], named: dict[str, str]) -> str:
    """Run a command line and return what is wrong with it, or ""."""
    given = dict(named) if words[0] != "tree" else {**named, "ID": named["NODE"]}
    filled = [str(Path(word).expanduser()) if word.startswith("~") else given.get(word, word) for word in words]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "graphmem.interfaces.entry", *filled], capture_output=True, text=True, timeout=STOP_S,
        input="MATCH (c:Commit) RETURN c.subject",
    )  # fmt: skip
    return (
        f"graphmem {shlex.join(words)}: {done.returncode} {(done.stderr or done.stdout)[-300:]}"
        if done.returncode
        else ""
    )


@pytest.mark.deep  # some 120 processes
@pytest.mark.timeout(1_800)
def test_the_commands_of_the_guides_run(place: dict[str, str]) -> None:
    wrong, ran = [], set[str]()
    for name, guide in GUIDES.items():
        for words in commands(guide):
            line = shlex.join(words)
            if line not in ran and not any(re.match(pattern, line) for pattern in ELSEWHERE):
                ran.add(line)
                wrong.append(f"{name}: {said}" if (said := run(words, place)) else "")
                if words == ["pause"]:
                    wrong.append(run(["resume"], place))
    assert not any(wrong), "\n".join(filter(None, wrong))


def test_nothing_is_left_out_that_is_not_there() -> None:
    lines = [shlex.join(words) for path in GUIDES.values() for words in commands(path)]
    assert len(lines) > 150 and not [
        pattern for pattern in ELSEWHERE if not any(re.match(pattern, one) for one in lines)
    ]
