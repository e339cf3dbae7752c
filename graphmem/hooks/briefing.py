"""The summary at session start: what recent sessions were asked, committed, changed, reported, concluded and left open, and
what changed in their files since. Read from the end of the log and from the index."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphmem.browse.story import open_statements
from graphmem.cognify.episodes import command_keys
from graphmem.cognify.misnamed import is_misnamed
from graphmem.cognify.summaries import name_tasks, task_names
from graphmem.errors import GraphmemError
from graphmem.extract.terminal import clean_output, error_of
from graphmem.hooks.completed import facts_of_event
from graphmem.hooks.overtaken import overtaken_facts, without_overtaken
from graphmem.model.events import Event
from graphmem.plurals import counted
from graphmem.retrieve.present import to_datetime, truncate_text
from graphmem.retrieve.scripts import detect_script
from graphmem.text.deciding import MIN_STATEMENT_WEIGHT, SpokenTurn, choose_statements
from graphmem.text.ellipses import find_ellipses, read_ellipsis
from graphmem.text.placenames import file_keys
from graphmem.text.questions import is_request_for_answer
from graphmem.text.recall import written_by_host
from graphmem.text.reports import closing_report, edited_paths, plain_line, request_of, shorten_request
from graphmem.text.sentences import sentences
from graphmem.text.settling import score_conclusiveness
from graphmem.text.toolcalls import tests_run_by
from graphmem.text.words import content_words, is_echo
from graphmem.tree.words import topic_words
from graphmem.trust.detector import assess
from graphmem.trust.marking import reasons_of
from graphmem.trust.origin import is_vouched, origin_of
from graphmem.trust.requests import requests_action

if TYPE_CHECKING:
    from graphmem.context import HookContext
    from graphmem.model.tasks import Task

_TURNS = ("user_prompt", "agent_response")
_READ = 600  # maximum turns to look back
_RAN = 300  # maximum tool calls of a session to look back
_SESSIONS = 3  # maximum sessions reported
_LATEST = 30  # turns of a session searched for its conclusion
_LOOKED_AT = 60  # sessions considered for the summary
_ANSWERED = 8  # the same of those with an answer, once there is something to tell
_ASKED, _THEN, _COMMAND = 130, 90, 80  # characters of the first and the last request, and of a command
_CONCLUSION = 45  # tokens of a session's conclusion
_REPORT, _BRIEFLY = 70, 40  # tokens of the report of the latest session, and of earlier ones
_DECISIVE = 45  # conclusiveness of a statement that says it is a decision
_CLOSING = 3  # latest answers in which a report is looked for
_FILES = 3  # per session, and per later commit
_COMMITS = 12  # newest items about a file that are searched for a commit
_COMMITTED = 4  # commits per session
_MAIN = ("", "main", "master", "HEAD")  # branches that are not worth a word
_FOLDER = re.compile(r"^\s*cd\s+\S+\s*(?:&&|;)\s*")
_OUTPUT = re.compile(r"\s*(?:2>&1|\|).*$", re.DOTALL)
_STATED, _LEFT_OPEN = 3, 2  # statements and open points of a session
_OPEN_STEPS, _STEP = 4, 70  # open steps of a session's to-do list, and characters of each
_LASTING = ("decision", "rule", "preference", "property")  # kinds of facts, the most important first
_ASKS_BRIEFLY = 160  # characters of a prompt that asks for the last session
_LAST_TIME = re.compile(
    r"\b(?:still|left|remains?) (?:open|undone|unfinished|to (?:do|be done))\b|\bleft off\b"
    r"|\b(?:did|were|have) we (?:stop|leave|end)"
    r"|\b(?:last|previous) (?:time|session)\b|\bopen (?:points|items|questions|ends)\b"
    r"|지난 ?(?:번|세션|시간)|어디까지|(?:남은|미완|못 ?끝낸|덜 ?끝난) ?(?:일|작업|것|게)|아직 (?:안|남|못)",
    re.IGNORECASE,
)
# A command to the agent's program, or its question with the answer: "/model fast", "Add it? (Y)es/(N)o [Yes]: all".
_TO_PROGRAM = re.compile(
    r"\A/[a-z][\w:-]*(?:[ \t]+\S+)?\Z|\(Y\)es/\(N\)o|\[(?:y|yes)/(?:n|no)\]|\[Yes\]:", re.IGNORECASE
)
_STILL_FAILS = re.compile(
    r"\b(?:fails|is failing|(?:is|are) (?:still |now )?(?:broken|red|off by one|wrong)|does(?: not|n't) (?:work|pass|compile|build)"
    r"|crashes|raises)\b|(?:실패|오류|에러)(?:한다|합니다|해요|가 (?:난다|납니다|나요))|깨(?:진다|집니다|져요)|틀렸",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\A(?:understood|got it|sure|of course|alright|okay)\b[^.!?]{0,40}[.!]"
    r"|\b(?:let me know|feel free to|would you like|do you want me to|shall i"
    r"|if you have any (?:[\w ]+ )?(?:questions|instructions))\b"
    r"|\A(?:it|that|this|they|these|those)(?:['\u2019](?:s|re|ll|d)|\s+(?:is|was|are|were|has|have|had|will|would|can"
    r"|could|does|did|should|means?|works?|happens?|looks?))\b(?! (?:decided|agreed|required|forbidden)\b)"
    r"|\A\d{1,2}[.)]\s[^.:]{1,50}:\s\w+\.?\Z|\A(?:그것|이것|그건|이건|그게|이게)(?:은|는|이)?\s",
    re.IGNORECASE,
)
_NAMED = 4  # names of tasks that are looked up
_WORDS = 3  # minimum informative words of a request


@dataclass(frozen=True, slots=True)
class Brief:
    """One session in a line, with the files it changed."""

    text: str
    files: tuple[str, ...]
    at: int  # its last event, in microseconds
    session: str
    is_work: bool  # it committed something or left steps open


def asks_for_last_time(prompt: str) -> bool:
    """Return whether a short prompt asks where the last session ended or what it left open.

    >>> asks_for_last_time("What is still open from last time?"), asks_for_last_time("지난번에 어디까지 했지?")
    (True, True)
    """
    return len(prompt) <= _ASKS_BRIEFLY and is_request_for_answer(prompt) and bool(_LAST_TIME.search(prompt))


def last_sessions(host: HookContext, session: str, said: Sequence[str] = ()) -> list[Brief]:
    """Return the recent sessions of this project that changed, decided or stated something, newest first: the latest one, then
    those that committed something or left steps open before others. Statements in `said` are left out."""
    gathered: dict[str, list[Event]] = defaultdict(list)
    for event in host.log.pages.newest(_READ, types=_TURNS):
        if event.project == host.project and event.session not in ("", session) and not event.foreign:
            gathered[event.session].append(event)
    latest = sorted(gathered.values(), key=lambda turns: -max(turn.at for turn in turns))[:_LOOKED_AT]
    told: list[Brief] = []
    latest_calls = host.log.pages.newest(_RAN, types=("tool_observation",))
    passed = [call for call in latest_calls if call.project == host.project and not call.payload.get("failed")]
    answered = 0
    for turns in latest:
        answered += any(turn.type == "agent_response" for turn in turns)
        if told and answered > _ANSWERED:
            break
        if (brief := _brief(host, turns[::-1], passed, said, is_latest=not told)) is not None:
            told.append(brief)
        if sum(brief.is_work for brief in told) == _SESSIONS:
            break
    told = [*told[:1], *sorted(told[1:], key=lambda brief: not brief.is_work)][:_SESSIONS]
    return sorted(told, key=lambda brief: -brief.at)


def changed_since(host: HookContext, briefs: Sequence[Brief]) -> list[str]:
    """Return later commits to the files of these sessions, one line per file, newest first."""
    places = host.retriever.ports.places
    if places is None or not briefs:
        return []
    later: dict[int, list[str]] = defaultdict(list)
    for path, at in {path: brief.at for brief in reversed(briefs) for path in brief.files}.items():
        for spoken in places.naming([file_keys(path)[0]], _COMMITS):
            if spoken.kind == "commit" and spoken.at > at:
                later[spoken.row].append(path)
    found = sorted(host.retriever.ports.text.items(list(later)), key=lambda one: -one.item.at)[:_SESSIONS]
    if (guard := host.retriever.ports.guard) is not None:  # a commit may be from a third party
        marks = guard.marks([one.item for one in found])
        found = [
            one
            for one, mark in zip(found, marks, strict=True)
            if not mark.withheld and (is_vouched(mark.origin) or not requests_action(one.item.title))
        ]
    return [
        f"[mem:{one.cite}] {to_datetime(one.item.at):%Y-%m-%d} {one.item.title}: {_some(later[one.row])}"
        for one in found
    ]


def _brief(
    host: HookContext, turns: Sequence[Event], passed: Sequence[Event], known: Sequence[str], *, is_latest: bool
) -> Brief | None:
    """Return what one session was about, from its turns in order; None if nothing came of it. `passed` are the
    latest successful tool calls of all sessions: one may show that what this session left failing passes now."""
    ran = host.log.pages.newest(_RAN, session=turns[0].session, types=("tool_observation",))[::-1]
    guard = host.retriever.ports.guard
    unapproved = guard.unapproved_turns(turns) if guard is not None else set()
    # Not what its subagents were told and answered, and no words from which something waits for a person's approval.
    own = [turn for turn in turns if not turn.payload.get("agent") and turn.id not in unapproved]
    gone = overtaken_facts(host, own)
    told = ((role, without_overtaken(text, gone)) for role, text in map(_said, own))
    said = [SpokenTurn(role, text) for role, text in told if text.strip()]
    done = [event.payload for event in ran if not event.payload.get("failed")]
    written = [str(path) for payload in done for path in payload.get("writes", ())]
    if not ran:  # some programs apply the edits that an answer contains
        written = [path for role, text in said if role == "assistant" for path in edited_paths(text)]
    files = list(dict.fromkeys(path for path in written if not path.startswith(("/", "~", ".."))))
    subjects = dict.fromkeys(str(subject) for payload in done for _, subject in payload.get("commits", ()))
    commits = [
        subject for subject in subjects if not requests_action(subject)
    ]  # a merged one may be from a third party
    has_worked = bool(done or files)
    worked = max((event.at for event in ran if not event.payload.get("failed") and _works(event)), default=0)
    # What was still to be mended when it was said, and was worked on since, is not how the session ended.
    overtaken = {str(turn.payload.get("content") or "") for turn in own if turn.at < worked}
    latest = [one for one in said if one.text not in overtaken or not _STILL_FAILS.search(one.text)]
    report = _report(latest, _REPORT if is_latest else _BRIEFLY) if has_worked else ""
    chosen = choose_statements(said[-_LATEST:], _CONCLUSION, MIN_STATEMENT_WEIGHT)
    if has_worked:  # the report tells the rest
        chosen = [(at, text) for at, text in chosen if score_conclusiveness(text) >= _DECISIVE and text not in report]
    chosen = [(at, plain) for at, text in chosen if (plain := plain_line(text)) and not _is_aside(plain)]
    shown = " ".join([report, *(text for _, text in chosen), *known])
    stated = _stated(host, own, shown, _most_stated(is_latest, bool(chosen or report)))
    steps = _steps(host, turns[0].session)
    if not (chosen or files or commits or stated or steps or (report and _requests(said))):
        return None
    answers = [text for role, text in said if role == "assistant"][-_CLOSING:]
    open_ = [plain_line(one) for text in answers for one in open_statements(text)]
    left = [one for one in open_ if one and one not in shown and not requests_action(one)]
    last = max(event.at for event in (*turns, *ran))
    elsewhere = (event for event in passed if event.session != turns[0].session)
    failing = _failing(sorted([*ran, *elsewhere], key=lambda event: event.at))
    parts = [
        _asked(host, [one for one in _requests(said) if not _is_covered(one, [shown, *_sources(host, own)])]),
        f"committed: {'; '.join(commits[-_COMMITTED:])}" if commits else "",
        f"changed {_some(files)}" if files else "",
        f"reported: {report}" if report else "",
        f"concluded: {' '.join(text for _, text in chosen)}" if chosen else "",
        f"stated: {' '.join(stated)}" if stated else "",
        f"left open: {' '.join([*left[-_LEFT_OPEN:], *steps])}" if left or steps else "",
        f"left failing: {', '.join(failing)}" if failing else "",
    ]
    line = f"{to_datetime(last):%Y-%m-%d}{_branch(host, turns[0].session)} " + "; ".join(filter(None, parts))
    return Brief(line, tuple(files), last, turns[0].session, bool(commits or steps))


def steps_to_show(host: HookContext, session: str) -> list[Task]:
    """Return the steps of a session. An agent may have made a step of what a page said: one that gives orders is left out."""
    steps = host.tasks.steps(session)
    return [step for step in steps if not (assess(step.title) or requests_action(step.title))]


def _steps(host: HookContext, session: str) -> list[str]:
    """Return what is open of the to-do list of a session's agent, as one text; empty if it finished the list."""
    steps = steps_to_show(host, session)
    open_ = [truncate_text(step.title, _STEP) for step in steps if step.open]
    if not open_:
        return []
    done = sum(step.status == "done" for step in steps)
    more = f"; and {len(open_) - _OPEN_STEPS} more" if len(open_) > _OPEN_STEPS else ""
    count = f" ({done} of {counted(done + len(open_), 'step')} done)" if done else ""
    return [f"{'; '.join(open_[:_OPEN_STEPS])}{more}{count}"]


def _asked(host: HookContext, asked: Sequence[str]) -> str:
    """Return the first request of a session, and the last one if it is another."""
    if not asked:
        return ""
    first = name_tasks(asked[0], _titles(host, asked[0]))
    parts = [f"asked: “{shorten_request(first, _ASKED)}”"]
    if asked[-1] != asked[0]:
        parts.append(f"then “{shorten_request(asked[-1], _THEN)}”")
    return ", ".join(parts)


def _works(event: Event) -> bool:
    return bool(event.payload.get("writes") or event.payload.get("commits"))


def _requests(said: Sequence[SpokenTurn]) -> list[str]:
    return [one for one in (request_of(text) for role, text in said if role == "user") if _asks(one) or task_names(one)]


def _report(said: Sequence[SpokenTurn], budget: int) -> str:
    """Return what the agent reported last, in the language of most requests. What it said before its latest answers was on the
    way."""
    answers = [text for role, text in said if role == "assistant"][-_CLOSING:]
    asked = [bool(detect_script(text)) for role, text in said if role == "user"]
    is_foreign = 2 * sum(asked) > len(asked)
    answers = [text for text in answers if bool(detect_script(text)) == is_foreign] if asked else answers
    return next(filter(None, (closing_report(text, budget) for text in reversed(answers))), "")


def _most_stated(is_latest: bool, is_told: bool) -> int:
    """Return how many statements of a session are shown, next to what it reported or concluded or alone."""
    return (1 if is_told else _STATED) if is_latest else int(not is_told)


def _facts(host: HookContext, turn: Event) -> list[Mapping[str, Any]]:
    return [fact for fact in facts_of_event(host, turn.id) if fact["kind"] in _LASTING]


def _sources(host: HookContext, turns: Sequence[Event]) -> list[str]:
    """Return the passages of these turns that facts were read from."""
    return [
        str(turn.payload.get("content") or "")[fact["start"] : fact["end"]]
        for turn in turns
        for fact in _facts(host, turn)
    ]


def _is_covered(request: str, stated: Sequence[str]) -> bool:
    """Return whether a request asks for nothing beyond what is `stated`: it need not be repeated."""
    text = " ".join(stated)
    return all(" ".join(sentence.split()) in text for sentence in sentences(request))


def _stated(host: HookContext, turns: Sequence[Event], known: str, most: int) -> list[str]:
    """Return the latest decisions, rules and values that these turns stated and that hold, decisions first, without those that
    `known` has."""
    found: dict[str, Mapping[str, Any]] = {}
    for turn in turns:  # of what an agent says, only what binds; its report tells the rest
        binding = _LASTING[:2] if turn.type == "agent_response" else _LASTING
        kept = (fact for fact in _facts(host, turn) if fact["kind"] in binding and fact["content"] not in known)
        found |= {fact["id"]: fact for fact in kept if not requests_action(fact["content"])}
    active = {
        one.item.id for one in host.retriever.ports.text.find(list(found)) if one.status in ("active", "contested")
    }
    latest = [fact for name, fact in reversed(found.items()) if name in active]
    said = set(content_words(known))
    latest = [fact for fact in latest if not is_echo(said, fact["content"])]  # in other words
    latest.sort(key=lambda fact: _LASTING.index(fact["kind"]))
    return list(dict.fromkeys(truncate_text(fact["content"], _ASKED) for fact in latest))[:most]


def _branch(host: HookContext, session: str) -> str:
    started = host.log.pages.newest(1, session=session, types=("session_start",))
    branch = str(started[0].payload.get("branch") or "") if started else ""
    return "" if branch in _MAIN or requests_action(branch) else f" on {truncate_text(branch, _COMMAND)}"


def _some(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _FILES} more" if len(paths) > _FILES else ""
    return f"{', '.join(paths[:_FILES])}{more}"


def _titles(host: HookContext, request: str) -> dict[str, str]:
    """Return the titles of the tasks that a request only names, so that it can be understood by itself."""
    found = {}
    for ref in task_names(request)[:_NAMED]:
        with suppress(GraphmemError):
            found[ref] = host.tasks.show(ref).task.title
    return found


def _said(event: Event) -> tuple[str, str]:
    """Return who said what; "" for text that neither a person nor an agent wrote."""
    text = str(event.payload.get("content") or "")
    silent = (
        event.payload.get("role") == "system"
        or (written_by_host(text) and not request_of(text))
        or bool(reasons_of(event))
        or (not is_vouched(origin_of(event)) and requests_action(text))
    )
    return "user" if event.type == "user_prompt" else "assistant", "" if silent else text


def _asks(text: str) -> bool:
    is_asking = len(topic_words(text)) >= _WORDS and not _TO_PROGRAM.search(text)
    return is_asking and not any(find_ellipses(text))


def _is_aside(statement: str) -> bool:
    """Return whether a statement is an offer or assent, or cannot be understood without what was said before it."""
    return bool(_ASIDE.search(statement)) or read_ellipsis(statement) is not None


def _failing(events: Iterable[Event]) -> list[str]:
    """Return test commands that failed, and for which no later run of them or of more tests passed, nor the command that was
    meant."""
    failing: dict[frozenset[str], tuple[str, str]] = {}  # with command and error
    for event in events:
        command = str(event.payload.get("command") or "")
        if not (tests := tests_run_by(command)):
            continue
        failed = bool(event.payload.get("failed"))
        failing = {
            one: ran
            for one, ran in failing.items()
            if not tests.issubset(one) and (failed or not _is_meant(command, *ran))
        }
        if failed:
            failing[tests] = command, error_of(clean_output(str(event.payload.get("content") or "")))
    return [f"`{truncate_text(_plain(command), _COMMAND)}`" for command, _ in failing.values()][-2:]


def _is_meant(command: str, failed: str, error: str) -> bool:
    keys = list(command_keys(command))
    return any(is_misnamed(wrong, key, error) for wrong in command_keys(failed) for key in keys)


def _plain(command: str) -> str:
    """Return a command without its working directory and output redirection."""
    return " ".join(_OUTPUT.sub("", _FOLDER.sub("", command)).split())
