"""The work of a day in the viewer, in headless Chromium: what agents were shown, a session as a story, what is wrong and its
undo, in English and Korean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import morning
import pytest
from serving import Served, serving
from test_viewer import CHROMIUM, Tab, expect, sync_api, wait_for_connection
from test_viewer import browser as browser
from test_viewer import context as context
from test_viewer import pages as pages
from test_viewer import tab as tab

from graphmem import Memory

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium-headless-shell")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    def more(mem: Memory) -> None:
        """A session in which the agent acts on a memory that it was given, and cites it."""
        mem.remember("Tariffs are rounded by conf/tariffs.toml, read by load_tariffs.", title="Tariffs")
        mem.process()
        (tariffs,) = [hit for hit in mem.search("tariffs rounded", kinds=["fact"]).hits if hit.title == "Tariffs"]
        later = morning.Morning(mem, Path("/work/harbour"), "evening")
        later.ask("Where are the tariffs rounded, and by what?")
        later.use("Read", "[rounding]", file_path="/work/harbour/conf/tariffs.toml")
        later.answer(f"By the configuration, see {tariffs.citation}.")
        mem.process()

    with serving(tmp_path_factory, "day", more) as running:
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
    expect(page.locator(".gm-block.bad").first).to_contain_text("1 failed")
    page.get_by_role("tab", name="Failures").click()
    expect(page.get_by_text("Edit", exact=True)).not_to_be_visible()
    expect(page).to_have_url(re.compile("show=failed"))


def test_a_step_that_is_in_view_does_not_hide_the_title(tab: Tab, served: Served) -> None:
    turns = served.client.get("/api/session", params={"id": "monday-cents"}).json()["data"]["turns"]
    path = f"/sessions?id=monday-cents&turn={turns[2]['id']}"
    page = tab.open(path)
    page.set_viewport_size({"width": 1360, "height": page.evaluate("document.documentElement.scrollHeight") - 60})
    tab.open(path)
    expect(page.locator(".gm-step.target")).to_be_in_viewport()
    assert page.evaluate("scrollY") == 0


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


def test_what_came_of_a_memory_is_shown_at_the_memory_and_at_the_step(tab: Tab) -> None:
    page = tab.open("/shown?session=evening")
    given = page.locator(".gm-memory", has_text="Tariffs").first
    acted = given.locator(".gm-came[data-how=acted_on]").first
    expect(acted).to_contain_text("Read")
    expect(acted).to_contain_text("conf/tariffs.toml")
    expect(given.locator(".gm-came[data-how=quoted]")).to_contain_text("cites it")
    step = page.locator(".gm-next", has_text="Read").locator("+ .gm-came")
    expect(step).to_contain_text("from “Tariffs”")
    acted.get_by_role("link").click()
    read = page.locator(".gm-step.target")
    expect(read).to_contain_text("Read")
    expect(read.locator(".gm-came[data-how=acted_on]")).to_contain_text("from “Tariffs”")
    expect(page.locator(".gm-step.shown").first).to_contain_text(re.compile(r"used in \d steps?"))
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


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
    wait_for_connection(page)
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
    for _ in range(2):  # a link logs in once; who is logged in is led on
        page.goto(own)
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


def lane(page: sync_api.Page, name: str, title: str) -> sync_api.Locator:
    """A card by its own title, in a lane."""
    return page.locator(f"[data-lane={name}] .gm-card:has(.gm-card-title:has-text('{title}'))")


def test_a_card_is_dragged_and_moved_by_keys(tab: Tab, served: Served) -> None:
    page = tab.open("/tasks")
    expect(page.locator(".gm-board")).to_be_visible()
    page.get_by_label("new task").fill("Paint the mast")
    page.keyboard.press("Enter")
    lane(page, "ready", "Paint the mast").drag_to(page.locator("[data-lane=in_progress]"))
    expect(lane(page, "in_progress", "Paint the mast")).to_contain_text("viewer")
    lane(page, "in_progress", "Paint the mast").focus()
    page.keyboard.press("Shift+ArrowLeft")
    expect(lane(page, "ready", "Paint the mast")).to_be_visible()
    expect(lane(page, "ready", "Paint the mast")).to_be_focused()
    lane(page, "ready", "Paint the mast").drag_to(page.locator("[data-lane=done]"))
    expect(lane(page, "done", "Paint the mast")).to_be_visible()
    done = served.client.get("/api/tasks/list", params={"status": "done"}).json()["data"]
    assert "Paint the mast" in {task["title"] for task in done}


def test_a_task_is_edited_in_place(tab: Tab, served: Served) -> None:
    made = served.client.post("/api/tasks/create", json={"title": "Caulk the hull"}).json()["data"]
    page = tab.open("/tasks")
    page.locator(f"[data-task='{made['id']}']").focus()
    page.keyboard.press("Enter")
    dialog = page.locator(".gm-dialog")
    dialog.get_by_label("Title").fill("Half a ti")
    page.keyboard.press("Escape")
    expect(dialog.get_by_label("Title")).to_have_value("Caulk the hull")
    dialog.get_by_label("Title").fill("Caulk the whole hull")
    page.keyboard.press("Enter")
    expect(page.locator(".gm-card", has_text="Caulk the whole hull")).to_be_visible()
    dialog.get_by_label("State").click()  # in the words of the board
    expect(page.get_by_role("option")).to_have_text(["Ready", "In progress", "Closed: done", "Closed: cancelled"])
    page.get_by_role("option", name="In progress").click()
    expect(page.locator("[data-lane=in_progress] .gm-card", has_text="Caulk the whole hull")).to_be_visible()
    dialog.get_by_label("Priority").click()
    page.get_by_role("option", name="critical").click()
    expect(page.locator(f"[data-task='{made['id']}']")).to_contain_text("critical")
    dialog.get_by_label("Title").fill("Half a ti")
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)
    page.locator(f"[data-task='{made['id']}'] .gm-card-title a").click()
    expect(dialog.get_by_label("Title")).to_have_value("Caulk the whole hull")
    task = served.client.get("/api/tasks/show", params={"id": made["id"]}).json()["data"]["task"]
    assert (task["title"], task["priority"]) == ("Caulk the whole hull", "critical")
    history = served.client.get("/api/tasks/show", params={"id": made["id"]}).text
    assert "Half a ti" not in history


@pytest.mark.deep
def test_blockers_are_found_added_fulfilled_and_removed(tab: Tab, served: Served) -> None:
    made = served.client.post("/api/tasks/create", json={"title": "Launch the tender"}).json()["data"]

    def waits() -> list[str]:
        return [
            one["id"]
            for one in served.client.get("/api/tasks/show", params={"id": made["id"]}).json()["data"]["blockers"]
        ]

    page = tab.open("/tasks")
    lane(page, "ready", "Launch the tender").get_by_role("button", name="Edit").click()
    dialog = page.locator(".gm-dialog")
    box = dialog.get_by_role("textbox", name="Add what it waits for")
    box.fill("publish harb")
    dialog.get_by_role("button", name="Publish harbour 2.0").click()
    blockers = dialog.locator(".gm-blocker")
    expect(blockers).to_have_count(1)
    box.fill("high tide")
    box.press("Enter")
    expect(blockers).to_have_count(2)
    blockers.filter(has_text="high tide").get_by_role("button", name="Fulfilled").click()
    expect(page.locator(".gm-card", has_text="Launch the tender").first).not_to_contain_text("high tide")
    assert all("high-tide" not in id for id in waits())
    expect(dialog.get_by_role("status")).to_contain_text("“high tide” has happened.")
    dialog.get_by_role("button", name="Undo").click()
    expect(blockers.filter(has_text="high tide")).to_be_visible()
    assert any("high-tide" in id for id in waits())
    blockers.filter(has_text="high tide").get_by_role("button", name="Fulfilled").click()
    expect(blockers).to_have_count(1)
    dialog.get_by_role("button", name="Close").click()
    lane(page, "blocked", "Publish harbour 2.0").get_by_role("button", name="Edit").click()
    box.fill("tender")  # waits for it already: together they would wait for ever
    expect(dialog.locator(".gm-offers[data-for=tender]")).to_have_count(1)
    expect(dialog.get_by_role("button", name="Launch the tender")).to_have_count(0)
    dialog.get_by_role("button", name="Close").click()
    lane(page, "blocked", "Launch the tender").get_by_role("button", name="Edit").click()
    blockers.filter(has_text="Publish harbour").get_by_role("button", name="Remove").click()
    expect(lane(page, "ready", "Launch the tender")).to_be_visible()
    dialog.get_by_role("button", name="Undo").click()
    expect(dialog.get_by_role("status")).to_contain_text("Taken back.")
    blockers.filter(has_text="Publish harbour").get_by_role("button", name="Remove").click()
    expect(lane(page, "ready", "Launch the tender")).to_be_visible()
    assert waits() == []


def test_names_in_source_lead_to_their_definitions(tab: Tab) -> None:
    page = tab.open("/code?file=harbour/booking.py")
    name = page.locator(".gm-source a.to", has_text=re.compile("^free$")).last
    assert "def free" in str(name.get_attribute("title"))
    name.click()
    expect(page).to_have_url(re.compile("file=harbour%2Fberths.py&symbol=harbour.berths.free"))
    expect(page.locator(".gm-source .hll").first).to_contain_text("def free")
    page.locator("a", has_text="harbour/booking.py:11").click()
    line = page.locator(".gm-source .hll")
    expect(line).to_have_text([re.compile(r"berth = free\(berths\)")])
    page.set_viewport_size({"width": 390, "height": 500})  # where the tree of files comes first
    page.reload()
    expect(line).to_be_in_viewport()


def test_a_symbol_has_its_tests_and_its_commits_as_diffs(tab: Tab) -> None:
    page = tab.open("/code?file=harbour/ledger.py&symbol=harbour.ledger.Ledger.charge&show=tests")
    expect(page.locator(".gm-node", has_text="test_a_night_is_charged")).to_be_visible()
    expect(page.locator(".gm-command")).to_contain_text("pytest")
    page.get_by_role("tab", name="History").click()
    expect(page.locator(".gm-revision .gm-diff-line.add").first).to_contain_text("charge")
    expect(page.get_by_text("Its lines are from")).to_be_visible()


def test_dependencies_are_drawn_and_edited_in_the_picture(tab: Tab, served: Served) -> None:
    first, later = (
        served.client.post("/api/tasks/create", json={"title": title}).json()["data"]["id"]
        for title in ("Order new rope", "Splice the mooring line")
    )

    def waits() -> list[str]:
        found = served.client.get("/api/tasks/show", params={"id": later}).json()["data"]
        return [one["id"] for one in found["blockers"]]

    page = tab.open("/tasks?show=blockers")
    page.locator(f".gm-dep[data-task='{first}']").drag_to(page.locator(f".gm-dep[data-task='{later}']"))
    said = page.locator(".gm-withdrawn", has_text="Order new rope")
    expect(said).to_contain_text("waits for")
    assert waits() == [first]
    arrow = page.locator(f"[data-arrow*='{first}'] .hit")
    arrow.evaluate("one => one.scrollIntoView({block: 'center'})")
    box = arrow.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(said).to_contain_text("no longer")
    assert waits() == []
    said.get_by_role("button", name="Undo").click()
    expect(page.locator(f"[data-arrow*='{first}']")).to_have_count(1)
    assert waits() == [first]
    page.locator(f".gm-dep[data-task='{later}']").click()
    expect(page.locator(".gm-dialog .gm-blocker")).to_contain_text("Order new rope")
    expect(page.locator(".gm-dialog .gm-blocker .gm-node i")).to_have_text("radio_button_unchecked")


def test_a_search_is_narrowed_by_facets_and_previewed(tab: Tab) -> None:
    page = tab.open("/search?q=whole+cents")
    facts = page.locator("[data-facet='kind:fact']")
    count = int(facts.locator(".gm-time").inner_text())
    facts.click()
    expect(facts).to_have_attribute("aria-pressed", "true")
    assert "kind=fact" in page.url and count > 0
    likely = page.locator(".gm-likely").evaluate_all("all => all.map(one => parseFloat(one.dataset.likely))")
    assert likely == sorted(likely, reverse=True)
    expect(page.locator(".gm-hit .gm-chip", has_text="turn")).to_have_count(0)
    facts.click()
    expect(facts).to_have_attribute("aria-pressed", "false")
    file = page.locator("[data-facet='file:harbour/ledger.py']")
    file.click()
    expect(file).to_have_attribute("aria-pressed", "true")
    assert "file=" in page.url
    page.locator(".gm-hit:visible", has_text="cents").last.focus()
    expect(page.locator(".gm-preview mark").first).to_be_visible()


@pytest.mark.deep
def test_the_console_explains_exports_and_links(tab: Tab) -> None:
    page = tab.open("/console?query=MATCH+(t:Task)+RETURN+t,+t.id+AS+id+LIMIT+3")
    expect(page.locator(".gm-table a")).to_have_count(6)
    for name, word in (("CSV", b"id"), ("JSON", b"_label"), ("Parquet", b"PAR1")):
        with page.expect_download() as got:
            page.get_by_role("button", name=name, exact=True).click()
        assert word in Path(got.value.path()).read_bytes()
    page.get_by_role("button", name="Explain").click()
    expect(page.locator(".gm-plan")).to_contain_text("Task")
    expect(page.get_by_role("heading", name="Last queries").locator("..")).to_contain_text("MATCH (t:Task)")
    page = tab.open("/console?query=MATCH+(t:Task)+RETURN+t.title")
    expect(page.locator(".gm-table td").first).to_be_visible()
    editor = page.locator(".cm-content")
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.type("s")
    page.keyboard.press("Control+Enter")
    problem = page.get_by_role("alert").filter(has_text="titles")
    expect(problem).to_contain_text("1 | MATCH (t:Task) RETURN t.titles")
    expect(page.locator(".gm-table td")).to_have_count(0)  # rows of the query before
    expect(page.locator(".cm-line")).to_have_count(1)
    page.locator(".gm-label-chip", has_text="Gotcha").click()  # a query of several lines
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.locator(".gm-table td").first).to_be_visible()
    expect(page.get_by_role("heading", name="Last queries").locator("..")).to_contain_text("MATCH (n:Gotcha)")


def test_code_says_who_wrote_it_and_goes_back_in_time(tab: Tab, served: Served) -> None:
    page = tab.open("/code")
    expect(page.locator(".gm-chart canvas")).to_be_visible()
    page.get_by_text("The same as a table").click()
    page.locator(".gm-table a", has_text="harbour/ledger.py").click()
    page.get_by_role("button", name="Who wrote it").click()
    blamed = page.locator(".gm-source td.blame a").first
    expect(blamed).to_be_visible()
    page.locator(".gm-source").evaluate("(box) => box.scrollTop = 120")
    top = page.locator(".gm-source").evaluate("(box) => box.getBoundingClientRect().top")
    assert blamed.evaluate("(link) => link.getBoundingClientRect().top") >= top  # stays beside the lines of its commit
    blamed.click()
    changed = page.locator(".gm-revision", has_text="harbour.ledger.Ledger.charge")
    changed.locator("summary").click()
    expect(changed.locator(".gm-diff-line.add", has_text="def charge")).to_be_visible()
    first = served.client.get("/api/code/history", params={"target": "harbour/__init__.py"}).json()["data"]["rows"][-1][
        0
    ]
    page = tab.open(f"/code?asof={first[:12]}")
    expect(page.locator(".gm-tree")).not_to_contain_text("tests")
