"""Compiles the Python front end of the code graph to C with mypyc while the package is built: it then takes two thirds of
the processor time. Where that is not possible (no C compiler, no headers of Python) the package is built without, and the
same sources are interpreted. `GRAPHMEM_COMPILE=0` in the environment builds without, too."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "graphmem/codegraph/python"
_TYPES = ("graphmem/codegraph/records.py", "graphmem/model/code.py")  # of others that it takes: mypyc reads them
_INTERPRETED = ("kinds.py", "values.py")  # values derive from float, which no native class can
_FOLDER = f"{PACKAGE}/compiled"
_LIMIT = 900  # seconds

_SCRIPT = """
import sys
from mypyc.build import mypycify
from setuptools import setup

package, *modules = sys.argv[1:]
options = ["--ignore-missing-imports", "--no-warn-unused-ignores", "--python-version", "%d.%d" % sys.version_info[:2]]
extensions = mypycify([*options, *modules], opt_level="2", debug_level="0", group_name=f"{package}.native")
setup(name="compiled", packages=[], ext_modules=extensions, script_args=["-q", "build_ext", "--build-lib", "built"])
"""


class CompileHook(BuildHookInterface):  # type: ignore[type-arg]
    """Run by hatchling before it collects the files of a wheel, also of an editable one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Puts the compiled modules beside their sources, and marks the wheel as one for this platform."""
        made = Path(self.root) / _FOLDER
        shutil.rmtree(made, ignore_errors=True)
        if self.target_name != "wheel" or os.environ.get("GRAPHMEM_COMPILE") == "0":
            return
        try:
            compile_package(Path(self.root))
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stdout", "") or str(error)).strip()
            made.mkdir(exist_ok=True)
            (made / "failed.txt").write_text(said, "utf-8")
            self.app.display_warning(f"graphmem is built without compiled modules, and is slower: {said[-200:]}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def compile_package(root: Path) -> None:
    """Compiles the package. Raises OSError or SubprocessError where it cannot be done; `stdout` of the latter says why."""
    with tempfile.TemporaryDirectory(prefix="graphmem-build-") as folder:
        build = Path(folder)
        own = sorted(p.relative_to(root).as_posix() for p in (root / PACKAGE).glob("[!_]*.py"))
        sources = [*own, *_TYPES]
        for source in sources:
            for parent in Path(source).parents[:-1]:
                (build / parent).mkdir(exist_ok=True, parents=True)
                (build / parent / "__init__.py").touch()
            shutil.copy(root / source, build / source)
        modules = [source for source in own if not source.endswith(_INTERPRETED)]
        command = [sys.executable, "-c", _SCRIPT, PACKAGE.replace("/", "."), *modules]
        told = subprocess.STDOUT  # mypy complains there, the C compiler here
        subprocess.run(command, cwd=build, check=True, stdout=subprocess.PIPE, stderr=told, text=True, timeout=_LIMIT)
        made = root / _FOLDER
        made.mkdir()
        for library in (build / "built" / PACKAGE).iterdir():
            shutil.copy(library, made)
        sizes = {library.name: library.stat().st_size for library in made.iterdir()}
        digests = {source: hashlib.sha256((root / source).read_bytes()).hexdigest() for source in sources}
        (made / "sources.json").write_text(json.dumps({"sources": digests, "sizes": sizes}, indent=1))


if __name__ == "__main__":
    shutil.rmtree(_FOLDER, ignore_errors=True)
    try:
        compile_package(Path.cwd())
    except subprocess.CalledProcessError as refused:
        sys.exit(refused.stdout)
