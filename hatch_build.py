"""Compiles the innermost parts of the code graph to C with mypyc while the package is built, which makes indexing half as
fast again. Where that is not possible (no C compiler, no headers of Python) the package is built without, and the same
sources are interpreted. `GRAPHMEM_COMPILE=0` in the environment builds without, too."""

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

# The packages that are compiled, each with what it takes from others: mypyc reads the types of these.
PACKAGES = {"graphmem/codegraph/python": ("graphmem/codegraph/records.py", "graphmem/model/code.py")}
_INTERPRETED = ("values.py",)  # values derive from float, which no native class can
_FOLDER = "compiled"
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
        root = Path(self.root)
        for package in PACKAGES:
            shutil.rmtree(root / package / _FOLDER, ignore_errors=True)
        if self.target_name != "wheel" or os.environ.get("GRAPHMEM_COMPILE") == "0":
            return
        try:
            for package in PACKAGES:
                compile_package(root, package)
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stderr", "") or str(error)).strip()
            (root / package / _FOLDER).mkdir(exist_ok=True)
            (root / package / _FOLDER / "failed.txt").write_text(said, "utf-8")
            self.app.display_warning(f"graphmem is built without compiled modules, and is slower: {said[-200:]}")
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def compile_package(root: Path, package: str) -> None:
    """Compiles one package. Raises OSError or SubprocessError where it cannot be done."""
    with tempfile.TemporaryDirectory(prefix="graphmem-build-") as folder:
        build = Path(folder)
        own = sorted(p.relative_to(root).as_posix() for p in (root / package).glob("[!_]*.py"))
        sources = [*own, *PACKAGES[package]]
        for source in sources:
            for parent in Path(source).parents[:-1]:
                (build / parent).mkdir(exist_ok=True, parents=True)
                (build / parent / "__init__.py").touch()
            shutil.copy(root / source, build / source)
        modules = [source for source in own if not source.endswith(_INTERPRETED)]
        command = [sys.executable, "-c", _SCRIPT, package.replace("/", "."), *modules]
        subprocess.run(command, cwd=build, check=True, capture_output=True, text=True, timeout=_LIMIT)
        made = root / package / _FOLDER
        made.mkdir()
        for library in (build / "built" / package).iterdir():
            shutil.copy(library, made)
        sizes = {library.name: library.stat().st_size for library in made.iterdir()}
        digests = {source: hashlib.sha256((root / source).read_bytes()).hexdigest() for source in sources}
        (made / "sources.json").write_text(json.dumps({"sources": digests, "sizes": sizes}, indent=1))


if __name__ == "__main__":
    for name in PACKAGES:
        shutil.rmtree(Path(name) / _FOLDER, ignore_errors=True)
        try:
            compile_package(Path.cwd(), name)
        except subprocess.CalledProcessError as refused:
            sys.exit(refused.stderr)
