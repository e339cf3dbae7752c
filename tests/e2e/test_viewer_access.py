"""Accessibility of the viewer: axe finds nothing against WCAG 2.2 A and AA, and the keyboard reaches the content first. Every
day a few pages, in the light on a wide screen and in the dark on a phone; before a release every page, in both languages and
themes and at three widths."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from serving import Served
from test_viewer import CHROMIUM, PAGES, Tab, expect, sync_api
from test_viewer import browser as browser
from test_viewer import context as context
from test_viewer import pages as pages
from test_viewer import served as served
from test_viewer import tab as tab

from graphmem.interfaces import languages

axe = pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python")
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium-headless-shell")

SOURCE = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
RUN = """(within) => axe.run(within || document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
  rules: {"color-contrast": {enabled: !within}}}).then(found => found.violations.flatMap(
  one => one.nodes.slice(0, 4).map(node => one.id + " " + node.target.join(" ") + " " + node.html.slice(0, 140)
    + " " + (node.any[0]?.message || ""))))"""
MORE = ("/sessions?id=morning", "/shown?show=wrong", "/search?q=xyzzy+plugh", "/review", "/review?show=replaced",
        "/review?show=decided", "/code?file=harbour/ledger.py&blame=true")  # fmt: skip
SAMPLE = ("/", "/tasks")  # the rest is swept before a release
WIDTHS = (390, 1024, 1440)


def violations(page: sync_api.Page, within: str = "") -> list[str]:
    """What axe finds on the page as it is, or in a part of it; there without contrast, because axe takes the backdrop of a
    dialog for what its buttons stand on."""
    page.wait_for_function("!document.querySelector('.gm-waiting')")
    page.wait_for_function("document.getAnimations().every(one => one.playState !== 'running')")
    page.wait_for_function("!document.querySelector('.q-loading-bar:not([aria-hidden])')")  # named within a moment
    if not page.evaluate("'axe' in window"):
        page.evaluate(SOURCE)
    found: Any = page.evaluate(RUN, within)
    return list(found)


@pytest.mark.parametrize("path", SAMPLE)
def test_axe_finds_nothing(tab: Tab, path: str) -> None:
    page = tab.open(path)
    assert not (found := violations(page)), "\n".join(found)
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("Quasar.Dark.set(true)")
    assert not (found := violations(page)), "\n".join(found)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.deep
@pytest.mark.parametrize("language", languages.LANGUAGES)
@pytest.mark.parametrize("path", [*PAGES, *MORE])
def test_axe_finds_nothing_anywhere(
    tab: Tab, context: sync_api.BrowserContext, served: Served, path: str, language: str
) -> None:
    context.add_cookies([{"name": "gm_language", "value": language, "url": served.url}])
    try:
        page = tab.open(path)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 844})
            for dark in ("false", "true"):
                page.evaluate(f"Quasar.Dark.set({dark})")
                assert not (found := violations(page)), "\n".join([f"{width} dark={dark}", *found])
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    finally:
        context.clear_cookies(name="gm_language")


@pytest.mark.deep
def test_what_opens_is_accessible_too(tab: Tab) -> None:
    page = tab.open("/tasks")
    page.locator(".gm-card").first.get_by_role("button", name="Edit").click()
    expect(page.locator(".gm-dialog")).to_be_visible()
    assert not (found := violations(page, ".gm-dialog")), "\n".join(found)
    page = tab.open("/shown")
    page.get_by_role("button", name="Wrong").first.click()
    assert not (found := violations(page)), "\n".join(found)
    page = tab.open("/sessions?id=morning")
    for fold in page.locator(".gm-fold > summary").all():
        fold.click()
    page.evaluate("scrollTo(0, 0)")  # a bar that stays at the top covers what is scrolled under it
    assert not (found := violations(page)), "\n".join(found)


def test_the_content_is_one_key_away(tab: Tab) -> None:
    page = tab.open("/tasks")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    assert page.locator("html").get_attribute("lang") == "en"
