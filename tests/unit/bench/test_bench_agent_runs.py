"""The harness for real agents: a scripted one is run with and without graphmem, over the real server, in clones of its own; what
real ones print is read, and what fails is a failure."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support import Repository

from graphmem.bench import agent_programs, agent_runs
from graphmem.bench.agent_tasks import Task, is_right, read_tasks
from graphmem.bench.questions import Gold
from graphmem.errors import NotFound, SourceError, UsageError
from graphmem.interfaces.cli import benchmarks

SCRIPT = Path(__file__).with_name("scripted_agent.py")
AGENT = f"{sys.executable} {SCRIPT}"
FILES = {
    "shop/tax.py": "def add_tax(amount):\n    return amount * 2\n",
    "shop/till.py": "from shop.tax import add_tax\n\n\ndef pay_bill(n):\n    return add_tax(n)\n",
    "shop/rate.py": "RATE = 1\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "data" / "shop")
    made.commit("Open the shop", FILES)
    return made


def write_table(shop: Repository, name: str, lines: list[dict[str, Any]]) -> Path:
    commit = shop.git("rev-parse", "HEAD")
    table = shop.path.parent / name
    table.write_text("".join(json.dumps({"repo": "ann/shop", "commit": commit, **line}) + "\n" for line in lines))
    return shop.path.parent


@pytest.mark.deep
def test_an_agent_runs_with_and_without_and_nothing_is_run_twice(shop: Repository, tmp_path: Path) -> None:
    gold = [{"kind": "symbol", "name": "pay_bill", "path": "shop/till.py"}]
    data = write_table(shop, "shop.jsonl", [{"question": "Who calls `add_tax`?", "type": "callers", "gold": gold}])
    write_table(shop, "later.jsonl", [
        {"question": "Set the rate for all taxes that we decided on.", "type": "change",
         "told": [{"session": "monday", "role": "user", "text": "We decided that the rate is 7 for all taxes."}],
         "files": {"test_rate.py": "from shop.rate import RATE\nassert RATE == 7\n"}, "check": [sys.executable, "test_rate.py"]},
    ])  # fmt: skip
    found = agent_runs.run(data, AGENT, keep=tmp_path / "runs")
    results = {one["group"]: one for one in found["results"]}
    assert [results[group]["success"]["with"] for group in ("callers", "change")] == [1, 1]
    assert [results[group]["success"]["without"] for group in ("callers", "change")] == [1, 0]
    assert results["all"]["failed"] == {"with": 0, "without": 0} and results["all"]["mixed"] == 0
    assert results["all"]["tokens"]["with"] > 0 and found["agent"]["model"] == "a script, no model"
    assert (shop.path / "shop" / "rate.py").read_text() == "RATE = 1\n"  # the agent worked in clones
    told = agent_runs.markdown(found)
    assert "| change | 1 | 0; 0 | 1.00; 0.00; 1.00 (1.00 to 1.00) |" in told and found["plan"] in told
    before = (tmp_path / "runs" / "runs.jsonl").read_text()
    again = agent_runs.run(data, AGENT, keep=tmp_path / "runs")
    assert again["results"] == found["results"] and (tmp_path / "runs" / "runs.jsonl").read_text() == before
    with pytest.raises(UsageError, match="another plan"):
        agent_runs.run(data, AGENT, repeats=2, keep=tmp_path / "runs")


def test_a_repository_without_a_table_is_asked_about_by_syntax_and_git(shop: Repository) -> None:
    tasks = read_tasks(shop.path, 1)
    assert tasks and all(
        "`add_tax`" in task.prompt or task.type not in ("callers", "commits of a function") for task in tasks
    )
    (callers,) = [task for task in tasks if task.type == "callers"]
    assert is_right(callers, "ANSWER: pay_bill in shop/till.py", shop.path)
    assert not is_right(callers, "ANSWER: pay_bills", shop.path)
    with pytest.raises(UsageError, match="no table"):
        read_tasks(shop.path / "shop", None)


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (Gold("symbol", "Bag.borrow", "src/Bag.java"), "`borrow` in src/Bag.java", "`borrow`"),
        (Gold("symbol", "Bag.borrow", "src/x.java"), "Bag.borrow", "Bag.borrower in Bags"),
        (Gold("symbol", "", "src/x.java"), "the whole of src/x.java", "src/x.javac"),
        (Gold("document", "## How it *works*", "a.md"), "the section How it works of a.md", "a.md"),
        (Gold("commit", "604d7d5838e9", ""), "604d7d58 Fix it", "704d7d58 Fix it"),
        (Gold("person", "Ann Lee", ""), "ann lee", "Ann"),
    ],
)
def test_an_answer_is_judged_by_what_it_names(gold: Gold, right: str, wrong: str, tmp_path: Path) -> None:
    task = Task("t", "r", tmp_path, "c", "x", "p", gold=(gold,))
    assert is_right(task, f"It may be another.\n**ANSWER:** {right}", tmp_path)
    assert not is_right(task, f"ANSWER: {wrong}", tmp_path) and not is_right(task, right, tmp_path)
    nothing = replace(task, gold=())
    assert is_right(nothing, "ANSWER: None.", tmp_path) and not is_right(nothing, f"ANSWER: {right}", tmp_path)


def test_a_line_that_is_no_task_is_named(shop: Repository) -> None:
    data = write_table(
        shop, "shop.jsonl", [{"question": "?", "type": "x", "check": ["true"], "told": [{"role": "user"}]}]
    )
    with pytest.raises(SourceError, match="line 1 is no task"):
        read_tasks(data, None)


CLAUDE = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 4, "result": "ANSWER: f", "modelUsage": {"m-1": {}},
          "usage": {"input_tokens": 5, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 11, "output_tokens": 3}}  # fmt: skip


def test_claude_code_is_read() -> None:
    said = agent_programs.read_claude(json.dumps(CLAUDE))
    assert (said.text, said.read, said.written, said.turns, said.model, said.failed) == (
        "ANSWER: f",
        23,
        3,
        4,
        "m-1",
        "",
    )
    assert (
        agent_programs.read_claude(json.dumps(CLAUDE | {"is_error": True, "result": "Not logged in"})).failed
        == "Not logged in"
    )
    assert (
        agent_programs.read_claude(json.dumps(CLAUDE | {"subtype": "error_max_turns", "result": None})).failed
        == "error_max_turns"
    )
    assert agent_programs.read_claude("Segmentation fault").failed == "printed no result"


def test_codex_is_read() -> None:
    events = [
        {"type": "thread.started", "thread_id": "1"}, {"type": "error", "message": "Reconnecting... 2/5"},
        {"type": "item.completed", "item": {"type": "reasoning", "text": "Hm."}},
        {"type": "item.completed", "item": {"type": "command_execution", "command": "ls"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "ANSWER: f"}},
        {"type": "turn.completed", "usage": {"input_tokens": 20, "cached_input_tokens": 10, "output_tokens": 4}},
    ]  # fmt: skip
    said = agent_programs.read_codex("\n".join(map(json.dumps, events)))
    assert (said.text, said.read, said.written, said.turns, said.failed) == ("ANSWER: f", 20, 4, 2, "")
    assert agent_programs.read_codex(json.dumps(events[1])).failed == "Reconnecting... 2/5"
    assert agent_programs.read_codex("").failed == "printed no result"


def test_both_ways_differ_in_graphmem_alone(tmp_path: Path) -> None:
    environment = {"GRAPHMEM_STORE": "/s", "HOME": "/h"}
    for kind in (agent_programs.CLAUDE, agent_programs.CODEX):
        program = agent_programs.Program(kind, ("/bin/agent", "--model", "m"))
        own, other = (
            program.connect(tmp_path / f"{kind}{yes}", is_connected=yes, environment=environment)
            for yes in (True, False)
        )
        assert [word for word in other if "graphmem." in word] == [] and "--model" in own and "--model" in other
        servers = [
            json.loads((tmp_path / f"{kind}{yes}" / ".mcp.json").read_text())["mcpServers"] for yes in (True, False)
        ]
        assert set(servers[0]) == {"graphmem"} and servers[1] == {}
        hooks = [
            json.loads((tmp_path / f"{kind}{yes}" / ".claude" / "settings.json").read_text()) for yes in (True, False)
        ]
        assert "UserPromptSubmit" in hooks[0]["hooks"] and hooks[1] == {}
    assert any('GRAPHMEM_STORE = "/s"' in word for word in own)


def test_what_does_not_run_is_a_failure(shop: Repository, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no-such-agent"):
        agent_programs.find_program("no-such-agent --fast")
    data = write_table(shop, "shop.jsonl", [{"question": "Who calls `add_tax`?", "type": "callers", "gold": []}])
    found = agent_runs.run(data, shutil.which("false") or "false", keep=tmp_path / "runs")
    assert found["results"][0]["failed"] == {"with": 1, "without": 1} and found["results"][0]["success"]["with"] == 0
    assert found["results"][0]["tokens"] is None and "Failed: ended with status 1" in agent_runs.markdown(found)
    sleeping = agent_programs.Program("", ("sleep", "60"))
    assert (
        "not finished"
        in sleeping.run("", tmp_path, tmp_path / "c", {"PATH": "/bin:/usr/bin"}, 0.1, is_connected=False).failed
    )


def test_the_command_says_what_is_missing() -> None:
    with pytest.raises(UsageError, match="--agent"):
        benchmarks.print_agent_runs(Path(), None, None, 1, None, as_json=False)
