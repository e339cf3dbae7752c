"""Every way into the log is redacted, and old versions of events are read as today's."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.backends.log.sqlite import SqliteLog
from graphmem.errors import UsageError
from graphmem.log.append import Recorder
from graphmem.log.upcast import upcast
from graphmem.model.events import Draft, Event
from graphmem.privacy import PrivacySettings

pytestmark = pytest.mark.core
SECRET = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def log(tmp_path: Path, clock):
    log = SqliteLog(tmp_path / "log.db", clock)
    yield log
    log.close()


def test_secrets_and_private_parts_never_reach_the_file(log: SqliteLog, tmp_path: Path) -> None:
    payload = {"content": f"token {SECRET} and <private>my diary</private>", "input": {"password": "hunter2-hunter2", "path": "a.py"},
               "nested": [{"error": f"Authorization: Bearer {SECRET}"}], "ref": "r1"}  # fmt: skip
    Recorder(log).record([Draft("tool_observation", payload, 1)])
    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    for hidden in (SECRET, "my diary", "hunter2"):
        assert hidden.encode() not in raw
    (event,) = log.read()
    assert event.payload["input"]["path"] == "a.py" and event.payload["ref"] == "r1"
    assert event.payload["privacy"]["sections"] == 1 and event.payload["privacy"]["secrets"] >= 2


@pytest.mark.parametrize(
    "given",
    [
        {"tool": "Bash", "command": "cat config/master.key"},
        {"tool": "Bash", "command": "cd app && op read op://v/i/password"},
        {"tool": "Read", "reads": ["config/master.key"]},
    ],
)
def test_what_a_command_is_known_to_print_is_hidden(log: SqliteLog, given: dict[str, object]) -> None:
    value = "f3a9" + "0b7c52d8" * 2 + "e61d94a07b38"
    Recorder(log).record([Draft("tool_observation", {"input": {}, "content": value, **given}, 1)])
    plain = {"input": {}, "tool": "Bash", "command": "git rev-parse HEAD", "content": value}
    Recorder(log).record([Draft("tool_observation", plain, 2)])
    hidden, kept = log.read()
    assert hidden.payload["content"] == "[REDACTED:secret]" and hidden.payload["privacy"]["secrets"] == 1
    assert kept.payload["content"] == value


def test_what_was_withheld_is_counted_by_kind_and_source_and_never_told(log: SqliteLog) -> None:
    tool = {"input": {"password": "hunter2-hunter2", "note": "<private>my diary</private>", "path": "a.py"}}
    mine = {"content": f"{SECRET} <private>one</private> [private]two[/private] <private> </private>"}
    Recorder(log).record(
        [
            Draft("tool_observation", tool, 1),
            Draft("user_prompt", mine, 1),
            Draft("user_prompt", {"content": "none"}, 1),
        ]
    )
    assert log.pages.redaction_counts() == [
        ("tool_observation", {"kinds": {"password": 1}, "secrets": 1, "sections": 1}),
        ("user_prompt", {"kinds": {"github_token": 1}, "secrets": 1, "sections": 2}),
    ]
    assert not any(word in str(log.pages.redaction_counts()) for word in ("hunter2", "diary", "one", SECRET))


def test_strict_privacy_hides_an_unclosed_part(log: SqliteLog) -> None:
    draft = Draft("user_prompt", {"content": "open <private>rest"}, 1)
    Recorder(log).record([draft])
    Recorder(log, PrivacySettings(strict=True)).record([draft])
    loose, strict = (event.payload for event in log.read())
    assert "rest" in loose["content"] and loose["privacy"] == {"unclosed": 1} and "rest" not in strict["content"]


def test_lone_surrogates_are_replaced_and_unknown_types_refused(log: SqliteLog) -> None:
    Recorder(log).record([Draft("user_prompt", {"content": "a\ud800b 한국어"}, 1)])
    assert next(log.read()).payload["content"] == "a?b 한국어"
    with pytest.raises(UsageError, match="no event type"):
        Recorder(log).record([Draft("nonsense", {}, 1)])


def test_old_versions_are_lifted_step_by_step() -> None:
    old = Event(1, "e", "user_prompt", 1, 0, 0, "o", "", "", "", {"text": "hi"})
    steps = {("user_prompt", 1): lambda p: {"content": p["text"]}, ("user_prompt", 2): lambda p: p | {"role": "user"}}
    (new,) = upcast([old], steps)
    assert (new.version, new.payload) == (3, {"content": "hi", "role": "user"})


@pytest.mark.parametrize("name", [SECRET, "<private>my diary</private>", f"s-{SECRET}"])
def test_what_names_a_turn_is_redacted_too(log: SqliteLog, tmp_path: Path, name: str) -> None:
    Recorder(log).record([Draft("user_prompt", {"content": "hi", "ref": name}, 1, name, name, name, f"turn:{name}")])
    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert SECRET.encode() not in raw and b"my diary" not in raw


def test_names_in_a_payload_are_redacted_too(log: SqliteLog, tmp_path: Path) -> None:
    hidden = f"k {SECRET} <private>my diary</private>"
    Recorder(log).record(
        [
            Draft("user_prompt", {"content": "hi", hidden: "v", "n": [{"deep": {hidden: 1}}]}, 1),
            Draft("tool_observation", {"content": "hi", "input": {"env": {hidden: "v"}}}, 1),
            Draft(
                "user_prompt", {"content": "hi", "kind": hidden, "n": {"hash": hidden}}, 1
            ),  # names as sources use them
        ]
    )
    raw = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert SECRET.encode() not in raw and b"my diary" not in raw
    first = next(log.read()).payload
    assert first["k [REDACTED:github_token] [PRIVATE]"] == "v" and first["privacy"]["sections"] == 2


@pytest.mark.parametrize("name", [f"x {SECRET} <private>my diary</private>", f"s-{SECRET}"])
def test_the_name_of_a_project_is_redacted_wherever_it_is_kept(tmp_path: Path, name: str) -> None:
    for project, folder in ((name, "a"), (None, name.replace("/", "."))):
        with Memory.open(tmp_path / folder, project=project) as mem:
            mem.remember("hello")
            mem.process()
            assert mem.search("hello").hits and SECRET not in mem.project
        files = [file for file in (tmp_path / folder).rglob("*") if file.is_file()]
        raw = b"".join(file.read_bytes() for file in files if not file.name.endswith(".json"))
        assert SECRET.encode() not in raw and (project is None or b"my diary" not in raw)


@pytest.mark.parametrize(
    "name",
    [
        "default", "s1", "0b3f6a52-9a0e-4a39-8f6e-6c1d2b7e9f10", "toolu_01A09q90qw90lq917835lq9", "task:demo:rotate-the-token",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "claude-code:7c1e/3", "chatcmpl-9nKx2LmPqRsTuVwXyZ0123456789",
        "회의 3", "JIRA-128", "acme/web#7", "msg_013Zva2CMHLNnXjNJJKqJ2EF", "call_Xb3kP0aGq9vTz1LmNwRs8YdE", "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    ],
)  # fmt: skip
def test_ordinary_ids_stay_as_they_are(log: SqliteLog, name: str) -> None:
    Recorder(log).record([Draft("user_prompt", {"content": "hi", "ref": name}, 1, name, "demo", "user")])
    (event,) = log.read()
    assert (event.session, event.payload) == (name, {"content": "hi", "ref": name})


def _tool(tool: str, content: str, **more: object) -> Draft:
    return Draft("tool_observation", {"tool": tool, "input": {}, "content": content, **more}, 1)


def test_in_output_of_tools_the_name_of_a_secret_is_sufficient(log: SqliteLog) -> None:
    printed = "2026-01-01 INFO db password: sunshine\n| api_key | starlight |\n"
    mixed = "def f(self):\n    return 1\nDB_PASSWORD=moonlight\n"
    message = "AssertionError\npassword           sunshine\n"
    Recorder(log).record(
        [
            _tool("Bash", printed, command="./start"),
            _tool("Bash", mixed, command="cat a.py .env"),
            _tool("Read", "| api_key | starlight |\n", reads=["config/app.yaml"]),
            Draft("test_run_observed", {"failures": [{"name": "t", "message": message}]}, 1),
        ]
    )
    stored = str([event.payload for event in log.read()])
    assert not any(value in stored for value in ("sunshine", "moonlight", "starlight"))


def test_source_code_that_a_tool_reads_is_kept_whole(log: SqliteLog) -> None:
    code = "import os\n\ndef login(token: str) -> bool:\n    password = get_password()\n    secret = options.secret\n    return ok(token)\n"
    Recorder(log).record(
        [_tool("Read", code, reads=["a.py"]), _tool("Bash", code, command="cat a.py"), _tool("Grep", code)]
    )
    assert [event.payload["content"] for event in log.read()] == [code] * 3


def test_output_in_a_merged_log_is_cleaned_alike(log: SqliteLog) -> None:
    cleaned = Recorder(log).clean_foreign("tool_observation", '{"tool": "Bash", "content": "db password: sunshine"}')
    assert "sunshine" not in cleaned and '"Bash"' in cleaned
