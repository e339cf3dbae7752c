"""What was decided about a place comes back before it is changed, and to the prompts that lead to it: real repositories,
real stores, both languages."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from graphmem import settings
from graphmem.hooks.respond import respond
from graphmem.memory import Memory
from graphmem.store import Store

FIRST = datetime(2026, 2, 1, 9, tzinfo=UTC)
FILES = {
    "freight/tariff.py": "def quote_parcel(weight, zone):\n    return 4.2 * weight\n",
    "ward/roster.py": "def next_shift(nurses, last):\n    return nurses[0]\n",
    "kiln/ramp.py": "def hold_minutes(cone):\n    return 15\n",
    "payments/settle.py": "def split_fee(amount, parties):\n    return [amount / len(parties)] * len(parties)\n",
    "legacy/feed.py": "def read_feed(path):\n    return open(path).read()\n",
}
COMMITS = (
    ("fix: hold the kiln by cone, not by clock", "Cone 6 must soak for exactly 22 minutes: at 15 the glaze crawls, because the "
     "core lags the thermocouple by seven minutes. Never shorten the soak to save gas.", "kiln/ramp.py", "15", "22"),
    ("perf: simplify ramp", "", "kiln/ramp.py", "22", "15"),
)  # fmt: skip
CHATS: dict[str, list[tuple[str, str]]] = {
    "parcels": [
        ("user", "Customers in the islands complain that quote_parcel is far too cheap for light, bulky parcels."),
        ("assistant", "I'll charge the actual weight with a surcharge of 10 % for every parcel above 60 cm."),
        ("user", "No - no surcharge. Carriers bill the larger of actual and volumetric weight: length x width x height in cm "
                 "divided by 4000 for zone I, by 5000 everywhere else."),
        ("assistant", "And rounding?"),
        ("user", "Always up to the next half kilo, after the larger of the two was taken, never before."),
        ("assistant", "Final: billable weight is max(actual, volume/4000 in zone I, volume/5000 elsewhere), rounded up to 0.5 kg."),
    ],
    "nights": [
        ("user", "The night nurses keep being rostered for the early shift the morning after."),
        ("assistant", "Should a rest of eight hours be enforced?"),
        ("user", "Eleven hours of rest, it is the law. And whoever worked a night must not get an early shift for two days."),
        ("assistant", "Understood: eleven hours of rest between any two shifts, and no early shift within two days of a night."),
    ],
    "fees": [
        ("user", "How do we share the platform fee among the parties of a booking?"),
        ("assistant", "Settled: split_fee divides the fee equally among the parties, cents that are left go to the first party."),
    ],
    "fees-again": [
        ("user", "Amendment to the fee split we settled in spring: equal shares are unfair to small parties of a booking."),
        ("assistant", "So in proportion to what each party earns from the booking?"),
        ("user", "Exactly. In proportion to the earnings of each party, and cents that are left go to the largest one."),
        ("assistant", "Amended rule, superseding equal shares: the fee is split in proportion to the parties' earnings of the booking; "
                      "left cents go to the largest party."),
    ],
    "체온": [
        ("user", "`read_probe` 함수가 발열 환자를 자꾸 놓치고 있어요. 임계값이 문제인가요?"),
        ("assistant", "임계값을 37.0도로 낮추겠습니다."),
        ("user", "아니요, 그러면 오경보가 너무 많아요. 겨드랑이는 37.5도, 귀는 반드시 38.0도로 따로 판단해야 합니다."),
        ("assistant", "결정: 겨드랑이 측정은 37.5도, 귀 측정은 38.0도 이상을 발열로 판단합니다."),
    ],
    "chatter": [
        ("user", "What a game last night, the keeper was brilliant."),
        ("assistant", "Indeed, the second half was thrilling to watch."),
    ],
}  # fmt: skip


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A repository, and a store with its code, its history and its chats."""
    folder = tmp_path_factory.mktemp("decided")
    repository, path = folder / "yard", folder / "store"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "main")
    for name, code in FILES.items():
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text(code)
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "feat: begin")
    for subject, body, name, old, new in COMMITS:
        (repository / name).write_text((repository / name).read_text().replace(old, new))
        git(repository, "commit", "-q", "-a", "-m", subject, *(["-m", body] if body else []))
    with Memory.open(path, project="yard") as memory:
        memory.index_code(str(repository))
        memory.ingest("git", str(repository))
        memory.observe_many(
            {
                "content": text,
                "role": role,
                "session": name,
                "at": FIRST + timedelta(days=day, minutes=minute),
                "ref": f"{name}:{minute}",
            }
            for day, (name, turns) in enumerate(CHATS.items())
            for minute, (role, text) in enumerate(turns)
        )
        memory.process()
    return repository, path


@pytest.fixture
def hook(world: tuple[Path, Path]) -> Iterator[Callable[..., str]]:
    repository, path = world
    store = Store(path, settings.load_settings(None, {"embedding.provider": "none"}), "yard")

    def call(event: str, session: str, **given: object) -> str:
        said = respond(store, event, {"session_id": session, "cwd": str(repository), **given})
        return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))

    yield call
    store.close()


def edit(world: tuple[Path, Path], name: str) -> dict[str, object]:
    change = {"file_path": str(world[0] / name), "old_string": FILES[name], "new_string": "pass\n"}
    return {"tool_name": "Edit", "tool_input": change}


def test_an_edit_gets_the_reason_in_a_commit(world: tuple[Path, Path], hook: Callable[..., str]) -> None:
    told = hook("PreToolUse", "kiln-1", **edit(world, "kiln/ramp.py"))
    assert "exactly 22 minutes" in told and "Never shorten the soak" in told and "simplify ramp" not in told
    assert hook("PreToolUse", "kiln-1", **edit(world, "kiln/ramp.py")) == ""  # told once


def test_an_edit_gets_the_whole_rule_of_a_conversation(world: tuple[Path, Path], hook: Callable[..., str]) -> None:
    told = hook("PreToolUse", "parcel-1", **edit(world, "freight/tariff.py"))
    assert "volume/4000 in zone I" in told and "rounded up to 0.5 kg" in told
    assert "surcharge of 10 %" not in told  # it was turned down


def test_a_prompt_that_names_a_symbol_gets_its_rule(hook: Callable[..., str]) -> None:
    told = hook("UserPromptSubmit", "parcel-2", prompt="quote_parcel is wrong for big light boxes, please fix it")
    assert "/4000" in told and "0.5 kg" in told
    assert len(told) // 4 <= 600


def test_a_prompt_leads_to_a_conversation_that_names_no_place(hook: Callable[..., str]) -> None:
    report = "After a night shift the roster gives a nurse the early shift the next morning. Fix the roster so that it never happens."
    told = hook("UserPromptSubmit", "night-1", prompt=report)
    assert "leven hours of rest" in told and "two days" in told


def test_what_amends_comes_first_and_marks_what_it_amends(world: tuple[Path, Path], hook: Callable[..., str]) -> None:
    told = hook("UserPromptSubmit", "fee-1", prompt="split_fee gives small parties too much of the booking fee, fix it")
    assert "in proportion to" in told
    if "equally" in told:
        assert told.index("in proportion to") < told.index("equally")
        assert "superseded in part by" in told


def test_korean_rules_come_back(hook: Callable[..., str]) -> None:
    told = hook("UserPromptSubmit", "ko-1", prompt="`read_probe`가 귀 체온을 잘못 판단합니다. 고쳐 주세요.")
    assert "38.0도" in told and "37.5도" in told and "낮추겠습니다" not in told


@pytest.mark.parametrize(
    "prompt",
    ["hello, how are you today?", "thanks, well done!", "what is the tallest mountain of Peru?", "how do I exit vim?", "ok go on please",
     "안녕하세요, 점심 드셨어요?", "write a poem about the sea in winter", "explain how a suspension bridge carries its load"],
)  # fmt: skip
def test_small_talk_gets_nothing(hook: Callable[..., str], prompt: str) -> None:
    assert hook("UserPromptSubmit", f"talk-{prompt[:9]}", prompt=prompt) == ""


def test_a_subagent_gets_what_concerns_its_files(hook: Callable[..., str]) -> None:
    sent = {"description": "soak", "prompt": "Change hold_minutes in kiln/ramp.py so that the firing ends sooner."}
    told = hook("PreToolUse", "agent-1", tool_name="Task", tool_input=sent)
    assert "exactly 22 minutes" in told


def test_what_a_subagent_was_asked_is_no_answer(tmp_path: Path) -> None:
    asked = {"description": "set ttl", "prompt": "Implement the cache TTL in src/cache.py, the cache TTL is in seconds"}
    store = Store(tmp_path / "store", settings.load_settings(None, {"embedding.provider": "none"}), "cache")
    respond(store, "UserPromptSubmit", {"session_id": "a", "prompt": "The cache TTL is 60 seconds."})
    call = {"session_id": "b", "tool_name": "Task", "tool_use_id": "t1", "tool_input": asked, "tool_response": "done"}
    respond(store, "PostToolUse", call)
    store.close()
    with Memory.open(tmp_path / "store", project="cache") as memory:
        memory.process()
        found = memory.search("what is the cache TTL?").hits
        assert "60 seconds" in found[0].content
        assert not any("Implement" in hit.content for hit in found)


def test_a_subagent_knows_only_what_it_was_told_itself(world: tuple[Path, Path], hook: Callable[..., str]) -> None:
    assert "22 minutes" in hook("PreToolUse", "agent-2", **edit(world, "kiln/ramp.py"))
    assert "22 minutes" in hook("PreToolUse", "agent-2", agent_id="a7", **edit(world, "kiln/ramp.py"))
    assert hook("PreToolUse", "agent-2", agent_id="a7", **edit(world, "kiln/ramp.py")) == ""


def test_an_edit_of_a_file_without_a_past_gets_nothing(world: tuple[Path, Path], hook: Callable[..., str]) -> None:
    assert hook("PreToolUse", "none-1", **edit(world, "legacy/feed.py")) == ""


def test_what_is_forgotten_is_no_longer_told(tmp_path: Path) -> None:
    path = tmp_path / "store"
    chat = {
        "content": "We decided that `trim_hedge` never cuts below 80 cm, because the roots dry out.",
        "session": "old",
        "ref": "r",
    }
    with Memory.open(path, project="garden") as memory:
        memory.observe_many([chat])
        memory.process()
    store = Store(path, settings.load_settings(None, {"embedding.provider": "none"}), "garden")
    ask = {"cwd": str(tmp_path), "prompt": "make trim_hedge cut lower"}
    assert "80 cm" in str(respond(store, "UserPromptSubmit", {"session_id": "a", **ask}))
    store.close()
    with Memory.open(path, project="garden") as memory:
        memory.forget(session="old")
    store = Store(path, settings.load_settings(None, {"embedding.provider": "none"}), "garden")
    assert "80 cm" not in str(respond(store, "UserPromptSubmit", {"session_id": "b", **ask}))
    named = store.text.items([one.row for one in store.text.places.naming(["trim_hedge"], 9)])
    assert {one.item.text for one in named} == {ask["prompt"]}  # what the hooks recorded just now
    store.close()


def test_a_memory_says_what_became_of_the_files_it_cites(tmp_path: Path) -> None:
    repository = tmp_path / "mill"
    (repository / "src").mkdir(parents=True)
    git(repository, "init", "-q", "-b", "main")
    for name in ("src/wheel.py", "src/sluice.py"):
        (repository / name).write_text("speed = 3\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "begin")
    said = {"wheel": "We decided that `turn_wheel` in src/wheel.py must stay under 12 rpm, because the axle is oak.",
            "sluice": "We decided that `raise_sluice` in src/sluice.py must never open above 40 cm."}  # fmt: skip
    with Memory.open(tmp_path / "store", project="mill") as memory:
        memory.ingest("git", str(repository))
        memory.observe_many({"content": text, "session": name, "at": datetime.now(UTC)} for name, text in said.items())
        memory.process()
    store = Store(tmp_path / "store", settings.load_settings(None, {"embedding.provider": "none"}), "mill")

    def told(session: str, prompt: str) -> str:
        return str(
            respond(store, "UserPromptSubmit", {"session_id": session, "cwd": str(repository), "prompt": prompt})
        )

    assert "12 rpm" in told("a", "let turn_wheel run faster") and "since" not in told("b", "let turn_wheel run faster")
    (repository / "src/wheel.py").write_text("speed = 4\n")
    git(repository, "rm", "-q", "src/sluice.py")
    git(repository, "commit", "-q", "-a", "-m", "change", "--date", "2030-01-01T00:00:00Z")
    store.close()
    with Memory.open(tmp_path / "store", project="mill") as memory:
        memory.ingest("git", str(repository))
        memory.process()
    store = Store(tmp_path / "store", settings.load_settings(None, {"embedding.provider": "none"}), "mill")
    assert "src/wheel.py: changed since" in told("c", "let turn_wheel run faster")
    assert "40 cm" not in told("d", "let raise_sluice open wider")  # the file that it is about is gone
    store.close()


def test_ones_own_questions_are_no_decisions(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.py").write_text("def trim():\n    return 1\n")
    asked = ["What was decided about a.py", "what did we agree and settle for a.py, it is final, right?",
             "Why was it decided that a.py must never cut", "a.py는 어떻게 하기로 결정했지", "a.py에 대해 확정한 내용 알려줘"]  # fmt: skip
    with Memory.open(tmp_path / "store", project="garden") as memory:
        memory.observe_many({"content": text, "session": f"q{n}", "ref": f"r{n}"} for n, text in enumerate(asked))
        memory.process()
    store = Store(tmp_path / "store", settings.load_settings(None, {"embedding.provider": "none"}), "garden")
    change = {"file_path": str(tmp_path / "a.py"), "old_string": "return 1", "new_string": "return 2"}
    given = {"session_id": "new", "cwd": str(tmp_path), "tool_name": "Edit", "tool_input": change}
    assert respond(store, "PreToolUse", given) == {}
    store.close()
