"""Parses machine-readable test results: JUnit XML, and JSON of `go test`, cargo, jest and vitest. Text output is parsed
in `testtexts`, coverage in `coverage`. It runs nothing."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphmem.extract import testtexts
from graphmem.extract.coverage import read_coverage
from graphmem.extract.markup import parse_xml
from graphmem.extract.reading import Reading
from graphmem.extract.terminal import clean_output, error_of, failure_signature, place_of
from graphmem.extract.testtexts import failure_excerpt
from graphmem.foreignfiles import TOO_LARGE, TooLarge, read_file, walk_files
from graphmem.model.bounds import amount, count
from graphmem.model.events import Draft
from graphmem.model.sources import TestFailure, TestRun
from graphmem.privacy import strip_private_sections

ENDINGS = frozenset({".xml", ".json", ".jsonl", ".txt", ".log", ".out", ".info", ".lcov"})
MOST_BYTES = 20_000_000


def find_reports(target: Path) -> list[Path]:
    """Return the files in a folder that may contain test results, or the single file."""
    if target.is_file():
        return [target]
    return sorted(walk_files(target, wanted=lambda name: name.endswith(tuple(ENDINGS))))


def read_tests(paths: Sequence[Path], reading: Reading, options: Mapping[str, Any]) -> Iterator[Draft]:
    """Yield test runs in files. Coverage reports next to them apply to all of them."""
    found: list[tuple[Path, TestRun]] = []
    covered: float | None = None
    for done, path in enumerate(paths, 1):
        try:
            text = read_file(path, MOST_BYTES, follow=True).decode("utf-8", "replace")
        except OSError as error:
            reading.report.skip(TOO_LARGE if isinstance(error, TooLarge) else "unreadable file")
            reading.report.errors.append(f"{path}: {error.strerror}")
            continue
        run, share = parse_report(text), read_coverage(text)
        covered = share if share is not None else covered
        if run is not None:
            found.append((path, run))
        elif share is None:
            reading.report.skip("no test results")
        reading.progress(done, len(paths))
    for path, run in found:
        yield _draft(path, run, covered, reading, options)


def _draft(path: Path, run: TestRun, covered: float | None, reading: Reading, options: Mapping[str, Any]) -> Draft:
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
            {"name": f.name, "file": _file(f, path), "message": f.message,
             "signature": failure_signature(f"{f.name}: {error_of(f.message)}")}
            for f in run.failures
        ],
    }  # fmt: skip
    same = json.dumps([reading.project, payload, at], sort_keys=True)
    key = f"tests:{hashlib.sha256(same.encode('utf-8', 'replace')).hexdigest()}"
    session = str(options.get("session") or "")
    return Draft("test_run_observed", payload, at, session, reading.project, run.tool, key)


def _file(failure: TestFailure, report: Path) -> str:
    """Return the file of a failed test from its report or message, relative to the repository of the report."""
    file = failure.file or place_of(failure.message, error_of(failure.message))[0]
    if Path(file).is_absolute():
        for root in (root for root in report.resolve().parents if (root / ".git").exists()):
            return Path(file).relative_to(root).as_posix() if Path(file).is_relative_to(root) else file
    return file.removeprefix("./")


def parse_report(text: str) -> TestRun | None:
    """Return the test run in a text of any supported format; None if there is none. Never raises."""
    head = text.lstrip()[:1]
    if head == "<":
        return _junit(text)
    if head in "{[":
        return next((run for reader in (_jest, _go, _cargo_json) if (run := _try_parser(reader, text))), None)
    text = strip_private_sections(clean_output(text))
    return next((run for reader in testtexts.READERS if (run := _try_parser(reader, text))), None)


def _try_parser(reader: Callable[[str], TestRun | None], text: str) -> TestRun | None:
    """Run a parser; any exception means another format."""
    try:
        return reader(text)
    except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, RecursionError):
        return None


def _junit(text: str) -> TestRun | None:
    root = parse_xml(text)
    if root is None or _tag(root) not in ("testsuites", "testsuite"):
        return None
    cases = [case for case in root.iter() if _tag(case) == "testcase"]
    failures, skipped, seconds = [], 0, 0.0
    for case in cases:
        seconds += _number(case.get("time"))
        told = {_tag(child): child for child in reversed(case)}
        if told.keys() & {"failure", "error"}:
            failures.append(_junit_failure(case, told))
        elif "skipped" in told:
            skipped += 1
    seconds = _number(root.get("time")) or seconds
    passed = len(cases) - len(failures) - skipped
    return TestRun("junit", passed, len(failures), skipped, failures, round(seconds, 3), root.get("name") or "")


def _tag(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _junit_failure(case: Any, told: dict[str, Any]) -> TestFailure:
    """Return the failure text; some runners leave it empty and put it into the test's output."""
    failure = told["failure" if "failure" in told else "error"]
    message = f"{failure.get('message') or ''}\n{failure.text or ''}".strip()
    if not message:
        message = "\n".join((told[name].text or "").strip() for name in ("system-out", "system-err") if name in told)
    group, name = case.get("classname") or "", case.get("name") or ""
    file = case.get("file") or (group if re.fullmatch(r"[\w@./-]+\.[cm]?[jt]sx?", group) else "")
    return TestFailure("::".join(dict.fromkeys(filter(None, (group, name)))), file, failure_excerpt(message))


def _number(text: str | None) -> float:
    return amount((text or "0").replace(",", ""))


def _jest(text: str) -> TestRun | None:
    data = json.loads(text)
    if not isinstance(data, dict) or "numTotalTests" not in data or "testResults" not in data:
        return None
    failures, seconds = [], 0.0
    for suite in data["testResults"]:
        file = str(suite.get("name") or suite.get("testFilePath") or "")
        seconds += amount(amount(suite.get("endTime")) - amount(suite.get("startTime"))) / 1_000
        for case in suite.get("assertionResults", ()):
            if case.get("status") == "failed":
                message = "\n".join(map(str, case.get("failureMessages") or ()))
                failures.append(
                    TestFailure(
                        str(case.get("fullName") or case.get("title")), file, failure_excerpt(clean_output(message))
                    )
                )
        if suite.get("status") == "failed" and not suite.get("assertionResults"):  # loading failed
            failures.append(
                TestFailure(Path(file).name, file, failure_excerpt(clean_output(str(suite.get("message") or ""))))
            )
    failed = max(count(data.get("numFailedTests", 0)), len(failures))
    skipped = count(data.get("numPendingTests", 0)) + count(data.get("numTodoTests", 0))
    tool = "jest" if "numRuntimeErrorTestSuites" in data else "vitest"
    return TestRun(tool, count(data.get("numPassedTests", 0)), failed, skipped, failures, round(seconds, 3))


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if line.lstrip().startswith("{"):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(record, dict):
                yield record


def _go(text: str) -> TestRun | None:
    output: dict[tuple[str, str], list[str]] = {}
    ended: dict[tuple[str, str], str] = {}
    built: dict[str, str] = {}  # package -> failed build
    seconds = 0.0
    for record in _lines(text):
        if "Action" not in record:
            continue
        name = (str(record.get("Package") or record.get("ImportPath") or ""), str(record.get("Test", "")))
        if record["Action"] in ("output", "build-output"):
            output.setdefault(name, []).append(str(record.get("Output", "")))
        elif record["Action"] in ("pass", "fail", "skip"):
            ended[name] = record["Action"]
            built[name[0]] = str(record.get("FailedBuild") or built.get(name[0], name[0]))
            seconds += 0 if name[1] else amount(record.get("Elapsed", 0))
    if not ended:
        return None
    tests = {name: how for name, how in ended.items() if name[1]}
    failed = {name for name, how in tests.items() if how == "fail"}
    parents = {(package, test.rpartition("/")[0]) for package, test in failed}  # fails because its subtests fail
    failures = [_go_failure(name, output) for name in tests if name in failed - parents]
    broken = sorted(name for name, how in ended.items() if how == "fail" and not name[1])
    blamed = {package for package, _ in failed}
    failures += [
        _go_failure((package, ""), {(package, ""): output.get((built[package], ""), [])})
        for package, _ in broken if package not in blamed  # build failed
    ]  # fmt: skip
    passed, skipped = (sum(how == wanted for how in tests.values()) for wanted in ("pass", "skip"))
    return TestRun("go", passed, len(failures), skipped, failures, round(seconds, 3), coverage=_go_coverage(output))


def _go_failure(name: tuple[str, str], output: dict[tuple[str, str], list[str]]) -> TestFailure:
    lines = [line for line in output.get(name, ()) if not line.lstrip().startswith(("===", "---", "FAIL", "# "))]
    return TestFailure(".".join(filter(None, name)), "", failure_excerpt("".join(lines).strip()))


def _go_coverage(output: dict[tuple[str, str], list[str]]) -> float | None:
    shares = [
        amount(m[1]) for lines in output.values() for line in lines if (m := re.search(r"coverage: ([\d.]+)% of", line))
    ]
    return round(sum(shares) / len(shares), 2) if shares else None


def _cargo_json(text: str) -> TestRun | None:
    records = [record for record in _lines(text) if record.get("type") in ("test", "suite")]
    tests = {r["name"]: r for r in records if r["type"] == "test" and r.get("event") in ("ok", "failed", "ignored")}
    if not tests:
        return None
    failures = [
        TestFailure(n, "", failure_excerpt(str(r.get("stdout", ""))))
        for n, r in tests.items()
        if r["event"] == "failed"
    ]
    passed, skipped = (sum(r["event"] == wanted for r in tests.values()) for wanted in ("ok", "ignored"))
    return TestRun("cargo", passed, len(failures), skipped, failures)
