"""What transcripts, commits and code say of tasks, and that saying it twice changes nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import examples
from task_desk import Desk

from graphmem import Memory
from graphmem.tasks.extract import code, commits, prose, tools

BLOCKED = [
    ("The importer is blocked by the missing key.", "The importer", "the missing key"),
    ("Blocked by #12", "", "#12"),
    ("We are stuck waiting for the vendor's answer.", "", "the vendor's answer"),
    ("- release is still blocked on QA sign-off", "release", "QA sign-off"),
    ("결제 모듈은 인증 서버 장애 때문에 막혔다.", "결제 모듈", "인증 서버 장애"),
    ("배포가 승인 지연으로 인해 차단됐습니다", "배포", "승인 지연"),
]


@pytest.mark.parametrize(("text", "title", "why"), BLOCKED)
def test_what_is_blocked_by_what(text: str, title: str, why: str) -> None:
    (record,) = prose.blocked(text)
    assert (record.fields["title"], record.waits) == (title, [why])


@pytest.mark.parametrize(
    "text", ["The road block by the river is old.", "Nothing blocks us.", "the code blocks are long", "막다른 길"]
)
def test_what_only_looks_like_it(text: str) -> None:
    assert list(prose.blocked(text)) == []


AWAITED = [
    ("The invoice export is blocked until the tax office sends the new schema.", "The invoice export"),
    ("환불 배치는 법무팀 승인을 기다리고 있어서 막혀 있어.", "환불 배치"),
    ("배포 공지는 김 팀장님 검토 대기 중이야.", "배포 공지"),
    ("The event loop is blocked by synchronous I/O.", ""),
    ("It is blocked until legal approves.", ""),
    ("The import can't start before the lock is released.", ""),
    ("The migration is blocked until the DBA adds the index.", "The migration"),
    ("The migration is waiting for the DBA to add the index.", "The migration"),
    ("We can't ship the importer before Dana signs off the licence.", "Ship the importer"),
    ("결제 연동은 카드사 답변이 와야 진행할 수 있어.", "결제 연동"),
    ("We're stuck on the search rewrite because Ops hasn't opened port 9200 yet.", "the search rewrite"),
    ("로그인 개편은 디자인팀 시안을 기다리고 있어.", "로그인 개편"),
    ("The landing page is waiting for the design team to finish the mockups.", "The landing page"),
    ("The release is blocked until QA finishes the regression run.", "The release"),
    ("The API rollout is blocked until the security team signs off.", "The API rollout"),
    ("The request is blocked until the server sends the header.", ""),
    ("The consumer is waiting on the broker to send a message.", ""),
    ("The worker is blocked until Redis answers.", ""),
    ("The client is blocked until the proxy replies.", ""),
    ("We can't read the file before the writer closes it.", ""),
    ("The handler is blocked until the database grants the lock.", ""),
    ("The pod can't start until Kubernetes schedules it.", ""),
    ("The UI is waiting for the API to respond.", ""),
    ("Builds are blocked by the flaky test.", ""),
    ("We can't merge before the tests pass.", ""),
    ("We can't start before Monday.", ""),
    ("The call is blocked until Postgres commits.", ""),
    ("워커가 락을 기다리고 있어.", ""),
    ("요청은 서버 응답이 와야 진행할 수 있어.", ""),
    ("스레드는 큐가 비어야 진행할 수 있어.", ""),
]


@pytest.mark.parametrize(("text", "title"), AWAITED)
def test_what_waits_for_somebody_is_a_task_of_its_own(text: str, title: str) -> None:
    assert [record.unknown_title for record in prose.blocked(text, by_person=True)] == [title]
    assert not any(record.unknown_title for record in prose.blocked(text))
    assert prose.waits_for_somebody(text) is bool(title)


TOLD = [
    ("법무팀 승인이 났어. 환불 배치 진행해도 돼.", ["법무팀 승인이 났어."]),
    ("Good news: legal approved the contract.", ["Good news: legal approved the contract."]),
    ("The vendor's answer arrived. Go on.", ["The vendor's answer arrived."]),
    ("법무팀 승인이 아직 안 났어.", []),
    ("법무팀 승인이 나면 진행하자.", []),
    ("Has legal approved it?", []),
    ("Legal has not approved it yet.", []),
    ("Start once legal has approved it.", []),
    ("The DBA added the index.", ["The DBA added the index."]),
    ("디자인팀 시안 나왔어. 로그인 개편 시작하자.", ["디자인팀 시안 나왔어."]),
    ("법무팀 승인을 요청했어.", []),
    ("Legal delayed the approval.", []),
]


@pytest.mark.parametrize(("text", "told"), TOLD)
def test_what_was_waited_for_is_there(text: str, told: list[str]) -> None:
    assert prose.announcements(text) == told


def test_a_condition_ends_when_somebody_tells_that_it_is_fulfilled(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="demo") as mem:
        mem.observe("환불 배치는 법무팀 승인을 기다리고 있어서 막혀 있어.", session="monday")
        mem.observe("The invoice export is blocked until the tax office sends the new schema.", session="monday")
        mem.process()
        waiting = {each.task.title: [blocker.title for blocker in each.blockers] for each in mem.tasks.blocked()}
        assert waiting == {
            "환불 배치": ["법무팀 승인"],
            "The invoice export": ["the tax office sends the new schema"],
        }
        assert mem.cypher("MATCH (f:Fact) RETURN f.content").rows == []
        mem.observe("법무팀 승인이 아직 안 났어. The tax office sent nothing.", session="tuesday")
        mem.process()
        assert len(mem.tasks.blocked()) == 2
        mem.observe("법무팀 승인이 났어. 환불 배치 진행해도 돼.", session="wednesday")
        mem.process()
        assert [task.title for task in mem.tasks.ready()] == ["환불 배치"]
        assert [each.task.title for each in mem.tasks.blocked()] == ["The invoice export"]


MET = [
    ("환불 배치는 법무팀 승인을 기다리고 있어서 막혀 있어.", "법무팀 승인이 났어. 환불 배치 진행해도 돼."),
    (
        "The invoice export is blocked until the tax office sends the new schema.",
        "The tax office sent the new schema, so the invoice export can go ahead.",
    ),
    ("The migration is blocked until the DBA adds the index.", "The DBA added the index."),
    ("로그인 개편은 디자인팀 시안을 기다리고 있어.", "디자인팀 시안 나왔어. 로그인 개편 시작하자."),
    ("We're stuck on the search rewrite because Ops hasn't opened port 9200 yet.", "Ops opened port 9200."),
]


def test_what_was_told_before_anything_was_read_is_met_too(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="demo") as mem:
        for hour, (waits, met) in enumerate(MET):
            mem.observe(waits, session="monday", at=datetime(2026, 11, 2, hour, tzinfo=UTC))
            mem.observe(met, session="tuesday", at=datetime(2026, 11, 3, hour, tzinfo=UTC))
        mem.process()
        assert mem.tasks.blocked() == [] and len(mem.tasks.ready()) == len(MET)
        answer = mem.ask("what is blocked?")
        assert answer.lines == ("0 tasks are blocked",) and answer.hits == ()


def test_reminders() -> None:
    texts = ["Remind me to ask Hana for the staging certificate.", "하나한테 인증서 물어보라고 내일 상기시켜 줘."]
    assert [[record.fields["title"] for record in prose.tasks_left_open(text)] for text in texts] == [
        ["Ask Hana for the staging certificate"],
        ["하나한테 인증서 물어보기"],
    ]
    assert list(prose.tasks_left_open("Remind me what the port is.")) == []
    told = ["Don't let me forget to renew the TLS cert.", "민수한테 스테이징 인증서 물어보는 거 잊지 마."]
    assert [[record.fields["title"] for record in prose.tasks_left_open(text)] for text in told] == [
        ["Renew the TLS cert"],
        ["민수한테 스테이징 인증서 물어보기"],
    ]
    rules = ["커밋할 때마다 테스트 돌리는 거 잊지 마.", "커밋 전에 테스트 돌리는 거 잊지 마."]
    assert [list(prose.tasks_left_open(text)) for text in rules] == [[], []]


def test_a_reminder_is_no_rule(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", project="demo") as mem:
        mem.observe("민수한테 스테이징 인증서 물어보는 거 잊지 마.", session="monday")
        mem.process()
        assert mem.cypher("MATCH (f:Fact) RETURN f.content").rows == []


def test_todo_lines() -> None:
    text = "TODO: write docs\nsome prose about a todo list\n```\nTODO: not in code\n```\n할 일: 문서 쓰기\nFIXME(ann): the leak"
    assert [r.fields["title"] for r in prose.tasks_of_todos(text)] == ["write docs", "문서 쓰기", "the leak"]


def test_commits() -> None:
    records = commits.tasks_of_commit(
        "feat: gate (T-4)", "Fixes #12, #13 and closes acme/web#3.\nDoes not fix #9.", "abc", 5
    )
    assert {r.ref: (r.status, r.commits) for r in records} == {
        "#12": ("done", ["abc"]), "#13": ("done", ["abc"]), "acme/web#3": ("done", ["abc"])}  # fmt: skip
    (record,) = commits.tasks_of_commit("fix: gate (T-4)", "blocked by T-5", "abc", 5)
    assert (record.ref, record.status, record.relations) == ("T-4", "", {"blocked_by": ["T-5"]})
    assert [r.ref for r in commits.tasks_of_commit("정리", "T-4 해결", "abc", 5)] == ["T-4"]
    assert commits.tasks_of_commit("Bump SHA-256 sums", "", "abc", 5) == []


@pytest.mark.parametrize(
    ("path", "text", "titles"),
    [
        ("a.py", "x = 1  # TODO(ann): rename this\n", ["rename this"]),
        ("a.py", 'print(\'# TODO: not this\')\ntext = """\n# FIXME: nor that\n"""\n', []),
        ("a.py", '"""TODO comments are tasks."""\n', []),
        ("a.go", "// FIXME: broken here\nvar s = `\n// TODO: not this`\n", ["broken here"]),
        ("a.c", "/* XXX(#12) check overflow */\n/*\n * TODO: and this\n */\n", ["check overflow", "and this"]),
        ("a.html", "<!-- TODO 나중에 -->", ["나중에"]),
        ("Unknown.thing", "# TODO: whatever it is\n", ["whatever it is"]),
    ],
)
def test_code_comments(path: str, text: str, titles: list[str]) -> None:
    found = code.tasks_of_comments(path, text)
    assert [r.fields["title"] for r in found] == titles
    assert all(r.fields["files"] == [path] for r in found)


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("a.py", "# TODO: close the connection before the pool is given back, or\n# it leaks. See the notes.\nx = 1\n",
         "close the connection before the pool is given back, or it leaks. See the notes."),
        ("a.py", "# TODO: drop this.\n# It is the old way.\n", "drop this."),
        ("a.py", "# TODO: remove write\n# Reads a line.\n", "remove write"),
        ("a.py", "x = 1  # TODO: count from zero,\ny = 2  # the second\n", "count from zero,"),
        ("a.rs", "    // FIXME: the queue is never emptied when a worker\n    // dies early\n    let a = 1;\n",
         "the queue is never emptied when a worker dies early"),
        ("a.rs", "// TODO: one\n\n// another\n", "one"),
        ("A.java", "/*\n * TODO: instances might be in a broken state and\n * lead to other failures\n *\n * @return 1\n */\n",
         "instances might be in a broken state and lead to other failures"),
        ("a.unknown", "# TODO: read the whole of the file,\n# not its beginning\nx\n",
         "read the whole of the file, not its beginning"),
    ],
)  # fmt: skip
def test_a_comment_is_read_to_the_end_of_its_sentence(path: str, text: str, title: str) -> None:
    assert [r.fields["title"] for r in code.tasks_of_comments(path, text)] == [title]


@pytest.mark.parametrize(
    ("path", "text", "notes"),
    [
        ("a.py", "x = 1\n# TODO:\n# write the docs\ny = 2\n", [(2, "write the docs")]),
        ("a.py", "# TODO:\n# TODO: the second\n# TODO\n", [(1, ""), (2, "the second"), (3, "")]),
        ("a.py", "# TODO:\n\n# another comment\n", [(1, "")]),
        ("a.py", "try:\n    # FIXME\n    pass\n# the end of it\n", [(2, "")]),
        ("a.py", "# TODO:\n#\n# another comment\n", [(1, "")]),
        ("a.js", "/* TODO */ run()\n// another comment\n", [(1, "")]),
        ("a.md", "<!-- TODO: -->\nText.\n<!-- another comment -->\n", [(1, "")]),
        ("a.unknown", "# TODO:\nb = 1\n# another comment\n", [(1, "")]),
    ],
)
def test_a_mark_alone_takes_only_the_line_that_follows_it(path: str, text: str, notes: list[tuple[int, str]]) -> None:
    assert [(line, record.fields["title"]) for line, record in code.notes_of_comments(path, text)] == notes
    assert len(code.tasks_of_comments(path, text)) == sum(bool(note) for _, note in notes)


@pytest.mark.parametrize(
    "title",
    [
        "ParseException ?",
        "https://example.org/a/b",
        "why?",
        "DEPRECATED",
        "EXPERIMENTAL (May 2024)",
        "This is experimental.",
        "old_name",
        "Box.put()",
    ],
)
def test_what_asks_for_nothing_is_no_task(title: str) -> None:
    assert code.tasks_of_comments("a.py", f"# TODO: {title}\n") == []


def test_a_comment_names_who_or_what() -> None:
    (ann,) = code.tasks_of_comments("a.py", "# TODO(ann): rename this")
    (issue,) = code.tasks_of_comments("a.c", "/* XXX(#12) check overflow */")
    assert ann.fields["assignee"] == "ann" and issue.relations == {"related": ["#12"]}


def test_tool_calls() -> None:
    todos = {"todos": [{"content": "Run it", "status": "in_progress"}]}
    assert tools.tasks_of_tool_call("TodoWrite", todos, "", 1) == []
    command = 'cd x && bd close a-1 a-2 --reason "all good" && bd update a-3 --status=in_progress; bd create "New" -p 1'
    records = tools.tasks_of_tool_call("Bash", {"command": command}, "Created issue: a-9", 1)
    assert [(r.ref, r.status) for r in records] == [
        ("a-1", "done"),
        ("a-2", "done"),
        ("a-3", "in_progress"),
        ("a-9", "pending"),
    ]
    assert tools.tasks_of_tool_call("Bash", {"command": "bd close 'unbalanced"}, "", 1) == []
    (closed,) = tools.tasks_of_tool_call("Bash", {"command": "gh issue close 7 -R acme/web -c done"}, "", 1)
    assert (closed.ref, closed.status) == ("acme/web#7", "done")


@pytest.mark.parametrize(
    ("command", "output", "title", "description"),
    [
        ('gh issue create -t "Parser drops tabs" -b "In lists"', "https://github.com/acme/web/issues/7", "Parser drops tabs", "In lists"),
        ('gh issue create -R acme/web -t="Parser drops tabs" -l bug -m 2.0', "https://github.com/acme/web/issues/7",
         "Parser drops tabs", ""),
        ("gh issue create -t'Parser drops tabs' -p Board --body-file notes.md", "https://github.com/acme/web/issues/7",
         "Parser drops tabs", ""),
        ('bd create "Parser drops tabs" -t bug -p 1 -d "In lists"', "Created issue: web-7", "Parser drops tabs", "In lists"),
    ],
)  # fmt: skip
def test_a_tracker_is_read_with_its_own_short_options(command: str, output: str, title: str, description: str) -> None:
    (made,) = tools.tasks_of_tool_call("Bash", {"command": command}, output, 1)
    assert (made.fields["title"], made.fields.get("description", "")) == (title, description)


def test_a_session_twice_changes_nothing(desk: Desk) -> None:
    desk.tasks.create("Grow the hedge", ref="a-1")
    records = []
    for text in ("TODO: cut the hedge", "a-1 is blocked by the frost"):
        records += [*prose.tasks_of_todos(text), *prose.blocked(text)]
    records += tools.tasks_of_tool_call(
        "ExitPlanMode", {"plan": "- [x] Rake leaves\n- [x] Burn them"}, "", desk.clock.now()
    )
    for record in records:
        record.updated = record.updated or desk.clock.now()
    desk.tasks.absorb(records, session="s1")
    assert {task.title for task in desk.tasks.find()} == {"Grow the hedge", "cut the hedge", "Rake leaves", "Burn them"}
    assert [ref.text for ref in desk.tasks.show("a-1").task.suggested] == ["the frost"]
    head = desk.log.head()
    desk.tasks.absorb(records, session="s1")
    assert desk.log.head() == head
    desk.tasks.reopen("Rake leaves")
    head = desk.log.head()
    desk.tasks.absorb(records, session="s1")  # older than the reopening
    assert desk.log.head() == head


def test_a_commit_closes_with_its_hash_and_unknown_names_make_no_tasks(desk: Desk) -> None:
    desk.tasks.create("Mend the roof", ref="acme/house#12")
    desk.tasks.absorb(commits.tasks_of_commit("roof", "Fixes #12, closes #99", "c0ffee", desk.clock.now()))
    (task,) = desk.tasks.find()
    assert (task.status, task.commits) == ("done", ("c0ffee",))


def test_comments_that_vanish_are_done(desk: Desk) -> None:
    text = "# TODO: rename this\n# TODO: split that\n"
    desk.tasks.absorb(code.tasks_of_comments("a.py", text, 1))  # as earlier versions did
    head = desk.log.head()
    desk.tasks.settle("a.py", f"{text}# TODO: not a task\n")
    assert desk.log.head() == head
    desk.tasks.settle("a.py", "# TODO: split that\n")
    assert {task.title: task.status for task in desk.tasks.find(file="a.py")} == {
        "rename this": "done",
        "split that": "pending",
    }


def test_a_log_is_read_once(desk: Desk) -> None:
    from graphmem.log.append import Recorder
    from graphmem.model.events import Draft
    from graphmem.tasks.learn import learn_tasks

    desk.tasks.create("Fix the pump", ref="w-1")
    steps = [
        (
            "tool_observation",
            {"tool": "Bash", "input": {"command": "bd update w-1 --status in_progress"}, "content": "ok"},
        ),
        ("agent_response", {"content": "Blocked by the missing valve."}),
        ("tool_observation", {"tool": "Bash", "input": {"command": "bd close w-1"}, "failed": True}),
        ("commit_observed", {"hash": "c0ffee", "subject": "pump", "body": "TODO: paint it", "own": True}),
        (
            "commit_observed",
            {"hash": "beef", "subject": "hose", "body": "TODO: always run this script"},
        ),  # a stranger's
    ]
    drafts = [Draft(type_, payload, desk.clock.now(), "s1", "demo") for type_, payload in steps]
    Recorder(desk.log).record(drafts)
    done = learn_tasks(desk.tasks, desk.log, desk.log.read())
    task = desk.tasks.show("w-1").task
    assert (done.created, task.status, [ref.text for ref in task.suggested]) == (
        1,
        "in_progress",
        ["the missing valve"],
    )
    assert [each.title for each in desk.tasks.find(status="pending")] == ["paint it"]
    head = desk.log.head()
    assert learn_tasks(desk.tasks, desk.log, desk.log.read()).created == 0 and desk.log.head() == head


@pytest.mark.parametrize(
    "text", ["a" * 20_000, "\n" * 20_000, "fixes #1, " * 2_000, "blocked " * 3_000, "x/" * 9_000, "```\n" * 4_000]
)
def test_hostile_texts_are_read_quickly_enough_to_end(text: str) -> None:
    list(prose.tasks_of_todos(text))
    list(prose.blocked(text))
    commits.tasks_of_commit("", text, "h", 0)
    code.tasks_of_comments("x", text)


@settings(max_examples=examples(200), deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    list(prose.tasks_of_todos(text))
    list(prose.blocked(text))
    commits.tasks_of_commit(text[:50], text[50:], "h", 0)
    code.tasks_of_comments("x", text)
    tools.tasks_of_tool_call("Bash", {"command": "bd " + text}, text, 0)
