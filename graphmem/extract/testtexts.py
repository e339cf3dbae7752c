"""Parses the text output of test runners: pytest, cargo, go, jest, vitest, ExUnit. Each parser returns None for text of
another runner. Machine-readable reports are parsed in `testruns`."""

from __future__ import annotations

import re

from graphmem.model.bounds import amount, count
from graphmem.model.sources import TestFailure, TestRun
from graphmem.patterns import compile_later
from graphmem.privacy import strip_private_sections

MESSAGE = 2_000  # stored characters of a failure message

_CARGO = compile_later(
    r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;.*?(?:finished in ([\d.]+)s)?$", re.M
)
_CARGO_FAILED = compile_later(r"^---- (\S+) stdout ----\n(.*?)(?=^---- |^failures:|\Z)", re.M | re.S)


def cargo(text: str) -> TestRun | None:
    """Parse `cargo test` output, with one total per target."""
    totals = _CARGO.findall(text)
    if not totals:
        return None
    failures = [TestFailure(name, "", said.strip()[:MESSAGE]) for name, said in _CARGO_FAILED.findall(text)]
    passed, failed, skipped = (sum(count(total[i]) for total in totals) for i in range(3))
    return TestRun("cargo", passed, failed, skipped, failures, sum(amount(total[3] or 0) for total in totals))


_PYTEST = compile_later(
    r"^(?:=+ )?((?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)(?:, )?)+) in ([\d.]+)s",
    re.M,
)
_PYTEST_FAILED = compile_later(r"^(?:FAILED|ERROR) (\S+?)(?: - (.*))?$", re.M)
_PYTEST_SAID = compile_later(r"^_{3,} (?:ERROR at \w+ of )?(.+?) _{3,}\n(.*?)(?=^_{3,} |^={3,} |\Z)", re.M | re.S)


def pytest(text: str) -> TestRun | None:
    """Parse pytest output, including pytest-cov's total."""
    total = _PYTEST.search(text)
    if total is None:
        return None
    counts = {word.rstrip("s"): count(number) for number, word in re.findall(r"(\d+) (\w+)", total[1])}
    said = {name.rpartition(".")[2]: body.strip() for name, body in _PYTEST_SAID.findall(text)}
    failures = [
        TestFailure(name, name.partition("::")[0], (said.get(name.rpartition("::")[2]) or short or "")[-MESSAGE:])
        for name, short in dict(_PYTEST_FAILED.findall(text)).items()
    ]
    failed = counts.get("failed", 0) + counts.get("error", 0)
    covered = re.search(r"^TOTAL\s.*?(\d+(?:\.\d+)?)%\s*$", text, re.M)
    return TestRun("pytest", counts.get("passed", 0) + counts.get("xpassed", 0), failed,
                   counts.get("skipped", 0) + counts.get("xfailed", 0), failures, amount(total[2]),
                   coverage=amount(covered[1]) if covered else None)  # fmt: skip


_EXUNIT = compile_later(r"^(?:\d+ doctests?, )?(\d+) tests?, (\d+) failures?(?:, (\d+) (?:skipped|excluded))?", re.M)
_EXUNIT_FAILED = compile_later(
    r"^\s+\d+\) test (.+?)\n\s+(\S+?):\d+\n(.*?)(?=^\s+\d+\) test |^Finished|\Z)", re.M | re.S
)


def exunit(text: str) -> TestRun | None:
    """Parse `mix test` output."""
    total = _EXUNIT.search(text)
    if total is None:
        return None
    failures = [TestFailure(n, file, said.strip()[:MESSAGE]) for n, file, said in _EXUNIT_FAILED.findall(text)]
    ran, failed, skipped = count(total[1]), count(total[2]), count(total[3] or "0")
    return TestRun("exunit", max(0, ran - failed - skipped), failed, skipped, failures)


_GO_ENDED = compile_later(r"^ *--- (?P<how>PASS|FAIL|SKIP): (?P<name>\S+) \([\d.]+s\)$", re.M)
_GO_PACKAGE = compile_later(r"^(?:ok  |FAIL|---)\s*\t(?P<name>\S+)(?:\t(?P<s>[\d.]+)s)?(?: \[(?P<why>[^\]]+)\])?", re.M)
_GO_COVERED = compile_later(r"coverage: ([\d.]+)% of")
_GO_LINE = compile_later(r"^(?:=== |\s*--- |FAIL|PASS|ok  )")


def go(text: str) -> TestRun | None:
    """Parse `go test` output. Passed tests are only listed with -v; a package that did not build is a failure."""
    packages = list(_GO_PACKAGE.finditer(text))
    if not packages:
        return None
    passed = skipped = 0
    failures = []
    for ended in _GO_ENDED.finditer(text):
        passed, skipped = passed + (ended["how"] == "PASS"), skipped + (ended["how"] == "SKIP")
        if ended["how"] == "FAIL" and not re.search(rf"--- FAIL: {re.escape(ended['name'])}/", text):
            failures.append(TestFailure(ended["name"], "", _go_test_output(text, ended)))
    for package in packages:
        if package["why"] in ("build failed", "setup failed"):
            said = re.search(rf"^# {re.escape(package['name'])}\b.*\n((?:(?!# |===|ok  |FAIL|---).+\n)+)", text, re.M)
            failures.append(TestFailure(package["name"], "", said[1].strip()[:MESSAGE] if said else package["why"]))
    shares = list(map(float, _GO_COVERED.findall(text)))
    return TestRun("go", passed, len(failures), skipped, failures, sum(float(p["s"] or 0) for p in packages),
                   coverage=round(sum(shares) / len(shares), 2) if shares else None)  # fmt: skip


def _go_test_output(text: str, ended: re.Match[str]) -> str:
    """Return the output of a test: with -v between its start and end, otherwise below its end."""
    start = text.rfind(f"=== RUN   {ended['name']}\n", 0, ended.start())
    above = text[start : ended.start()] if start >= 0 else ""
    below = text[ended.end() : ended.end() + 2 * MESSAGE].split("\n--- ")[0].split("\n=== ")[0]
    said = [line for line in f"{above}\n{below}".splitlines() if line.strip() and not _GO_LINE.match(line)]
    return "\n".join(said).strip()[:MESSAGE]


_JEST = compile_later(r"^Tests: +((?:\d+ \w+, )*\d+ total)$", re.M)
_VITEST = compile_later(r"^ *Tests  (?:(\d+ \w+(?: \| \d+ \w+)*) \(\d+\)|no tests)$", re.M)
_TOOK = compile_later(r"^ *(?:Time: +|Duration  )([\d.]+) ?(m?s)\b", re.M)
_JEST_FAILED = compile_later(r"^  ● (?P<name>.+?)\n(?P<said>(?:\n|    .*\n)+)", re.M)
_JEST_FILE = compile_later(r"^ ?(?:FAIL|PASS) +(?:\S+ )?(?P<file>\S+\.\w+)(?: \([\d.]+ m?s\))?$", re.M)
_VITEST_FAILED = compile_later(
    r"^ FAIL  (?P<file>\S+)(?: > (?P<name>.+?)| \[.*\])?\n(?P<said>.*?)(?=^ FAIL  |^⎯{8,})", re.M | re.S
)


def jest(text: str) -> TestRun | None:
    """Parse the output of jest's default reporter."""
    total = _JEST.search(text)
    if total is None:
        return None
    files = [(match.start(), match["file"].removeprefix("./")) for match in _JEST_FILE.finditer(text)]
    failures: dict[str, TestFailure] = {}
    for match in _JEST_FAILED.finditer(text):  # repeated below if there are many
        file = next((file for at, file in reversed(files) if at < match.start()), "")
        name = file if match["name"].startswith("Test suite failed") else match["name"].replace(" › ", " ")
        failures.setdefault(name, TestFailure(name, file, match["said"].strip()[:MESSAGE]))
    return _counted("jest", total[1], text, list(failures.values()))


def vitest(text: str) -> TestRun | None:
    """Parse the output of vitest's default reporter."""
    total = _VITEST.search(text)
    if total is None:
        return None
    found = list(_VITEST_FAILED.finditer(text))
    failures = [
        TestFailure((m["name"] or m["file"]).replace(" > ", " "), m["file"], m["said"].strip()[:MESSAGE]) for m in found
    ]
    return _counted("vitest", total[1] or "", text, failures)


def _counted(tool: str, total: str, text: str, failures: list[TestFailure]) -> TestRun:
    counts = {word: count(number) for number, word in re.findall(r"(\d+) (\w+)", total)}
    took = _TOOK.search(text)
    seconds = amount(took[1]) / (1_000 if took[2] == "ms" else 1) if took else 0.0
    return TestRun(tool, counts.get("passed", 0), max(counts.get("failed", 0), len(failures)),
                   counts.get("skipped", 0) + counts.get("todo", 0), failures, seconds)  # fmt: skip


def failure_excerpt(text: str) -> str:
    """Return the stored part of a failure message."""
    return strip_private_sections(text)[:MESSAGE]


READERS = (pytest, cargo, go, jest, vitest, exunit)
