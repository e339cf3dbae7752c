"""Results of test runs as typed records: JUnit XML, pytest's text, `go test -json`, cargo, jest and vitest JSON, and totals
of coverage (coverage.py, Cobertura, lcov, Istanbul). It reads what runners wrote and runs nothing."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from graphmem.extract.reading import Reading
from graphmem.extract.terminal import clean, error_of, signature
from graphmem.model.events import Draft
from graphmem.model.sources import TestFailure, TestRun

_MESSAGE = 2_000  # characters kept of what a failed test said
_ENDINGS = frozenset({".xml", ".json", ".jsonl", ".txt", ".log", ".out", ".info"})
_MOST_BYTES = 20_000_000


def read_tests(target: Path, reading: Reading, options: dict[str, Any]) -> Iterator[Draft]:
    """Test runs in a file or folder. Coverage that lies beside them belongs to all of them."""
    paths = (
        [target] if target.is_file() else sorted(p for p in target.rglob("*") if p.suffix in _ENDINGS and p.is_file())
    )
    found: list[tuple[Path, TestRun]] = []
    covered: float | None = None
    for done, path in enumerate(paths, 1):
        try:
            if path.stat().st_size > _MOST_BYTES:
                reading.report.skip("file too large")
                continue
            text = path.read_text("utf-8", "replace")
        except OSError as error:
            reading.report.skip("unreadable file")
            reading.report.errors.append(f"{path}: {error.strerror}")
            continue
        run, share = parse(text), coverage(text)
        covered = share if share is not None else covered
        if run is not None:
            found.append((path, run))
        elif share is None:
            reading.report.skip("no test results")
        reading.progress(done, len(paths))
    for path, run in found:
        yield _draft(path, run, covered, reading, options)


def _draft(path: Path, run: TestRun, covered: float | None, reading: Reading, options: dict[str, Any]) -> Draft:
    at = path.stat().st_mtime_ns // 1000
    payload = {
        "name": run.name or path.stem,
        "tool": run.tool,
        "passed": run.passed,
        "failed": run.failed,
        "skipped": run.skipped,
        "duration": run.duration,
        "coverage": run.coverage if run.coverage is not None else covered,
        "commit": str(options.get("commit") or ""),
        "failures": [
            {"name": f.name, "file": f.file, "message": f.message, "signature": signature(f"{f.name}: {error_of(f.message)}")}
            for f in run.failures
        ],
    }  # fmt: skip
    same = json.dumps([reading.project, payload, at], sort_keys=True)
    key = f"tests:{hashlib.sha256(same.encode('utf-8', 'replace')).hexdigest()}"
    session = str(options.get("session") or "")
    return Draft("test_run_observed", payload, at, session, reading.project, run.tool, key)


def parse(text: str) -> TestRun | None:
    """The test run that a text tells of, in whichever format; None where it tells of none. Never raises."""
    head = text.lstrip()[:1]
    if head == "<":
        return _junit(text)
    if head in "{[":
        return next((run for reader in (_jest, _go, _cargo_json) if (run := _tried(reader, text))), None)
    text = clean(text)
    return next((run for reader in (_pytest, _cargo, _exunit) if (run := _tried(reader, text))), None)


def _tried(reader: Callable[[str], TestRun | None], text: str) -> TestRun | None:
    """Foreign files hold anything: what does not fit the format is not of that format."""
    try:
        return reader(text)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError):
        return None


def _xml(text: str) -> Any:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    try:
        return fromstring(text.encode("utf-8", "replace") if "encoding=" in text[:100] else text)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return None


def _junit(text: str) -> TestRun | None:
    root = _xml(text)
    if root is None or root.tag.rpartition("}")[2] not in ("testsuites", "testsuite"):
        return None
    cases = [case for case in root.iter() if case.tag.rpartition("}")[2] == "testcase"]
    failures, skipped, seconds = [], 0, 0.0
    for case in cases:
        seconds += _number(case.get("time"))
        for child in case:
            kind = child.tag.rpartition("}")[2]
            if kind in ("failure", "error"):
                message = f"{child.get('message') or ''}\n{child.text or ''}".strip()
                name = "::".join(part for part in (case.get("classname"), case.get("name")) if part)
                failures.append(TestFailure(name, case.get("file") or "", message[:_MESSAGE]))
                break
            if kind == "skipped":
                skipped += 1
                break
    seconds = _number(root.get("time")) or seconds
    passed = len(cases) - len(failures) - skipped
    return TestRun("junit", passed, len(failures), skipped, failures, round(seconds, 3), root.get("name") or "")


def _number(text: str | None) -> float:
    try:
        return float((text or "0").replace(",", ""))
    except ValueError:
        return 0.0


def _jest(text: str) -> TestRun | None:
    data = json.loads(text)
    if not isinstance(data, dict) or "numTotalTests" not in data or "testResults" not in data:
        return None
    failures = []
    for suite in data["testResults"]:
        file = str(suite.get("name") or suite.get("testFilePath") or "")
        for case in suite.get("assertionResults", ()):
            if case.get("status") == "failed":
                message = "\n".join(map(str, case.get("failureMessages") or ()))
                failures.append(
                    TestFailure(str(case.get("fullName") or case.get("title")), file, clean(message)[:_MESSAGE])
                )
        if suite.get("status") == "failed" and not suite.get("assertionResults"):  # it did not even load
            failures.append(TestFailure(file, file, clean(str(suite.get("message") or ""))[:_MESSAGE]))
    failed = max(int(data.get("numFailedTests", 0)), len(failures))
    skipped = int(data.get("numPendingTests", 0)) + int(data.get("numTodoTests", 0))
    return TestRun("jest", int(data.get("numPassedTests", 0)), failed, skipped, failures)


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.lstrip().startswith("{"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record


def _go(text: str) -> TestRun | None:
    output: dict[tuple[str, str], list[str]] = {}
    ended: dict[tuple[str, str], str] = {}
    seconds = 0.0
    for record in _lines(text):
        if "Action" not in record:
            continue
        name = (str(record.get("Package", "")), str(record.get("Test", "")))
        if record["Action"] == "output":
            output.setdefault(name, []).append(str(record.get("Output", "")))
        elif record["Action"] in ("pass", "fail", "skip"):
            ended[name] = record["Action"]
            seconds += 0 if name[1] else float(record.get("Elapsed", 0))
    if not ended:
        return None
    tests = {name: how for name, how in ended.items() if name[1]}
    broken = {name for name, how in ended.items() if how == "fail" and not name[1]}
    failures = [_go_failure(name, output) for name, how in tests.items() if how == "fail"]
    blamed = {name[0] for name, how in tests.items() if how == "fail"}
    failures += [_go_failure(name, output) for name in sorted(broken) if name[0] not in blamed]  # did not build
    passed, skipped = (sum(how == wanted for how in tests.values()) for wanted in ("pass", "skip"))
    return TestRun("go", passed, len(failures), skipped, failures, round(seconds, 3), coverage=_go_coverage(output))


def _go_failure(name: tuple[str, str], output: dict[tuple[str, str], list[str]]) -> TestFailure:
    said = [line for line in output.get(name, ()) if not line.lstrip().startswith(("===", "---"))]
    return TestFailure(".".join(filter(None, name)), "", "".join(said).strip()[:_MESSAGE])


def _go_coverage(output: dict[tuple[str, str], list[str]]) -> float | None:
    shares = [
        float(m[1]) for lines in output.values() for line in lines if (m := re.search(r"coverage: ([\d.]+)% of", line))
    ]
    return round(sum(shares) / len(shares), 2) if shares else None


def _cargo_json(text: str) -> TestRun | None:
    records = [record for record in _lines(text) if record.get("type") in ("test", "suite")]
    tests = {r["name"]: r for r in records if r["type"] == "test" and r.get("event") in ("ok", "failed", "ignored")}
    if not tests:
        return None
    failures = [
        TestFailure(n, "", str(r.get("stdout", ""))[:_MESSAGE]) for n, r in tests.items() if r["event"] == "failed"
    ]
    passed, skipped = (sum(r["event"] == wanted for r in tests.values()) for wanted in ("ok", "ignored"))
    return TestRun("cargo", passed, len(failures), skipped, failures)


_CARGO = re.compile(
    r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;.*?(?:finished in ([\d.]+)s)?$", re.M
)
_CARGO_FAILED = re.compile(r"^---- (\S+) stdout ----\n(.*?)(?=^---- |^failures:|\Z)", re.M | re.S)


def _cargo(text: str) -> TestRun | None:
    totals = _CARGO.findall(text)
    if not totals:
        return None
    failures = [TestFailure(name, "", said.strip()[:_MESSAGE]) for name, said in _CARGO_FAILED.findall(text)]
    passed, failed, skipped = (sum(int(total[i]) for total in totals) for i in range(3))
    return TestRun("cargo", passed, failed, skipped, failures, sum(_number(total[3]) for total in totals))


_PYTEST = re.compile(
    r"^(?:=+ )?((?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)(?:, )?)+) in ([\d.]+)s",
    re.M,
)
_PYTEST_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?)(?: - (.*))?$", re.M)
_PYTEST_SAID = re.compile(r"^_{3,} (?:ERROR at \w+ of )?(.+?) _{3,}\n(.*?)(?=^_{3,} |^={3,} |\Z)", re.M | re.S)


def _pytest(text: str) -> TestRun | None:
    total = _PYTEST.search(text)
    if total is None:
        return None
    counts = {word.rstrip("s"): int(number) for number, word in re.findall(r"(\d+) (\w+)", total[1])}
    said = {name.rpartition(".")[2]: body.strip() for name, body in _PYTEST_SAID.findall(text)}
    failures = [
        TestFailure(name, name.partition("::")[0], (said.get(name.rpartition("::")[2]) or short or "")[-_MESSAGE:])
        for name, short in dict(_PYTEST_FAILED.findall(text)).items()
    ]
    failed = counts.get("failed", 0) + counts.get("error", 0)
    covered = re.search(r"^TOTAL\s.*?(\d+(?:\.\d+)?)%\s*$", text, re.M)
    return TestRun("pytest", counts.get("passed", 0) + counts.get("xpassed", 0), failed,
                   counts.get("skipped", 0) + counts.get("xfailed", 0), failures, float(total[2]),
                   coverage=float(covered[1]) if covered else None)  # fmt: skip


_EXUNIT = re.compile(r"^(?:\d+ doctests?, )?(\d+) tests?, (\d+) failures?(?:, (\d+) (?:skipped|excluded))?", re.M)
_EXUNIT_FAILED = re.compile(r"^\s+\d+\) test (.+?)\n\s+(\S+?):\d+\n(.*?)(?=^\s+\d+\) test |^Finished|\Z)", re.M | re.S)


def _exunit(text: str) -> TestRun | None:
    total = _EXUNIT.search(text)
    if total is None:
        return None
    failures = [TestFailure(n, file, said.strip()[:_MESSAGE]) for n, file, said in _EXUNIT_FAILED.findall(text)]
    ran, failed, skipped = int(total[1]), int(total[2]), int(total[3] or 0)
    return TestRun("exunit", max(0, ran - failed - skipped), failed, skipped, failures)


class _Share(NamedTuple):
    """Lines that ran, of how many."""

    hit: float
    of: float


def coverage(text: str) -> float | None:
    """Per cent of lines covered that a report of coverage states; None where it is no such report. Never raises."""
    share = _tried_share(text)
    return round(100 * share.hit / share.of, 2) if share and share.of else None


def _tried_share(text: str) -> _Share | None:
    head = text.lstrip()[:1]
    if head == "<":
        root = _xml(text)
        rate = root.get("line-rate") if root is not None and root.tag == "coverage" else None
        return _Share(_number(rate), 1.0) if rate else None
    if head == "{":
        try:
            data = json.loads(text)
        except ValueError:
            return None
        totals = (data.get("totals") or data.get("total")) if isinstance(data, dict) else None
        if not isinstance(totals, dict):
            return None
        percent = totals.get(
            "percent_covered", (totals.get("lines") or {}).get("pct") if isinstance(totals.get("lines"), dict) else None
        )
        return _Share(float(percent), 100.0) if isinstance(percent, int | float) else None
    hit, of = (sum(map(int, re.findall(rf"^{name}:(\d{{1,9}})$", text, re.M))) for name in ("LH", "LF"))
    return _Share(hit, of) if of else None
