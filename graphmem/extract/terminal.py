"""Terminal output as evidence: classifies output as failure, anomaly or normal, and extracts the error in a form that is
stable across runs. Reads output files for `ingest("terminal")`. It runs nothing; redaction happens in the log."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from graphmem.extract.reading import Reading
from graphmem.foreignfiles import TOO_LARGE, TooLarge, read_file, walk_files
from graphmem.model import bounds
from graphmem.model.events import Draft
from graphmem.patterns import compile_later
from graphmem.privacy import strip_private_sections
from graphmem.text.toolcalls import shorten_text

Trigger = Literal["failure", "anomaly", "manual"]
Severity = Literal["high", "medium", "low", ""]
CONTENT_LIMIT = 20_000  # characters stored in a snapshot: head and tail
_DAY = 86_400_000_000  # microseconds
_ENDINGS = (".log", ".txt", ".out", ".jsonl")

_ANSI = compile_later(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])|[\x00-\x08\x0b\x0c\x0e-\x1a\x7f]"
)
# All patterns are linear in the text: repetitions are bounded, because one line may be a megabyte. "0 errors", "no warnings", "errors: 0", "without error", "error-free", "error_handler", "--error": no failure
_HARMLESS = compile_later(
    r"\b(?:0|no|zero|without(?: any)?|never|not?) (?:\w+ )?(?:errors?|failures?|failed|exceptions?|warnings?|timeouts?|deprecated|deprecations?)\b"
    r"|(?:오류|에러|실패|경고|예외)(?:는|가|이|은)?\s*(?:[:=]?\s*0(?:건|개|\b)|없음|없이|없습니다|없다)|0(?:건|개)의? (?:오류|에러|실패|경고)"
    r"|\b(?:errors?|failures?|failed|exceptions?|warnings?|timeouts?|skipped)\s*[:=]\s*0\b|\berror[-_ ]free\b"
    r"|(?<![\w/.-])[\w/.-]{0,200}?(?:errors?|exceptions?|warnings?|failed|timeout)[\w-]{0,80}\.\w{1,5}\b"
    r"|(?<!-)--?(?!-)[\w-]{0,60}?(?:error|warn|timeout|fail)[\w-]{0,60}"
    r"|\b\w+_(?:error|exception|warning|timeout)s?\b|\b(?:error|exception|warning|timeout)s?_\w+"
    r"|\b(?:fix(?:ed|es)?|handle[sd]?|handling|catch(?:es)?|add(?:ed|s)?|test(?:s|ed)?|ignore[sd]?) (?:\w+ ){0,2}(?:errors?|exceptions?|warnings?|timeouts?)\b",
    re.I,
)
_SEVERITIES: tuple[tuple[Severity, re.Pattern[str]], ...] = (
    ("high", compile_later(r"\b(?:\w*errors?|failed|failure|\w*exceptions?|fatal|panic(?:ked)?|traceback|segmentation fault|killed)\b(?!\w)|오류|에러|실패|예외(?:가| 발생)", re.I)),
    ("medium", compile_later(r"\b(?:time[ds]?[- ]?out|timeout)\b|시간 ?초과", re.I)),
    ("low", compile_later(r"\b(?:warn(?:ing)?s?|deprecated|deprecation)\b|경고", re.I)),
)  # fmt: skip
_NAMED_ERROR = compile_later(
    r"^\s*(?:E\s+)?(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception|Failure|Interrupt|Warning|Exit)\b(?::|\s|$)|^\s*\*\* \(\w[\w.]*\)"
)
_STATED = compile_later(r"(?:^|\b)(?:error|fatal|panic|failed|failure|FAIL|exception|cannot|could not|not found|denied|undefined|missing|no such|no rule to make target|no tests? (?:ran|found|matched|collected))\b|오류|에러|실패|예외(?:가| 발생)|없습니다", re.I)  # fmt: skip
_ASSERTED = compile_later(r"^E\s{2,}\S")  # pytest's marker of failures
_DULL = compile_later(r"^\s*(?:Exit code \d+|\d+ (?:tests?|passed|failed)\b.*|npm ERR! (?:code|errno|A complete log).*|make(?:\[\d+\])?: \*\*\* \[.*|Traceback .*|Compiling .*|collecting (?:item \d+|\.\.\.).*|● Test suite failed to run|hint: .*|</?\w+>|={5,} [^=]{1,200} ={5,}|\[notice\] .*|npm notice\b.*|- (?:hook id|duration|exit code): .*|Error(?:: Error)?)\s*$", re.I)  # fmt: skip
_LABEL = "Error: "  # programs of agents put it before any output of a failed command
_DOTS = compile_later(r"\.{4,}")  # "trim trailing whitespace.......Failed"
_PASSED = ("Passed", "Skipped")  # checks before the one that failed
_NORMAL = (
    (compile_later(r"https?://\S+"), "<url>"),
    (compile_later(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.I), "<id>"),
    (compile_later(r"\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b", re.I), "<hex>"),
    (compile_later(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?Z?"), "<time>"),
    (compile_later(r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}(?=[/\\]?)[/\\]?"), lambda m: "<path>/" + re.split(r"[/\\]", m.group().rstrip("/\\"))[-1]),
    (compile_later(r"(?<![\w.])\d+(?:[.:]\d+)*(?:ms|s|m|h|%|[kKMG]i?B)?\b"), "<n>"),
    (compile_later(r"\bbranch (?:'[^']+'|\w+[-/][\w./-]+)"), "branch <name>"),
    (compile_later(r"\s+"), " "),
)  # fmt: skip


class Assessment(NamedTuple):
    """Why output is worth storing, its severity, and the line with the error ("" if none)."""

    trigger: Trigger
    severity: Severity
    error: str


def clean_output(output: str) -> str:
    """Return output as finally visible: without colours and overwritten progress lines."""
    *lines, last = _ANSI.sub("", output).split("\n")
    shown = [line.removesuffix("\r").rpartition("\r")[2] for line in lines]
    return "\n".join([*shown, last.rpartition("\r")[2]])


def assess_output(output: str, exit_code: int | None = None) -> Assessment:
    """Classify output: failure by exit code, anomaly by content, otherwise manual. "0 errors" is not an anomaly."""
    severity = severity_of(output)
    if exit_code:
        return Assessment("failure", "high", error_of(output))
    if severity in ("high", "medium"):
        return Assessment("anomaly", severity, error_of(output))
    return Assessment("manual", severity, "")


def severity_of(output: str) -> Severity:
    """Return the highest severity in the lines: error, failed, exception high; timeout medium; warning, deprecated low."""
    text = _HARMLESS.sub(" ", output)
    return next((severity for severity, words in _SEVERITIES if words.search(text)), "")


def error_of(output: str) -> str:
    """Return the line with the error: an exception's last line, otherwise the first that states an error, otherwise the
    first line. A line that only introduces is joined with the next one."""
    shown = (_without_label(line.strip()) for line in output.replace("\\n", "\n").splitlines())
    lines = [join_dots(line) for line in shown if line and not _is_beside(line)]
    named = [number for number, line in enumerate(lines) if _NAMED_ERROR.match(line)]
    asserted = [number for number, line in enumerate(lines) if _ASSERTED.match(line)]
    if named or asserted:
        chosen = named[-1 if "Traceback" in output else 0] if named else asserted[0]
    else:
        stated = (number for number, line in enumerate(lines) if _STATED.search(_HARMLESS.sub(" ", line)))
        chosen = next(stated, 0)
    told = lines[chosen : chosen + 1]
    if told and told[0].endswith(":"):
        told += lines[chosen + 1 : chosen + 2]
    return re.sub(r"^E\s+", "", " ".join(told))[:300]


def join_dots(line: str) -> str:
    """Return a line of a report without the dots between a check and its result.

    >>> join_dots("trim trailing whitespace...........Failed")
    'trim trailing whitespace: Failed'
    """
    return _DOTS.sub(": ", line)


def _is_beside(line: str) -> bool:
    """Return whether a line only accompanies an error: a heading, a notice, a check that passed."""
    return _DULL.match(line) is not None or (line.endswith(_PASSED) and "...." in line)


def _without_label(line: str) -> str:
    """Return a line without the label before it, if it says by itself what it is."""
    rest = line.removeprefix(_LABEL)
    return rest if rest != line and (_is_beside(rest) or _STATED.match(rest) or _NAMED_ERROR.match(rest)) else line


_PLACE = compile_later(
    r"(?:File \"(?P<python>[^\"<>]+)\", line (?P<number>\d+)|(?<![\w@.-])(?P<file>(?:[\w@.-]{1,100}/){0,30}[\w@.-]{1,100}\.[A-Za-z]{1,5}):(?P<line>\d+))"
)
_FOREIGN = compile_later(r"site-packages|node_modules|/usr/|(?:^|/)(?:deps|vendor|\.venv|\.cargo)/|^/nix/|<frozen")
_EXPLAINS = compile_later(
    r"^\s*(?:E\s+|code:\s+(?!')|left:|right:|expected|received|got:|actual|assert|- |\+ |help:|note:|because|caused by|reason:|did you mean|\|\s)",
    re.I,
)
_MAX_LINES_AFTER_ERROR = 12  # lines after an error that may explain it


def detail_of(output: str, error: str) -> str:
    """Return up to three lines below an error that explain it: compared values, a hint, a cause; "" if none."""
    lines = [join_dots(line.strip()) for line in output.splitlines() if line.strip()]
    start = next((number for number, line in enumerate(lines) if error and line[:80] in error), len(lines))
    told = [
        line
        for line in lines[start + 1 : start + 1 + _MAX_LINES_AFTER_ERROR]
        if _EXPLAINS.match(line) and len(line) > 5
    ]
    if all(line.startswith("code:") for line in told):  # the command alone, without its result
        return ""
    return " ".join(shorten_text(" ".join(line.split()), 160).replace("\n", " ") for line in told[:3])


def place_of(output: str, error: str) -> tuple[str, int]:
    """Return (path, line) of the project's own code named nearest before the error, otherwise first after it; ("", 0) if
    none."""
    at = output.find(error.split("\n")[0][:80]) if error else -1
    found = [match for match in _PLACE.finditer(output) if not _FOREIGN.search(match["python"] or match["file"])]
    before = [match for match in found if match.start() <= at]
    if not found:
        return "", 0
    match = (before[-1:] or found[:1])[0]
    return match["python"] or match["file"], bounds.count(match["number"] or match["line"])


def failure_signature(error: str) -> str:
    """Return the error without parts that vary between runs: numbers, directories, hashes, times."""
    text = re.sub(r"^E\s+", "", error.strip())
    for pattern, replacement in _NORMAL:
        text = pattern.sub(replacement, text)
    return text.strip(" .:│┃").lower()[:200]


def snapshot_draft(
    output: str,
    *,
    project: str,
    at: int,
    command: str = "",
    exit_code: int | None = None,
    cwd: str = "",
    session: str = "",
    environment: Mapping[str, str] | None = None,
    strict: bool = False,
) -> Draft:
    """Return the event draft for command output. The same output of the same command is recorded once a day."""
    exit_code = None if exit_code is None else bounds.exit_code(exit_code)
    text = strip_private_sections(
        clean_output(output), strict=strict
    )  # the text around truncation and the quoted error
    found = assess_output(text, exit_code)
    payload = {"role": "tool", "command": command, "content": shorten_text(text, CONTENT_LIMIT), "exit_code": exit_code, "cwd": cwd,
               "environment": dict(environment or {}), "trigger": found.trigger, "severity": found.severity, "error": found.error,
               "signature": failure_signature(found.error), "size": len(text)}  # fmt: skip
    same = json.dumps([project, session, command, exit_code, cwd, text, at // _DAY])
    key = f"snapshot:{hashlib.sha256(same.encode('utf-8', 'replace')).hexdigest()}"
    return Draft("snapshot_captured", payload, at, session, project, "terminal", key)


_PROMPT = compile_later(r"^(?:\([\w.-]+\) )?(?:[\w.-]+@[\w.-]+[:\s][^$#%\n]{0,80})?[$%❯] (?P<command>\S.*)$", re.M)


def split_log(text: str) -> Iterator[tuple[str, str]]:
    """Yield (command, output) of each prompt in a terminal log; the whole text without a command if there are no
    prompts."""
    prompts = list(_PROMPT.finditer(text))
    if not prompts:
        yield "", text
        return
    for prompt, following in zip(prompts, [*prompts[1:], None], strict=True):
        yield prompt["command"].strip(), text[prompt.end() : following.start() if following else len(text)].strip("\n")


def find_logs(target: Path) -> list[Path]:
    """Return the files in a folder that may be terminal logs, or the single file."""
    return [target] if target.is_file() else sorted(walk_files(target, wanted=lambda name: name.endswith(_ENDINGS)))


def is_log(path: Path, text: str) -> bool:
    """Return whether a text is a terminal log: by suffix, prompts, or lines with commands."""
    if path.suffix == ".jsonl":
        first = next((line for line in text.splitlines() if line.strip()), "")
        with contextlib.suppress(ValueError, RecursionError):
            record = json.loads(first)
            return isinstance(record, dict) and "command" in record and "output" in record
        return False
    return path.suffix in (".log", ".out") or bool(_PROMPT.search(clean_output(text)))


def read_terminal(paths: Sequence[Path], reading: Reading, options: Mapping[str, Any]) -> Iterator[Draft]:
    """Yield snapshots of failures and anomalies in terminal logs: text with prompts, or JSON lines with `command`,
    `output`, `exit_code`, `cwd`. Other output is counted as skipped."""
    for done, path in enumerate(paths, 1):
        try:
            text, at = read_file(path, follow=True).decode("utf-8", "replace"), path.stat().st_mtime_ns // 1000
        except OSError as error:
            reading.report.skip(TOO_LARGE if isinstance(error, TooLarge) else "unreadable file")
            reading.report.errors.append(f"{path}: {error.strerror}")
            continue
        for record in _records(path, text, reading):
            code = record.get("exit_code", options.get("exit_code"))
            draft = snapshot_draft(
                str(record.get("output") or ""),
                project=reading.project,
                at=at,
                command=str(record.get("command") or options.get("command") or ""),
                exit_code=code if isinstance(code, int) else None,
                cwd=str(record.get("cwd") or ""),
                session=str(record.get("session") or options.get("session") or ""),
                strict=reading.strict,
            )
            if draft.payload["trigger"] == "manual":
                reading.report.skip("nothing went wrong")
            else:
                yield draft
        reading.progress(done, len(paths))


def _records(path: Path, text: str, reading: Reading) -> Iterator[dict[str, Any]]:
    if path.suffix != ".jsonl":
        whole = strip_private_sections(clean_output(text), strict=reading.strict)
        yield from ({"command": command, "output": output} for command, output in split_log(whole))
        return
    for line in text.splitlines():
        try:
            record = json.loads(line) if line.strip() else None
        except (ValueError, RecursionError):
            record = False
        if isinstance(record, dict):
            yield record
        elif record is not None:
            reading.report.skip("malformed line")
