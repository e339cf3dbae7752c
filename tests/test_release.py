"""A release can be trusted: two builds are byte-identical, SBOM and licence report can be made, and versions have dates."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from graphmem.resources import VERSION

ROOT = Path(__file__).parent.parent
# Permissive, or like the MPL without effect on what only uses the package. Parts of the names that packages give.
LICENCES = (
    "MIT", "BSD", "Apache", "ISC", "PSF", "Python Software Foundation", "Mozilla Public License 2.0", "MPL-2.0", "Zlib", "CC0", "0BSD",
)  # fmt: skip
has_cyclonedx = importlib.util.find_spec("cyclonedx_py") is not None
has_licences = importlib.util.find_spec("piplicenses") is not None


def build(folder: Path, umask: int) -> dict[str, bytes]:
    """Build wheel and sdist of a copy of what git tracks; return their names and bytes."""
    names = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    copy = folder / "copy"
    before = os.umask(umask)
    try:
        for name in filter(None, names.stdout.split("\0")):
            if (ROOT / name).is_file():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, copy / name)
                (copy / name).chmod((0o777 if os.access(ROOT / name, os.X_OK) else 0o666) & ~umask)
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", str(folder / "dist")], cwd=copy, check=True, capture_output=True,
            env={**os.environ, "GRAPHMEM_COMPILE": "0"},
        )  # fmt: skip
    finally:
        os.umask(before)
    return {path.name: path.read_bytes() for path in sorted((folder / "dist").iterdir())}


@pytest.mark.deep
def test_two_builds_are_byte_identical(tmp_path: Path) -> None:
    first, second = build(tmp_path / "a", 0o022), build(tmp_path / "other" / "longer", 0o077)
    assert [*first] == [f"graphmem-{VERSION}-py3-none-any.whl", f"graphmem-{VERSION}.tar.gz"]
    assert first == second


def test_versions_are_numbered_and_dated_newest_first() -> None:
    found = re.findall(r"^## (\S+) - (\d{4}-\d\d-\d\d)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert found[0][0] == VERSION
    assert found == sorted(found, key=lambda one: (one[1], [int(part) for part in one[0].split(".")]), reverse=True)


def runtime_packages() -> set[str]:
    """The names of all packages that the installation of graphmem brings."""
    found: set[str] = set()
    waiting = ["graphmem"]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        found.add(name)
        required = [Requirement(line) for line in metadata.requires(name) or ()]
        waiting += [one.name for one in required if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


@pytest.mark.skipif(not has_licences, reason="the extra `release` is not installed: pip install -e '.[release]'")
def test_every_dependency_has_a_permissive_licence() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "piplicenses", "--from=mixed", "--format=json", "--python", sys.executable],
        capture_output=True,
        text=True,
        check=True,
    )
    names = runtime_packages()
    found = {one["Name"].lower().replace("_", "-").replace(".", "-"): one["License"] for one in json.loads(done.stdout)}
    known = {name: licence for name, licence in found.items() if name in names}
    assert len(known) >= 100
    assert not {name: licence for name, licence in known.items() if not any(part in licence for part in LICENCES)}


@pytest.mark.deep
@pytest.mark.skipif(not has_cyclonedx, reason="the extra `release` is not installed: pip install -e '.[release]'")
def test_the_bill_of_materials_names_every_dependency_with_its_version(tmp_path: Path) -> None:
    target = tmp_path / "sbom.json"
    subprocess.run(
        [sys.executable, "-m", "cyclonedx_py", "environment", sys.executable, "--pyproject", str(ROOT / "pyproject.toml"), "--of", "JSON",
         "--output-reproducible", "-o", str(target)], check=True, capture_output=True,
    )  # fmt: skip
    bill = json.loads(target.read_text("utf-8"))
    assert bill["bomFormat"] == "CycloneDX" and bill["metadata"]["component"]["name"] == "graphmem"
    named = {re.sub(r"[-_.]+", "-", one["name"]).lower() for one in bill["components"] if one.get("version")}
    assert not runtime_packages() - named - {"graphmem"}


def test_the_release_workflow_signs_and_stores_no_token() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert all(
        part in text for part in ("id-token: write", "attestations: true", "attest-build-provenance", "attest-sbom")
    )
    assert "secrets." not in text and "password" not in text


def test_every_push_is_tested_with_each_supported_python_and_stores_no_token() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["classifiers"]
    supported = [each.rpartition(" ")[2] for each in classifiers if "Python :: 3." in each]
    matrix = re.search(r"python: \[(.*)\]", text)
    assert matrix is not None and [one.strip('" ') for one in matrix[1].split(",")] == supported
    assert "run: .ci/run\n" in text and "pip-audit -r requirements.lock" in text
    assert "secrets." not in text and "contents: read" in text
