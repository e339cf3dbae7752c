"""Twenty jobs of a day, each from the first page, by mouse and keyboard: the table says how many clicks each takes, never more
than five. The daily tests of the pages show that each can be done; these count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import morning
import pytest
from serving import Served, serving
from test_viewer import CHROMIUM, Tab, expect, sync_api
from test_viewer import browser as browser
from test_viewer import context as context
from test_viewer import pages as pages
from test_viewer import tab as tab

from graphmem import Memory
from graphmem.ports.callers import for_agent

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium-headless-shell"),
]
MOST = 5


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    def more(mem: Memory) -> None:
        mem.observe("The ferry runs on port 4000.", role="user", session="monday")
        mem.observe("The ferry runs on port 5000.", role="assistant", session="tuesday")
        mem.process()
        mem.configure({"approval.required": True})
        with Memory.open(mem.location, settings={"approval.required": True}) as asking, for_agent():
            asking.remember("The buoy is lit from dusk to dawn.")
            asking.process()

    with serving(tmp_path_factory, "jobs", more) as running:
        yield running


class Person:
    """Somebody at the first page, whose clicks are counted."""

    def __init__(self, page: sync_api.Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, found: sync_api.Locator) -> None:
        """Click on something."""
        self.clicks += 1
        found.click()

    def menu(self, name: str) -> None:
        """Open a page."""
        self.click(self.page.get_by_role("navigation", name="Pages").get_by_role("link", name=re.compile(rf"{name}\b")))
        expect(self.page.locator(".gm-heading h1")).to_have_text(name)

    def button(self, name: str, within: sync_api.Locator | None = None) -> None:
        """Click on a button."""
        self.click((within or self.page).get_by_role("button", name=name, exact=True).first)

    def ask(self, question: str) -> sync_api.Locator:
        """Search by the keyboard; return the hits."""
        self.page.keyboard.press("/")
        self.page.keyboard.type(question)
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".gm-heading h1")).to_have_text("Search")
        return self.page.locator(".gm-hit")

    def morning(self) -> None:
        """Open the session of the morning."""
        self.menu("Sessions")
        self.click(self.page.locator("a.gm-row", has_text="drift by a cent a week? Please").first)
        expect(self.page.locator(".gm-story")).to_be_visible()

    def sees(self, selector: str, words: str) -> None:
        """Expect words on the page."""
        expect(self.page.locator(selector, has_text=words).first).to_be_visible()

    def card(self, lane: str, title: str) -> sync_api.Locator:
        """A card of the board by its own title."""
        return self.page.locator(f"[data-lane={lane}] .gm-card:has(.gm-card-title:has-text('{title}'))")

    def source(self, symbol: str) -> None:
        """Open the source of a symbol that is found by its name."""
        self.click(self.ask(symbol).locator(".gm-hit-title a", has_text=symbol).first)
        self.button("Source")
        expect(self.page.locator(".gm-source")).to_be_visible()


def see_what_agents_were_shown(person: Person) -> None:
    person.menu("Shown to agents")
    person.sees(".gm-injection", "hole cents")
    person.sees(".gm-next", "Bash pytest tests -q")


def mark_it_wrong(person: Person) -> None:
    person.menu("Shown to agents")
    person.button("Wrong")
    person.button("It is outdated")
    person.sees(".gm-withdrawn", "It is outdated")


def take_that_back(person: Person) -> None:
    person.menu("Shown to agents")
    person.click(person.page.get_by_role("tab", name="Marked wrong"))
    person.button("Undo")
    expect(person.page.locator(".gm-withdrawn")).to_have_count(0)


def read_a_session(person: Person) -> None:
    person.morning()
    expect(person.page.locator(".gm-step").first).to_contain_text(morning.ASKED)
    person.sees(".gm-outcome", "whole cents everywhere")
    person.sees(".gm-outcome", morning.LEFT)


def find_the_first_failure(person: Person) -> None:
    person.morning()
    person.button("Next failure")
    person.sees(".gm-step.target .gm-why-failed", morning.WHY)
    person.sees(".gm-block.bad", "1 failed")
    expect(person.page.locator(".gm-block.bad").first).to_be_in_viewport()


def see_what_a_subagent_did(person: Person) -> None:
    person.morning()
    person.click(person.page.locator(".gm-branch-of > summary"))
    person.sees(".gm-branch-steps .gm-step", "harbour/quay.py")


def see_what_an_edit_changed(person: Person) -> None:
    person.morning()
    person.click(person.page.locator(".gm-step summary", has_text="Edit"))
    person.sees(".gm-diff-line.add", "int(cents)")


def find_a_memory(person: Person) -> None:
    hits = person.ask("why whole cents")
    expect(hits.filter(has_text="hole cents").first).to_be_visible()


def decide_between_two_facts(person: Person) -> None:
    person.click(person.page.locator(".gm-waits-here", has_text="Contradictions"))
    person.button("This is true")
    person.sees(".gm-decided", "holds.")


def approve_with_another_text(person: Person) -> None:
    person.click(person.page.locator(".gm-waits-here", has_text="New"))
    person.button("Edit")
    person.page.get_by_label("Text to remember instead").fill("The buoy is lit from dusk until seven.")
    person.page.keyboard.press("Control+Enter")
    person.sees(".gm-decided", "Agents may see the edited text.")


def correct_a_fact(person: Person) -> None:
    person.click(person.ask("why whole cents").locator(".gm-hit-title a", has_text="Whole cents").first)
    person.button("Edit")
    person.page.get_by_label("Text").fill("Amounts are whole cents; the ledger refuses floats.")
    person.page.keyboard.press("Control+Enter")
    person.sees(".gm-page .gm-pre", "the ledger refuses floats")
    expect(person.page.locator(".gm-heading h1")).to_have_text("Whole cents")


def forget_a_memory(person: Person) -> None:
    person.click(person.ask("취소는 번호로").locator(".gm-hit-title a", has_text="취소는 번호로").first)
    person.button("Forget")
    person.button("Forget it")
    expect(person.page.locator(".gm-heading h1")).to_have_text("Live")


def create_a_task(person: Person) -> None:
    person.menu("Tasks")
    person.click(person.page.get_by_label("new task"))
    person.page.keyboard.type("Oil the winch")
    person.page.keyboard.press("Enter")
    expect(person.card("ready", "Oil the winch")).to_be_visible()


def claim_a_task(person: Person) -> None:
    person.menu("Tasks")
    person.clicks += 1
    person.card("ready", "Oil the winch").drag_to(person.page.locator("[data-lane=in_progress]"))
    expect(person.card("in_progress", "Oil the winch")).to_be_visible()


def let_a_task_wait(person: Person) -> None:
    person.menu("Tasks")
    person.button("Edit", person.card("ready", "Move bookings"))
    person.page.get_by_role("textbox", name="Add what it waits for").fill("terms")
    person.button("Translate the terms into Korean")
    expect(person.card("blocked", "Move bookings")).to_be_visible()


def say_that_a_condition_is_fulfilled(person: Person) -> None:
    person.menu("Tasks")
    person.button("Edit", person.card("blocked", "Write the invoice template"))
    person.button("Fulfilled")
    expect(person.card("ready", "Write the invoice template")).to_be_visible()


def open_the_line_of_a_call(person: Person) -> None:
    person.source("harbour.ledger.Ledger.charge")
    person.click(person.page.locator("a", has_text="harbour/booking.py:13"))
    expect(person.page.locator(".gm-source .hll")).to_contain_text(["ledger.charge(boat"])


def see_the_last_change_of_a_symbol(person: Person) -> None:
    person.source("harbour.ledger.Ledger.charge")
    person.click(person.page.get_by_role("tab", name="History"))
    person.sees(".gm-revision .gm-diff-line.add", "charge")


def see_in_the_graph_what_it_is_about(person: Person) -> None:
    hit = person.ask("Two boats in one berth")
    person.button("Show in graph", hit.filter(has_text="Two boats in one berth").first)
    person.button("List")
    person.sees(".gm-graph-list", "harbour/berths.py")


def take_the_rows_of_a_query_elsewhere(person: Person) -> None:
    person.menu("Console")
    person.click(person.page.get_by_text("who made how many commits, and when last"))
    person.button("Run")
    expect(person.page.locator(".gm-table td").first).to_be_visible()
    with person.page.expect_download() as download:
        person.button("CSV")
    assert download.value.suggested_filename.endswith(".csv")


class Job(NamedTuple):
    """A job, and the number of clicks that it takes."""

    do: Callable[[Person], None]
    clicks: int


JOBS = (
    Job(see_what_agents_were_shown, 1), Job(mark_it_wrong, 3), Job(take_that_back, 3), Job(read_a_session, 2),
    Job(find_the_first_failure, 3), Job(see_what_a_subagent_did, 3), Job(see_what_an_edit_changed, 3), Job(find_a_memory, 0),
    Job(decide_between_two_facts, 2), Job(approve_with_another_text, 2), Job(correct_a_fact, 2), Job(forget_a_memory, 3),
    Job(create_a_task, 2), Job(claim_a_task, 2), Job(let_a_task_wait, 3), Job(say_that_a_condition_is_fulfilled, 3),
    Job(open_the_line_of_a_call, 3), Job(see_the_last_change_of_a_symbol, 3), Job(see_in_the_graph_what_it_is_about, 2),
    Job(take_the_rows_of_a_query_elsewhere, 4),
)  # fmt: skip


@pytest.mark.parametrize("job", JOBS, ids=[job.do.__name__ for job in JOBS])
def test_a_job_takes_few_clicks(tab: Tab, job: Job) -> None:
    person = Person(tab.open("/"))
    job.do(person)
    assert person.clicks == job.clicks <= MOST
