"""The command that runs tests: the usual one of their language, for few tests with their names or titles."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress

from graphmem.code.source_text import read_source
from graphmem.codegraph.records import external_key
from graphmem.codegraph.view import FUNCTIONS, View, of_type
from graphmem.model.code import Symbol

_NAMED = 12  # tests that a command names; of more, it runs all of the package
_TITLES = 3  # titles that a command names; of more, it runs their files
_SCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_RUNNERS = {  # module that the tests of a file import, and its command; without titles, then what comes before one
    "vitest": ("npx vitest run", "-t"),
    "@jest/globals": ("npx jest", "-t"),
    "jest": ("npx jest", "-t"),
    "bun:test": ("bun test", "-t"),
    "test": ("node --test", "--test-name-pattern"),  # node:test
    "mocha": ("npx mocha", "-g"),
    "@playwright/test": ("npx playwright test", "-g"),
    "ava": ("npx ava", ""),
}
_NPM = ("npm test --", "")


def test_command(view: View, files: tuple[str, ...], tests: Sequence[Symbol]) -> str:
    """Return the command that runs these tests, if the language has a standard one."""
    if not files:
        return ""
    if all(file.endswith(".py") for file in files):
        return f"pytest {_quoted(_paths(files))}"
    if all(file.endswith(".go") for file in files):
        return _of_go(files, tests)
    if all(file.endswith(".rs") for file in files):
        names = list(dict.fromkeys(test.name for test in tests if test.kind in FUNCTIONS))
        return " ".join(["cargo test --", *names]) if len(names) <= _NAMED else "cargo test"
    if all(_SCRIPT.search(file) for file in files):
        return _of_scripts(view, files, tests)
    if all(file.endswith(".rb") for file in files):
        return _of_ruby(files, tests)
    return ""


def _of_go(files: tuple[str, ...], tests: Sequence[Symbol]) -> str:
    folders = dict.fromkeys(f"./{file.rpartition('/')[0]}".rstrip("/") for file in files)
    whole = [re.search(r"(?:^|\.)(Test\w*)", test.qualified_name) for test in tests]
    names = list(dict.fromkeys(found[1] for found in whole if found))
    command = f"go test {_quoted(list(folders))}"
    if len(tests) == 1 and tests[0].has_title and names:
        parts = tests[0].qualified_name.rpartition(f".{names[0]} > ")[2].split(" > ")
        inner = "/".join(f"^{re.escape(part.replace(' ', '_'))}$" for part in parts)
        return f"{command} -run {shlex.quote(f'^{names[0]}$/{inner}')}"
    return command + (f" -run '^({'|'.join(names)})$'" if 1 <= len(names) <= _NAMED else "")


def _of_ruby(files: tuple[str, ...], tests: Sequence[Symbol]) -> str:
    titled = [test for test in tests if test.has_title]
    few = titled if titled and len(titled) == len(tests) <= _TITLES else []
    if all(file.endswith("_test.rb") for file in files):
        if len(files) > 1:
            return "ruby -Itest -e 'ARGV.each { require File.expand_path(_1) }' " + _quoted(files)
        pattern = "|".join(re.sub(r"\W+", ".+", test.name) for test in few)
        return f"ruby -Itest {_quoted(files)}" + (f" -n {shlex.quote(f'/{pattern}/')}" if pattern else "")
    places = [f"{test.file}:{test.line}" for test in few]
    return "bundle exec rspec " + _quoted(places or _paths(files))


def _of_scripts(view: View, files: tuple[str, ...], tests: Sequence[Symbol]) -> str:
    command, option = _runner(view, files[0])
    paths = _quoted(_paths(files))
    titles = list(dict.fromkeys(test.name for test in tests if test.has_title))
    if not option or not 1 <= len(titles) <= _TITLES or any("${" in title or "%" in title for title in titles):
        return f"{command} {paths}"
    said = shlex.quote("|".join(re.escape(title).replace("\\ ", " ") for title in titles))
    return f"{command} {option} {said} {paths}" if command.startswith("node") else f"{command} {paths} {option} {said}"


def _runner(view: View, file: str) -> tuple[str, str]:
    """Return the command of the framework that a test file imports, or that the nearest package uses; else npm's."""
    modules = (symbol for symbol in view.by_file.get(file, ())[:1] if symbol.kind == "module")
    for edge in (edge for module in modules for edge in of_type(view.outgoing.get(module.key, []), "IMPORTS")):
        for name, runner in _RUNNERS.items():
            if f"{edge.target}.".startswith(f"{external_key(name.replace('/', '.'))}."):
                return runner
    folder = file
    while folder:
        folder = folder.rpartition("/")[0]
        with suppress(OSError, ValueError, AttributeError, TypeError):
            said = json.loads(read_source(view.index, f"{folder}/package.json".lstrip("/")))
            used = {**said.get("devDependencies", {}), **said.get("dependencies", {})}
            found = next((_RUNNERS[name] for name in _RUNNERS if name in used), None)
            if found is not None:
                return found
    return _NPM


def _quoted(paths: Sequence[str]) -> str:
    """Return paths of a repository, whose names strangers chose, as words of a shell that are no options."""
    return " ".join(shlex.quote(f"./{path}" if path.startswith("-") else path) for path in paths)


def _paths(files: Sequence[str]) -> Sequence[str]:
    """Return the files of a command, or of many their outermost folders, which run some tests more."""
    if len(files) <= _NAMED:
        return files
    folders = sorted({file.rpartition("/")[0] or "." for file in files})
    outer = [each for each in folders if not any(each.startswith(f"{other}/") for other in folders)]
    return ["."] if "." in outer else outer
