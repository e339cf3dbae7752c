"""The work of a day in the viewer, in headless Chromium: what agents were shown, a session as a story, what is wrong and its
undo, in English and Korean."""

from __future__ import annotations

import re
from collections.abc import Iterator

import morning
import pytest
from serving import Served, serving
from test_viewer import CHROMIUM, Tab, expect, sync_api
from test_viewer import browser as browser
from test_viewer import context as context
from test_viewer import tab as tab

from graphmem import Memory

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    def more(made: Served, mem: Memory) -> None:
        morning.spend_morning(mem, made.repository.path)

    with serving(tmp_path_factory.mktemp("day"), more) as running:
        yield running


def found(served: Served, query: str) -> set[str]:
    """The ids that a search finds now."""
    answer = served.client.get("/api/search", params={"query": query}).json()["data"]
    return {hit["id"] for hit in answer["hits"]}


def test_a_session_is_told_in_order_with_its_subagent_folded_in(tab: Tab) -> None:
    page = tab.open("/sessions?id=morning")
    expect(page.locator(".gm-heading h1")).to_contain_text("Why does harbour/ledger.py drift by a cent a week?")
    steps = page.locator(".gm-story .gm-step")
    expect(steps.first).to_contain_text("you")
    expect(steps.first).to_contain_text(morning.ASKED)
    expect(steps.first.locator(".gm-clock")).to_have_text(re.compile(r"^\d\d:\d\d$"))
    outcome = page.locator(".gm-outcome .gm-panel")
    expect(outcome.nth(0)).to_contain_text("whole cents everywhere")
    expect(outcome.nth(1)).to_contain_text("1a2b3c4 Keep whole cents")
    expect(outcome.nth(2)).to_contain_text(morning.LEFT)
    branch = page.locator(".gm-branch-of")
    expect(branch.locator("summary").first).to_contain_text("subagent, 2 steps")
    expect(branch.get_by_text("harbour/quay.py")).not_to_be_visible()
    branch.locator("summary").first.focus()
    page.keyboard.press("Enter")
    expect(branch.get_by_text("harbour/quay.py")).to_be_visible()


def test_failures_are_jumped_to_and_say_why(tab: Tab) -> None:
    page = tab.open("/sessions?id=morning")
    page.locator("body").press("f")
    first = page.locator(".gm-step.target")
    expect(first).to_contain_text(morning.WHY)
    expect(first).to_contain_text("failed, later mended")
    page.get_by_role("button", name="Next failure").click()  # folded in the subagent, which opens
    expect(page.locator(".gm-branch-of .gm-step.target")).to_be_visible()
    page.locator(".gm-step.failed summary", has_text="pytest tests -q").click()
    expect(page.locator(".gm-block.bad").first).to_contain_text("1 failed")
    page.get_by_role("tab", name="Failures").click()
    expect(page.get_by_text("Edit", exact=True)).not_to_be_visible()
    expect(page).to_have_url(re.compile("show=failed"))


def test_an_edit_is_shown_as_a_diff(tab: Tab) -> None:
    page = tab.open("/sessions?id=morning")
    page.locator(".gm-step summary", has_text="Edit").click()
    expect(page.locator(".gm-diff-line.cut")).to_have_text("-cents")
    expect(page.locator(".gm-diff-line.add")).to_have_text("+int(cents)")


def test_what_an_agent_was_shown_is_judged_in_place_and_taken_back(tab: Tab, served: Served) -> None:
    asked = "What was decided about whole cents in harbour/ledger.py?"
    page = tab.open("/shown")
    expect(page.locator(".gm-tile", has_text="tokens")).to_contain_text(re.compile(r"[1-9]"))
    injection = page.locator(".gm-injection", has_text="with your request").last
    expect(injection).to_contain_text("It did next")
    memory = injection.locator(".gm-memory", has_text="hole cents").first
    id = memory.get_attribute("data-memory")
    assert id in found(served, asked)
    memory.get_by_role("button", name="Wrong").click()
    memory.get_by_role("button", name="It is outdated").click()
    expect(memory.get_by_role("status")).to_contain_text("marked wrong")
    expect(memory.get_by_role("status")).to_contain_text("It is outdated")
    assert id not in found(served, asked)
    page = tab.open("/shown?show=wrong")
    listed = page.locator(f"[data-memory='{id}']")
    expect(listed).to_contain_text("It is outdated")
    listed.get_by_role("button", name="Undo").click()
    expect(listed.get_by_role("button", name="Wrong")).to_be_visible()
    assert id in found(served, asked)
    expect(tab.open("/shown?show=wrong").get_by_text("Nothing is marked wrong")).to_be_visible()


def test_a_reason_in_own_words_is_kept_on_the_page_of_the_item(tab: Tab, served: Served) -> None:
    page = tab.open("/search?q=whole+cents+floats+refused")
    page.locator(".gm-hit", has_text="Whole cents").first.locator(".gm-hit-title a").click()
    expect(page.locator(".gm-heading h1")).to_have_text("Whole cents")
    page.get_by_role("button", name="Wrong").click()
    box = page.get_by_role("textbox", name="Why is it wrong?")
    box.fill("The barnacle said so")
    box.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The barnacle said so")
    page.reload()
    expect(page.get_by_role("status")).to_contain_text("The barnacle said so")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Useful")).to_be_visible()


def test_nonsense_has_no_answer_and_no_full_bar(tab: Tab) -> None:
    page = tab.open("/search?q=xyzzy+plugh+frobnicate")
    expect(page.get_by_text("Nothing in this memory answers that")).to_be_visible()
    widths = page.locator(".gm-likely").evaluate_all("rows => rows.map(row => parseFloat(row.dataset.likely))")
    assert all(width < 0.4 for width in widths)
    expect(page.locator(".gm-hit").first).not_to_be_visible()


def test_a_used_link_and_an_unknown_page_lead_back(tab: Tab, served: Served) -> None:
    own = served.link.replace(served.own_name, served.url.removeprefix("http://"))
    page = tab.page
    page.goto(own)  # it was used when the tests logged in
    expect(page.locator(".gm-heading h1")).to_have_text("Overview")
    answer = page.goto(served.url + "/nowhere")
    assert answer is not None and answer.status == 404 and answer.headers["content-type"].startswith("text/html")
    expect(page.locator("body")).to_contain_text("There is no such page.")
    tab.wrong = [line for line in tab.wrong if "404" not in line]
    page.get_by_role("link").click()
    expect(page.locator(".gm-heading h1")).to_have_text("Overview")


def test_a_day_in_korean(tab: Tab, context: sync_api.BrowserContext, served: Served) -> None:
    context.add_cookies([{"name": "gm_language", "value": "ko", "url": served.url}])
    try:
        page = tab.open("/shown")
        expect(page.locator(".gm-heading h1")).to_have_text("에이전트에게 보여 준 것")
        expect(page.get_by_text("그다음에 한 일").first).to_be_visible()
        page = tab.open("/sessions?id=morning")
        expect(page.locator(".gm-outcome")).to_contain_text("결정한 것")
        words = page.locator(".gm-heading, .gm-story-bar").all_inner_texts()
        assert not re.search(r"\b(?:Failures|Everything|steps|requests)\b", " ".join(words))
    finally:
        context.clear_cookies(name="gm_language")
