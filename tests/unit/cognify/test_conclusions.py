"""Conclusions over a session: gotchas with their fix, summaries, patterns, twins; the same by replay as step by step."""

from __future__ import annotations

import gc
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graphmem import Memory
from graphmem.cognify.conclusions import Conclusions
from graphmem.cognify.episodes import command_keys, same_work, shape_of
from graphmem.cognify.gotchas import has_fix
from graphmem.cognify.misnamed import is_misnamed
from graphmem.cognify.procedures import Run
from graphmem.cognify.skills import make_skills
from graphmem.cognify.triggers import ALL, TRIGGERS, stages_for
from graphmem.errors import UsageError

START = datetime(2026, 3, 9, 9, tzinfo=UTC)
ERROR = "building\nerror: cannot find module 'left-pad'\n"


def tool(ref: str, minute: int, session: str = "s", **payload: Any) -> dict[str, Any]:
    content = payload.pop("content", "edited")
    return {"content": content, "role": "tool", "session": session, "ref": ref, "at": START + timedelta(minutes=minute),
            "metadata": {"tool": "Bash" if "command" in payload else "Edit", "input": {}, "failed": False, **payload}}  # fmt: skip


def said(ref: str, minute: int, content: str, role: str = "assistant", session: str = "s") -> dict[str, Any]:
    return {"content": content, "role": role, "session": session, "ref": ref, "at": START + timedelta(minutes=minute)}


COURSE = [
    said("u1", 0, "Please make the build of the shop work again", "user"),
    tool("t1", 1, command="npm run build 2>&1", exit_code=1, content=ERROR),
    said("a1", 2, "The build fails because `left-pad` is not listed in package.json."),
    tool("t2", 3, writes=["package.json"]),
    tool("t3", 4, command="npm run build", exit_code=0, content="done"),
    tool("t4", 5, command="git commit -am fix", exit_code=0, content="ok", commits=[["abc1234", "fix: list left-pad"]]),
    said("a2", 6, "We decided to use pnpm instead of npm for the shop."),
    said("a3", 7, "We decided to use pnpm instead of npm for the shop!"),
    tool("t5", 8, writes=["shop/cart.ts"]),
    said("a4", 9, "The cart is typed.\n\nShould the old cart stay?"),
]
GOTCHA = "MATCH (g:Gotcha) RETURN g.title, g.trigger, g.recurrence, g.resolved, g.resolution, g.content"


LABELS = ("Gotcha", "Summary", "Pattern", "Skill", "Fact")


def conclusions(mem: Memory) -> list[str]:
    """Everything concluded, label by label: the engine mixes up values where it reads nodes of many labels at once."""
    nodes = [row[0] for label in LABELS for row in mem.cypher(f"MATCH (n:{label}) RETURN n").rows]
    edges = [
        row for label in LABELS for row in mem.cypher(f"MATCH (a:{label})-[r]->(b) RETURN a.id, label(r), b.id").rows
    ]
    plain = [sorted((k, str(v)) for k, v in node.items() if k not in ("_id", "recorded_at")) for node in nodes]
    return sorted(map(str, plain)) + sorted(map(str, edges))


def test_a_failure_gets_its_cause_and_the_fix_that_followed(memory: Memory) -> None:
    memory.observe_many(COURSE[:2])
    memory.process()
    ((title, trigger_, recurrence, resolved, resolution, _),) = memory.cypher(GOTCHA).rows
    assert title == "error: cannot find module 'left-pad'" and trigger_ == "npm run build"
    assert (recurrence, resolved, resolution) == (1, False, "")
    memory.observe_many(COURSE[2:])
    memory.process()
    ((_, _, recurrence, resolved, resolution, content),) = memory.cypher(GOTCHA).rows
    assert (recurrence, resolved) == (1, True)
    assert (
        resolution == "`npm run build` succeeded after changes to package.json in commit abc1234 (fix: list left-pad)."
    )
    assert "Cause: The build fails because `left-pad` is not listed" in content
    fixed = memory.cypher("MATCH (:Gotcha)-[:FIXED_BY]->(x) RETURN label(x) ORDER BY label(x)").rows
    assert fixed == [["Commit"], ["Turn"]]
    assert memory.cypher("MATCH (:Gotcha)-[:ABOUT]->(f:File) RETURN f.path").rows == [["package.json"]]
    assert [hit.kind for hit in memory.search("cannot find module left-pad", kinds=["gotcha"]).hits] == ["gotcha"]


def test_a_setting_that_helped_is_the_fix_and_no_edit_that_is_not_connected(memory: Memory) -> None:
    missing = "E   ModuleNotFoundError: No module named 'shop'"
    wrong = "E   AssertionError: assert 'txt' == 'file.txt'"
    memory.observe_many(
        [
            tool("p1", 1, command="pytest tests/test_cart.py -q", exit_code=2, content=missing),
            tool("p2", 2, command="PYTHONPATH=src pytest tests/test_cart.py -q", exit_code=1, content=wrong),
            tool("p3", 3, writes=["src/shop/cart.py"]),
            tool("p4", 4, command="PYTHONPATH=src pytest tests/test_cart.py -q", exit_code=0, content="1 passed"),
            tool(
                "q1",
                5,
                "z",
                command="pytest tests/test_desk.py -q",
                exit_code=2,
                content=missing.replace("shop", "desk"),
            ),
            tool("q2", 6, "z", writes=["src/desk/top.py"]),
            tool("q3", 7, "z", command="PYTHONPATH=src pytest tests/test_desk.py -q", exit_code=0, content="1 passed"),
        ]
    )
    memory.process()
    resolutions = {row[0]: row[4] for row in memory.cypher(GOTCHA).rows}
    told = next(fix for title, fix in resolutions.items() if "'shop'" in title)
    assert told == "`PYTHONPATH=src pytest tests/test_cart.py -q` went on to the next error."
    told = next(fix for title, fix in resolutions.items() if "'desk'" in title)
    assert told == "`PYTHONPATH=src pytest tests/test_desk.py -q` succeeded instead."
    assert "src/shop/cart.py" in next(fix for title, fix in resolutions.items() if "'file.txt'" in title)


def test_a_mistyped_name_is_mended_by_the_right_one_and_by_no_other(memory: Memory) -> None:
    said_of = "make: *** No rule to make target 'tset'.  Stop."
    memory.observe_many(
        [
            tool("m1", 1, command="make tset", exit_code=2, content=said_of),
            tool("m2", 2, command="make lint", exit_code=0, content="ok"),
            tool("m3", 3, command="make test", exit_code=0, content="ok"),
            tool("m4", 4, "v", command="make deploy-a", exit_code=2, content="error: the harbour is closed"),
            tool("m5", 5, "v", command="make deploy-b", exit_code=0, content="ok"),
        ]
    )
    memory.process()
    rows = memory.cypher("MATCH (g:Gotcha) RETURN g.title, g.resolution ORDER BY g.title").rows
    assert rows == [
        ["error: the harbour is closed", ""],
        [said_of, "`make test` succeeded instead."],
    ]


@pytest.mark.parametrize(
    ("files", "resolution"),
    [
        (0, "`make sails` succeeded when it was run again."),
        (2, "`make sails` succeeded after changes to a0.py, a1.py."),
        (9, ""),
    ],
)
def test_a_fix_is_named_only_if_little_enough_was_done(memory: Memory, files: int, resolution: str) -> None:
    edits = [tool(f"e{number}", 2 + number, writes=[f"a{number}.py"]) for number in range(files)]
    failed = tool("f", 1, command="make sails", exit_code=2, content="error: the canvas is torn")
    memory.observe_many([failed, *edits, tool("p", 20, command="make sails", exit_code=0, content="ok")])
    memory.process()
    ((_, _, _, resolved, told, content),) = memory.cypher(GOTCHA).rows
    assert (resolved, told, has_fix(content)) == (True, resolution, files < 9)
    assert ("Resolution: " in content) == (files < 9)  # what is not known is not called a fix


def test_a_recurrence_in_another_session_is_counted_and_opens_it_again(memory: Memory) -> None:
    memory.observe_many([*COURSE, tool("z1", 90, "z", command="npm run build", exit_code=1, content=ERROR)])
    memory.process()
    ((_, _, recurrence, resolved, resolution, _),) = memory.cypher(GOTCHA).rows
    assert (recurrence, resolved) == (2, False)
    assert "package.json" in resolution


def test_a_summary_tells_goal_decisions_changes_fixes_and_open_ends(memory: Memory) -> None:
    memory.observe_many(COURSE)
    memory.process()
    ((content,),) = memory.cypher("MATCH (x:Summary)-[:SUMMARIZES]->(s:Session {ref: 's'}) RETURN x.content").rows
    for line in (
        "Goal: Please make the build of the shop work again",
        "Decisions: The team decided to use pnpm instead of npm for the shop",
        "- commit abc1234: fix: list left-pad",
        "Result: 1 commit",
        "Failures and fixes: error: cannot find module 'left-pad' → changed package.json",
        "- asked and not answered: Should the old cart stay?",
        "- edited after the last commit: shop/cart.ts",
    ):
        assert line in content
    memory.observe_many([said("c1", 1, "Nice weather, I like walks", "user", "chat")])
    memory.process()
    assert len(memory.cypher("MATCH (x:Summary) RETURN x").rows) == 1


def test_what_differs_of_two_long_commands_is_the_way_out(memory: Memory) -> None:
    files = " ".join(f"shop/module_number_{number}.ts" for number in range(6))
    memory.observe_many(
        [
            tool(
                "l1",
                1,
                command=f"git add {files} dist/out.css",
                exit_code=1,
                content="The following paths are ignored: dist",
            ),
            tool("l2", 2, command=f"git add {files}", exit_code=0, content="done"),
            tool("l3", 3, command="pytest -q", exit_code=0, content="3 passed"),
            tool("l4", 4, command="pytest -q | tail -1", exit_code=0, content="1 failed"),
        ]
    )
    memory.process()
    assert memory.cypher("MATCH (g:Gotcha) RETURN g.resolution").rows == [
        ["the same succeeded without `dist/out.css`."]
    ]


def test_how_the_last_tests_ended_is_told_unless_a_pipe_hides_it(memory: Memory) -> None:
    memory.observe_many(COURSE)
    for number, (line, code, told) in enumerate(
        [
            ("pytest -q", 0, "last `pytest -q` passed"),
            ("pytest", 1, "last `pytest` failed"),
            ("pytest | tail -1", 0, ""),
        ]
    ):
        memory.observe_many([tool(f"r{number}", 50 + number, command=line, exit_code=code, content="1 failed")])
        memory.process()
        ((content,),) = memory.cypher("MATCH (x:Summary) RETURN x.content").rows
        assert f"Result: 1 commit{f'; {told}' * bool(told)}\n" in content


def test_twins_unite_their_evidence_and_come_apart_when_one_is_forgotten(memory: Memory) -> None:
    memory.observe_many(COURSE)
    memory.process()
    twins = "MATCH (t:Turn)-[:EVIDENCE_OF]->(f:Fact {kind: 'decision'}) RETURN f.id, t.ref ORDER BY t.ref"
    rows = memory.cypher(twins).rows
    assert [ref for _, ref in rows] == ["a2", "a3"] and len({fact for fact, _ in rows}) == 1
    memory.forget("a2")
    rows = memory.cypher(twins).rows
    assert [ref for _, ref in rows] == ["a3"]
    before = conclusions(memory)
    memory.rebuild()
    assert conclusions(memory) == before


def test_replay_and_one_event_at_a_time_end_alike(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "one", project="demo") as one, Memory.open(tmp_path / "two", project="demo") as two:
        one.observe_many(COURSE)
        one.process()
        for turn in COURSE:
            two.observe_many([turn])
            two.process()
        stepwise = conclusions(two)
        assert conclusions(one) == stepwise
        two.rebuild()
        assert conclusions(two) == stepwise
        assert two.process().derived == 0 and conclusions(two) == stepwise


def test_a_forgotten_session_takes_its_gotcha_and_its_summary(memory: Memory) -> None:
    memory.observe_many([*COURSE, tool("z1", 90, "z", command="npm run build", exit_code=1, content=ERROR)])
    memory.process()
    memory.forget(session="s")
    ((_, _, recurrence, resolved, _, _),) = memory.cypher(GOTCHA).rows
    assert (recurrence, resolved) == (1, False)
    assert memory.cypher("MATCH (x:Summary) RETURN x").rows == []
    before = conclusions(memory)
    memory.rebuild()
    assert conclusions(memory) == before


def test_patterns_are_shapes_that_commits_repeat(memory: Memory, repository: Any) -> None:
    for number in range(3):
        repository.commit(
            f"fix: number {number}",
            {f"src/{number}.py": "x", f"tests/test_{number}.py": "y"},
            at=1_700_000_000 + number,
        )
    repository.commit("docs: say more", {"README.md": "z"}, at=1_700_000_009)
    memory.ingest("git", repository.path)
    memory.process()
    assert memory.cypher("MATCH (p:Pattern) RETURN p.title, p.frequency").rows == [
        ["fix commits touch src (.py) and tests together", 3]
    ]


def test_files_that_change_together_are_a_pattern_with_its_exceptions(memory: Memory, repository: Any) -> None:
    for number in range(8):
        files = {"src/api.py": f"{number}"} | ({"docs/api.md": f"{number}"} if number != 3 else {})
        repository.commit(f"Change {number}", files, at=1_700_000_000 + 2 * number)
        repository.commit(f"Other {number}", {f"src/{number}.py": "x"}, at=1_700_000_001 + 2 * number)
    repository.commit('Revert "Change 5"', {"src/api.py": "4", "docs/api.md": "4"}, at=1_700_000_100)
    memory.ingest("git", repository.path)
    memory.process()
    ((title, frequency, content),) = memory.cypher("MATCH (p:Pattern) RETURN p.title, p.frequency, p.content").rows
    assert (title, frequency) == ("src/api.py and docs/api.md change together", 6)  # what was reverted is no evidence
    assert "6 of 6 commits of at most 12 files to" in content and "Change 3" not in content


def test_commits_whose_tests_failed_are_no_evidence(memory: Memory, repository: Any, tmp_path: Path) -> None:
    hashes = [
        repository.commit(f"fix: {n}", {f"src/{n}.py": "x", f"tests/test_{n}.py": "y"}, at=1_700_000_000 + n)
        for n in range(4)
    ]
    report = tmp_path / "junit.xml"
    report.write_text(
        '<testsuite name="t" tests="1" failures="1"><testcase name="a"><failure message="boom">boom</failure></testcase></testsuite>'
    )
    memory.ingest("git", repository.path)
    memory.ingest("tests", report, commit=hashes[2])
    memory.process()
    assert memory.cypher("MATCH (p:Pattern) RETURN p.frequency").rows == [[3]]


def committed(session: str, minute: int) -> list[dict[str, Any]]:
    """A piece of work as an agent does it: look, change, format, test, commit."""
    commands = [
        "git status",
        "cargo fmt",
        f"cargo test --test t{minute}",
        f"git add src/{minute}.rs",
        'git commit -m "x"',
    ]
    turns = [said(f"{session}u{minute}", minute, "Please go on with the next part of the work", "user", session)]
    turns += [tool(f"{session}w{minute}", minute, session, writes=[f"src/{minute}.rs"])]
    return turns + [
        tool(f"{session}{minute}.{place}", minute, session, command=command, exit_code=0, content="ok")
        for place, command in enumerate(commands)
    ]


SKILL = "MATCH (k:Skill) RETURN k.title, k.guide, k.context, k.principles, k.pitfalls"


def test_a_skill_is_a_procedure_that_worked_more_than_once(memory: Memory) -> None:
    memory.observe_many([*committed("a", 0), *committed("a", 10)])
    memory.process()
    assert memory.cypher(SKILL).rows == []  # twice in one session: perhaps the same attempt
    failing = tool(
        "f", 19, "b", command='git commit -m "y"', exit_code=1, content="error: cargo fmt found unformatted code"
    )
    memory.observe_many([failing, *committed("b", 20)])
    memory.process()
    ((title, guide, context, checks, pitfalls),) = memory.cypher(SKILL).rows
    assert title == "How to commit (`git commit`): `cargo fmt`, `cargo test`, `git add` first"
    assert guide.splitlines() == [
        "1. `cargo fmt` (3 of 3)", "2. `cargo test --test …` (3 of 3)", "3. `git add …` (3 of 3)", "4. `git commit -m …` (3 of 3)",
    ]  # fmt: skip
    assert context.startswith("before `git commit`: 3 of 3 times in 2 sessions")
    assert checks == ["cargo fmt", "cargo test --test …"]
    assert len(pitfalls) == 1 and "unformatted" in pitfalls[0]
    assert memory.cypher("MATCH (k:Skill)-[:DERIVED_FROM]->(t:Turn) RETURN count(t)").rows == [[3]]


def test_a_skill_lists_only_steps_that_were_taken_together_more_than_once() -> None:
    def way(at: int, *verbs: str) -> list[Run]:
        return [Run(at + n, at + n, "s", verb, verb, "Turn", f"t{at + n}") for n, verb in enumerate(verbs)]

    ways = way(0, "make lint", "bd sync", "git push"), way(10, "make lint", "git push"), way(20, "bd sync", "git push")
    (skill,) = make_skills("p", [run for one in ways for run in one], [])
    assert skill.node.properties["context"].startswith("before `git push`: 2 of 3 times")
    assert skill.node.properties["guide"].count("\n") == 1  # one step and the push
    assert make_skills("p", [*way(0, "git commit", "git push"), *way(10, "git push"), *way(20, "git push")], []) == []


def test_what_always_follows_a_command_is_a_skill(memory: Memory) -> None:
    turns = []
    for minute in range(3):
        for place, command in enumerate(("mix ash.codegen x", "ls", "mix ecto.migrate")):
            turns.append(tool(f"{minute}.{place}", minute * 5 + place, command=command, exit_code=0, content="ok"))
        turns.append(tool(f"{minute}.x", minute * 5 + 4, command=f"./script{minute}", exit_code=0, content="ok"))
    memory.observe_many(turns)
    memory.process()
    assert memory.cypher("MATCH (k:Skill) RETURN k.title").rows == [["After `mix ash.codegen`: `mix ecto.migrate`"]]


def test_the_skills_and_patterns_of_one_project_leave_those_of_another(memory: Memory, repository: Any) -> None:
    memory.observe_many([turn for session in "ab" for turn in committed(session, 0)])
    memory.observe_many(committed("c", 30))
    memory.process()
    with Memory.open(memory.location, project="other") as other:
        other.observe_many([turn for session in "de" for turn in committed(session, 40)])
        other.observe_many(committed("f", 50))
        other.process()
    assert memory.cypher("MATCH (k:Skill) RETURN count(k)").rows == [[2]]


def test_triggers_select_exactly_their_stages(memory: Memory) -> None:
    assert stages_for(None) == stages_for("daily") == ALL
    assert TRIGGERS["test_failure"] == {"episodes", "gotchas"}
    with pytest.raises(UsageError):
        stages_for("noon")
    memory.observe_many(COURSE)
    memory.process(trigger="test_failure")
    there = lambda: [label for label in LABELS if memory.cypher(f"MATCH (n:{label}) RETURN n.id").rows]
    assert there() == ["Gotcha"]
    memory.process()
    assert there() == ["Gotcha", "Summary", "Fact"]


@pytest.mark.parametrize(
    ("failed", "later", "same"),
    [
        ("git push", "git push --set-upstream origin x", True),
        ("mix test a.exs --trace 2>&1", "cd /x && mix test", True),
        ("npm run build", "npm run lint", False),
        ("git push", "git status", False),
        ("pytest tests/a.py | tail", "pytest", True),
        ("git add a && git commit -m 'x && y'", "git commit -m z", True),
    ],
)
def test_the_same_work_is_recognised(failed: str, later: str, same: bool) -> None:
    assert any(same_work(list(command_keys(failed))[-1], key) for key in command_keys(later)) is same


@pytest.mark.parametrize(
    ("failed", "later", "error", "misnamed"),
    [
        (
            "npx vitest src/ropes.spec.ts",
            "npx vitest src/rope.test.tsx",
            "No test files found: src/ropes.spec.ts",
            True,
        ),
        ("pytest test_ropes.py", "uv run pytest tests/unit/ropes_test.py", "not found: test_ropes.py", True),
        ("python testRopes.py", "python ropes_test.py", "can't open file '/x/testRopes.py'", True),
        ("pytest tests/test_ropes.py", "pytest tests/ropes_test.py", "AssertionError: tests/test_ropes.py", False),
        ("pytest tests/test_ropes.py", "pytest other/ropes_test.py", "not found: tests/test_ropes.py", False),
        ("pytest tests/test_a1.py", "pytest tests/test_a2.py", "not found: tests/test_b.py", False),
        ("pytest t/test_a.py::test_bow", "pytest t/test_a.py::test_mast", "not found: t/test_a.py::test_bow", False),
        ("cat tests/test_ropes.py", "pytest tests/ropes_test.py", "tests/test_ropes.py: No such file", False),
    ],
)
def test_a_misnamed_path_is_recognised(failed: str, later: str, error: str, misnamed: bool) -> None:
    keys = (list(command_keys(line))[-1] for line in (failed, later))
    assert is_misnamed(*keys, error) is misnamed


def test_a_shape_tells_kind_and_places() -> None:
    assert shape_of("feat(api): x", ["src/a.py", "src/b.py", "tests/test_a.py"]) == "feat: src (.py), tests"


def test_a_closed_store_leaves_no_conclusions(tmp_path: Path) -> None:
    """They hold the graph and everything derived: a program that opens many stores would never get that back."""
    before = {id(one) for one in gc.get_objects() if isinstance(one, Conclusions)}
    with Memory.open(tmp_path / "store", project="demo") as mem:
        mem.remember("We decided to sign releases.")
        mem.process()
        assert any(isinstance(one, Conclusions) and id(one) not in before for one in gc.get_objects())
    del mem
    gc.collect()
    assert not [one for one in gc.get_objects() if isinstance(one, Conclusions) and id(one) not in before]


def test_a_goal_is_understood_by_itself_and_what_passed_later_is_not_told_as_failing(memory: Memory) -> None:
    memory.tasks.create("Rewrite the stock ledger for the shop", ref="shop-7ab")
    memory.process()
    memory.observe_many(
        [
            said("p0", 0, "continue", "user", "w"),
            said("p1", 1, "Implement shop-7ab", "user", "w"),
            tool("q1", 2, "w", command="pytest tests/ledger", exit_code=1, content="AssertionError: 3 != 4"),
            said("p2", 3, "The ledger tests fail because `stock_of` counts returns twice.", session="w"),
            tool("q2", 4, "w", writes=["shop/ledger.py"]),
            said("p3", 5, "did you push?", "user", "w"),
            tool("q3", 6, "w", command="pytest", exit_code=0, content="12 passed"),
        ]
    )
    memory.process()
    ((title, content),) = memory.cypher("MATCH (x:Summary) RETURN x.title, x.content").rows
    assert title == "Implement shop-7ab (Rewrite the stock ledger for the shop)"
    assert "did you push" not in content and "Goal: continue" not in content
    assert "tests fail" not in content and "still failing" not in content
    assert "passed" in content
