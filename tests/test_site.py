"""The documentation site builds in strict mode, contains every guide, and loads nothing from the network."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote

import pytest

from graphmem.interfaces.cli.guides import list_guides

ROOT = Path(__file__).parent.parent
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


def _has_mkdocs() -> bool:
    try:
        return bool(metadata.version("mkdocs-material"))
    except metadata.PackageNotFoundError:
        return False


needs_mkdocs = pytest.mark.skipif(
    not _has_mkdocs(), reason="the extra `docs` is not installed: pip install -e '.[docs]'"
)


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a" and given.get("href"):
            self.links.append(str(given["href"]))
        if tag in LOADED and given.get(LOADED[tag]) and given.get("rel") != "canonical":
            self.loaded.append(str(given[LOADED[tag]]))
        self.anchors |= {str(given[name]) for name in ("id", "name") if given.get(name)}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    folder = tmp_path_factory.mktemp("site") / "built"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-f", "docs/mkdocs.yml", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return {path: Page(path.read_text("utf-8")) for path in folder.rglob("*.html")}


@needs_mkdocs
@pytest.mark.deep
def test_each_guide_and_the_commands_are_pages(site: dict[Path, Page]) -> None:
    assert {path.stem for path in site} >= {*list_guides(), "commands", "index"}


@needs_mkdocs
@pytest.mark.deep
def test_nothing_is_loaded_from_the_network(site: dict[Path, Page]) -> None:
    assert not [
        (path.name, one) for path, page in site.items() for one in page.loaded if re.match(r"(https?:)?//", one)
    ]
    styles = next(iter(site)).parent.rglob("*.css")
    assert not [
        path.name for path in styles if re.search(r"(@import|url\()\s*['\"]?(https?:)?//", path.read_text("utf-8"))
    ]


@needs_mkdocs
@pytest.mark.deep
def test_every_link_leads_to_a_page_and_an_anchor(site: dict[Path, Page]) -> None:
    broken = []
    for path, page in site.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link) or path.name == "404.html":
                continue
            target, _, anchor = link.partition("#")
            file = (path.parent / unquote(target)).resolve() if target else path
            file = file / "index.html" if file.is_dir() else file
            if file not in site or (anchor and unquote(anchor) not in site[file].anchors):
                broken.append(f"{path.name}: {link}")
    assert not broken


def test_the_navigation_lists_every_guide_once() -> None:
    listed = re.findall(r"^ +- ([\w-]+)\.md$", (ROOT / "docs" / "mkdocs.yml").read_text("utf-8"), re.M)
    assert sorted(listed) == sorted([*list_guides(), "commands", "index"])
