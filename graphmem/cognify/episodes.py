"""Step `episodes`: what happened in one event, as short as possible: a command that ran and how it ended, files that were
written, a commit, a request, a question left open. Conclusions (gotchas, summaries, patterns) are drawn from these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from graphmem.cognify import cues
from graphmem.cognify.source import Source
from graphmem.extract.terminal import clean_output, detail_of, error_of, failure_signature, place_of
from graphmem.patterns import compile_later
from graphmem.text.toolcalls import shorten_text
from graphmem.trust.marking import reasons_of

NAME = "episodes/9"
TYPES = frozenset(
    {"user_prompt", "agent_response", "tool_observation", "snapshot_captured", "test_run_observed", "commit_observed"}
)
_LONGEST = 400
_EDIT = 120  # characters of an edit
_REPORT = 200  # characters of a line in which an agent reports what it did
_MOST_REPORTS = 8  # of one turn
_REPORTS = compile_later(
    r"\b(?:fixed|resolved|solved|repaired|corrected|implemented|added|updated|changed|renamed|removed|replaced|configured|wired"
    r"|migrated|created|moved|done|now (?:works?|passe?s?|has|have|uses?|returns?|handles?|includes?|reads?|writes?)"
    r"|(?:is|are) now|passes|passing)\b(?! to (?:do|be))|고쳤|해결|수정했|추가했|완료|변경했|통과",
    re.I,
)
# Code that was typed on the spot: its mistakes are nobody's but its own.
IMPROVISED = compile_later(
    r"\b(?:python3?|node|ruby|perl|deno|bun|php)\b[^|;&\n]*\s-(?:c|e|r|eval)\s|\b(?:python3?|node|ruby)\s+-?\s*<<"
)
# Programs whose status answers a question, and failures of the host rather than of the command.
_ASKING = frozenset({"grep", "rg", "egrep", "diff", "test", "[", "which", "pgrep", "cmp", "find", "ls", "cat", "sleep"})
_HOST = compile_later(
    r"<tool_use_error>|doesn't want to (?:proceed|take this action)|\[Request interrupted|user rejected", re.I
)
TWO_WORDS = frozenset(
    """git npm npx pnpm yarn mix cargo go docker kubectl pip pip3 uv poetry bd gh make bundle rails rake dotnet terraform
    python python3 node deno bun gradle mvn brew apt apt-get systemctl alembic django-admin ruff mypy""".split()
)
# What git says where there was nothing to do: no failure that anybody must be warned of.
_NOTHING = compile_later(
    r"^(?:nothing (?:added )?to commit\b|no changes added to commit\b|커밋할 (?:사항|변경 사항을?|게) "
    r"(?:없음|없습니다|추가하지 않았습니다))",
    re.M,
)
_QUOTED = compile_later(r"\"(?:[^\"\\]|\\.)*\"?|'[^']*'?")
_SILENT = compile_later(r"^(?:cd|export|source|set|echo|sleep|true|pushd|popd)\b|^\.\s|^\w+=\S*$")


def derive(sources: Sequence[Source]) -> list[dict[str, Any] | None]:
    """Return the bodies: `{kind, project, session, label, node, ...}`."""
    return [_body(source) for source in sources]


def _body(source: Source) -> dict[str, Any] | None:
    event = source.event
    if reasons_of(event) or event.foreign:
        return None  # nothing is concluded from orders to the agent, nor from runs that another machine only claims
    told = _TOLD[event.type](source)
    if told is None:
        return None
    return {"project": event.project, "session": event.session, "label": source.label, "node": source.node} | told


def _asked(source: Source) -> dict[str, Any] | None:
    payload = source.event.payload
    text = str(payload.get("content", "")).strip()
    if payload.get("role") != "user" or payload.get("agent") or cues.HOST_TEXT.match(text) or len(text) < 12:
        return None
    return {"kind": "ask", "text": shorten_text(" ".join(text.split()), _LONGEST)}


def _answered(source: Source) -> dict[str, Any] | None:
    payload = source.event.payload
    lines = str(payload.get("content", "")).strip().splitlines()
    if payload.get("agent") or not lines:
        return None
    question = lines[-1].strip() if lines[-1].rstrip().endswith("?") else ""
    told: dict[str, Any] = {"kind": "tell", "question": shorten_text(question, _LONGEST)}
    reports = [shorten_text(" ".join(line.split()), _REPORT) for line in lines if _REPORTS.search(line)][:_MOST_REPORTS]
    return told | ({"reports": reports} if reports else {})


def _called(source: Source) -> dict[str, Any] | None:
    payload = source.event.payload
    if payload.get("command"):
        return _ran(payload, int(payload.get("exit_code") or 0))
    if payload.get("writes") and not payload.get("failed"):
        return {"kind": "write", "files": list(payload["writes"]), "edit": _edit(payload.get("input") or {})}
    return None


def _edit(given: dict[str, Any]) -> str:
    """Return the first line that an edit put in, or else took out with a minus before it; "" for a whole file."""
    old, new = (str(given.get(name) or "").splitlines() for name in ("old_string", "new_string"))
    had, has = ({line.strip() for line in lines} for lines in (old, new))
    added = (line.strip() for line in new if line.strip() not in had)
    taken = (f"- {line.strip()}" for line in old if line.strip() not in has)
    telling = (line for lines in (added, taken) for line in lines if len(re.findall(r"\w", line)) > 5)
    return shorten_text(next(telling, "") if old else "", _EDIT)


def _captured(source: Source) -> dict[str, Any] | None:
    payload = source.event.payload
    code = payload.get("exit_code")
    return _ran(payload, 1 if payload.get("trigger") == "anomaly" and not code else int(code or 0))


def _ran(payload: dict[str, Any], code: int) -> dict[str, Any] | None:
    command, output = str(payload.get("command", "")), str(payload.get("content", ""))
    keys = list(command_keys(command))
    ran: dict[str, Any] = {"kind": "run", "command": display_command(command), "keys": keys, "ok": not code}
    if payload.get("commits"):
        ran["commits"] = payload["commits"]
    if not code:
        return ran if keys else None
    if _HOST.search(output[:2_000]) or (keys and keys[-1].split()[0] in _ASKING):
        return None
    if IMPROVISED.search(command):
        return None
    text = clean_output(output)
    if _NOTHING.search(text):
        return ran if keys else None
    error = str(payload.get("error") or "") or error_of(text)
    if not error:  # that it failed is all that is known
        return ran if keys else None
    file, line = place_of(text, error)
    told = {
        "error": error,
        "signature": failure_signature(error),
        "detail": detail_of(text, error),
        "file": file,
        "line": line,
    }
    return ran | told


def _tested(source: Source) -> dict[str, Any] | None:
    payload = source.event.payload
    tool, name = str(payload["tool"]), str(payload["name"])
    failures = [_failed_test(failure) for failure in payload["failures"][:50]]
    return {"kind": "tests", "name": tool if name in ("", tool) else f"{tool} {name}", "failures": failures,
            "commit": str(payload.get("commit") or "")}  # fmt: skip


def _failed_test(failure: dict[str, Any]) -> dict[str, Any]:
    text = clean_output(str(failure["message"]))
    error = error_of(text)
    return {"name": failure["name"], "file": failure["file"], "error": error, "signature": failure["signature"],
            "detail": detail_of(text, error)}  # fmt: skip


def _committed(source: Source) -> dict[str, Any] | None:
    payload = source.event.payload
    paths = [file["path"] for file in payload.get("files", ())]
    if not paths or len(payload.get("parents", ())) > 1:
        return None
    return {"kind": "commit", "subject": payload["subject"], "shape": shape_of(payload["subject"], paths),
            "files": paths[:20]}  # fmt: skip


_TOLD = {
    "user_prompt": _asked,
    "agent_response": _answered,
    "tool_observation": _called,
    "snapshot_captured": _captured,
    "test_run_observed": _tested,
    "commit_observed": _committed,
}


def display_command(command: str) -> str:
    """Return a command line as a person would tell it: its first line, without where it ran and where its output
    went."""
    first, _, rest = command.strip().partition("\n")
    first = re.sub(r"^cd \S+ && ", "", re.sub(r"\s*2>&1(?=\s|$)", "", first)).strip()
    return shorten_text(f"{first} …" if rest else first, _LONGEST)


_SHELL_WORDS = frozenset("for while until if elif case select function done fi esac }".split())  # of a loop, no program


def command_keys(command: str) -> Iterator[str]:
    """Return what a command line runs, one key a step: the program with its subcommand and plain arguments, no
    options. Two lines with the same key do the same work."""
    return (key for key, _ in steps_of(command))


def steps_of(command: str) -> Iterator[tuple[str, str]]:
    """Yield the key of each step of a command line, and the step as it was typed, without pipes, redirections and
    quoted text."""
    line = _QUOTED.sub(" … ", command.split("<<", 1)[0].partition("\n")[0])
    for step in re.split(r"&&|\|\||;", line):
        step = re.sub(r"\d?>&?\d?\s*\S*|<\s*\S+", " ", step.partition("|")[0]).strip()
        if not step or _SILENT.match(step):
            continue
        words = [
            word
            for word in step.split()
            if not word.startswith("-") and not re.match(r"^\w+=", word) and word not in ("&", "(", ")", "…")
        ]
        while words and words[0] in ("sudo", "time", "nice", "env", "timeout", "do", "then", "else", "!", "{"):
            words = words[1:]
        if words and words[0] not in _SHELL_WORDS:
            yield " ".join([words[0].rpartition("/")[2], *words[1:6]])[:120], " ".join(step.split())


def same_work(failed: str, later: str) -> bool:
    """Return whether a later success of `later` shows that `failed` works: the same, or one covers the other, perhaps
    on a file of the same name in another folder."""
    old, new = failed.split(), later.split()
    if not old or not new:
        return False
    least = 2 if old[0] in TWO_WORDS and len(old) > 1 else 1
    shared = min(len(old), len(new))
    return shared >= least and all(map(_same_word, old[:shared], new[:shared]))


def _same_word(one: str, other: str) -> bool:
    return one == other or ("/" in one + other and one.rpartition("/")[2] == other.rpartition("/")[2] != "")


def shape_of(subject: str, paths: Sequence[str]) -> str:
    """Return the shape of a change: its conventional type and the kinds of places it touched, such as "fix: lib
    (.py), tests"."""
    head = subject.partition(":")[0].partition("(")[0].strip().lower()
    kind = head if head in cues.COMMIT_INTENTS else "change"
    own = [path for path in paths if not BESIDE.search(path)]
    places = sorted({_place(path) for path in own or paths})
    return f"{kind}: {', '.join(places[:6])}" if len(places) <= 6 else ""


BESIDE = compile_later(
    r"^\.\w|(?:^|/)[^/]*(?:\.lock|-lock\.\w+|\.snap|\.min\.\w+|\.map)$|(?:^|/)snapshots?/"
)  # kept by tools


def _place(path: str) -> str:
    top, slash, _ = path.partition("/")
    if re.search(r"(?:^|/)(?:tests?|spec|__tests__)/|[._-](?:test|spec)\.|_test\.|(?:^|/)test_", path):
        return "tests"
    suffix = path.rpartition("/")[2].rpartition(".")
    return f"{top if slash else 'root'} (.{suffix[2]})" if suffix[1] and suffix[0] else (top if slash else path)
