"""Runs one rival: `python runner.py NAME < input.json > output.json`. Needs only the standard library and the rival.

Input: `{"cases": [{"documents": [[ref, text], …], "queries": [text, …]}, …], "k": 10}`. Output: `{"version", "fill_s", "hits": one
list of refs for each query, "ms": one time for each query}`, or `{"failed": sentence}`."""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import runpy
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def run_rival(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the output for one input. A rival that is missing, has another version than the pinned one, or fails is a failure."""
    path = Path(__file__).with_name(f"rival_{name}.py")
    package, pinned = pin_of(path)
    try:
        installed = importlib.metadata.version(package) if package else ".".join(map(str, sys.version_info[:3]))
    except importlib.metadata.PackageNotFoundError:
        return {"failed": f"not installed: pip install {package}=={pinned}"}
    if package and installed != pinned:
        return {"failed": f"{package} {installed} is installed instead of {pinned}"}
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


def pin_of(path: Path) -> tuple[str, str]:
    """Return the package of an adapter and its pinned version, from its line `# pip: PACKAGE==VERSION`; empty if it needs none."""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("# pip: "):
            package, _, version = line.removeprefix("# pip: ").strip().partition("==")
            return package, version
    return "", ""


if __name__ == "__main__":
    request = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):  # some rivals print
        answer = run_rival(sys.argv[1], request)
    json.dump(answer, sys.stdout)
