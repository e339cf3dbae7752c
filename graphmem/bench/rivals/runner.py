"""Runs one rival: `python runner.py NAME < input.json > output.json`. Needs only the standard library and the rival.

Input: `{"cases": [{"documents": [[ref, text], …], "queries": [text, …]}, …], "k": 10}`. Output: `{"version", "fill_s", "hits": one
list of refs for each query, "ms": one time for each query}`, or `{"failed": sentence}`."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import runpy
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def run_rival(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the output for one input. A rival that is missing, has another version than the pinned one, or fails is a failure."""
    path = Path(__file__).with_name(f"rival_{name}.py")
    pins = pins_of(path)
    installed = ""
    for package, pinned in reversed(pins):  # the first one is the rival itself
        try:
            installed = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return {"failed": f"not installed: pip install {' '.join(map('=='.join, pins))}"}
        if installed != pinned:
            return {"failed": f"{package} {installed} is installed instead of {pinned}"}
    installed = installed or ".".join(map(str, sys.version_info[:3]))
    try:
        build = runpy.run_path(str(path))["build"]
        hits, times, fill = [], [], 0.0
        for case in given["cases"]:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                started = time.perf_counter()
                search = build([tuple(one) for one in case["documents"]], folder)
                fill += time.perf_counter() - started
                for query in case["queries"]:
                    started = time.perf_counter()
                    hits.append([str(ref) for ref in search(query, given["k"])])
                    times.append((time.perf_counter() - started) * 1_000)
    except Exception as error:  # noqa: BLE001 (a failure is a result)
        return {"failed": f"{type(error).__name__}: {' '.join(str(error).split())[:200]}", "version": installed}
    return {"version": installed, "fill_s": round(fill, 2), "hits": hits, "ms": times}


def pins_of(path: Path) -> list[tuple[str, str]]:
    """Return the packages of an adapter and their pinned versions, from its line `# pip: PACKAGE==VERSION …`; none if it needs
    only Python."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("# pip: "):
            pins = (pin.partition("==") for pin in line.removeprefix("# pip: ").split())
            return [(package, version) for package, _, version in pins]
    return []


if __name__ == "__main__":
    request = json.load(sys.stdin)
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as output:
        os.dup2(2, 1)  # some rivals print, others take standard output for themselves
        with contextlib.redirect_stdout(sys.stderr):
            answer = run_rival(sys.argv[1], request)
        json.dump(answer, output)
    os._exit(0)  # the threads of some rivals never end
