"""The viewer in a real browser, headless Chromium, on a real store: every page, and what people do there. No page may write an
error to the console, and no text of the memory may run."""

from __future__ import annotations

import http.server
import itertools
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, cast

import pytest
from serving import HOSTILE, Served, keep, serving
from support import STOP_S, wait_until, with_deep
from test_foreign_cypher import busy, owner
from test_http import ENDLESS

sync_api = pytest.importorskip("playwright.sync_api")
# Without the windows that nobody sees, a browser takes half of the processor time.
_BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
CHROMIUM = os.environ.get("GRAPHMEM_CHROMIUM") or next(filter(None, map(shutil.which, _BROWSERS)), None)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium-headless-shell")

PAGES = {
    "/": "Overview", "/live": "Live", "/search": "Search", "/search?q=whole+cents": "Search", "/sessions": "Sessions",
    "/sessions?id=friday-korean": "예약 취소가 왜 느린지 harbour/booking.py 를 확인해 주세요.", "/shown": "Shown to agents", "/analytics": "Analytics", "/graph": "Graph", "/graph?ids=file:harbour:harbour/ledger.py": "Graph",
    "/code": "Code", "/code?file=harbour/ledger.py&symbol=harbour.ledger.Ledger.charge": "Code",
    "/code?file=harbour/ledger.py&symbol=harbour.ledger.Ledger.charge&show=impact": "Code",
    "/code?file=harbour/ledger.py&symbol=harbour.ledger.Ledger.charge&show=history": "Code",
    "/code?file=harbour/ledger.py&symbol=harbour.ledger.Ledger.charge&show=memory": "Code",
    "/tasks": "Tasks", "/tasks?show=blockers": "Tasks", "/categories": "Categories", "/endless": "Endless",
    "/console": "Console", "/console?query=MATCH+(a:Task)-[r]->(b)+RETURN+a,b&show=graph": "Console", "/settings": "Settings",
    "/debug": "Debug", "/item?id=file:harbour:harbour/ledger.py": "harbour/ledger.py", "/search?q=hostile": "Search",
    "/item?id=hostile": re.compile("^Hostile"),
}  # fmt: skip
VIEWPORT: sync_api.ViewportSize = {"width": 1360, "height": 860}
# Nobody looks at the pictures: a fourth of the pixels, laid out alike, and nothing between two states. Painting in software took
# half of all that the browser did.
THRIFTY: dict[str, Any] = {"device_scale_factor": 0.5, "reduced_motion": "reduce"}
_REPORT_HACKS = "Object.defineProperty(window, 'hacked', {set() { console.error('text of the memory ran') }})"
SHOW_HOSTILE = ("/search?q=hostile", "/item?id=hostile", "/tasks")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHMEM_GRAPH__QUERY_TIMEOUT_S", "600")  # what ends earlier ends for another reason
        return cast("Served", keep("server", lambda: serving(tmp_path_factory, "viewer")))


@contextmanager
def browsing() -> Iterator[sync_api.Browser]:
    """A running browser."""
    with sync_api.sync_playwright() as driver:
        running = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--renderer-process-limit=1"]
        )
        yield running
        running.close()


@pytest.fixture(scope="module")
def browser() -> sync_api.Browser:
    sync_api.expect.set_options(timeout=1_000 * STOP_S)
    return cast("sync_api.Browser", keep("browser", browsing))


@pytest.fixture(scope="module")
def context(served: Served, browser: sync_api.Browser) -> Iterator[sync_api.BrowserContext]:
    made = browser.new_context(viewport=VIEWPORT, locale="en-US", **THRIFTY)
    made.add_init_script(_REPORT_HACKS)
    made.set_default_timeout(1_000 * STOP_S)
    for name, value in served.log_in(
        served.token
    ).cookies.items():  # the link that `serve` prints is left for the test of it
        made.add_cookies([{"name": name, "value": value, "url": served.url}])
    made.new_page().goto(
        f"{served.url}/login"
    )  # keeps the one renderer alive, which then knows the scripts of the viewer
    yield made
    made.close()


class Tab:
    """A page that remembers what went wrong in it."""

    def __init__(self, page: sync_api.Page, url: str) -> None:
        self.page = page
        self.url = url
        self.wrong: list[str] = []
        self._heard: dict[str, Callable[[Any], object]] = {
            "console": lambda message: message.type == "error" and self.wrong.append(message.text),
            "pageerror": lambda error: self.wrong.append(str(error)),
            "request": lambda request: self._seen(request.url),
        }
        for name, hear in self._heard.items():
            page.on(name, hear)  # type: ignore[call-overload]

    def leave(self) -> None:
        """Stop what the page does, and listen no more."""
        if not self.page.is_closed():
            self.page.goto("about:blank")
            for name, hear in self._heard.items():
                self.page.remove_listener(name, hear)

    def _seen(self, url: str) -> None:
        if not url.startswith((self.url, self.url.replace("http", "ws"), "data:", "blob:")):
            self.wrong.append(f"asked {url}")

    def open(self, path: str) -> sync_api.Page:
        self.page.goto(self.url + path)
        self.page.wait_for_selector(".gm-heading h1")
        wait_for_connection(self.page)
        return self.page


def wait_for_connection(page: sync_api.Page) -> None:
    """Until the page is connected, its events wait one by one and overtake each other: Run came before the text of the query."""
    page.wait_for_function("window.did_handshake")


@pytest.fixture(scope="module")
def pages(context: sync_api.BrowserContext) -> Iterator[list[sync_api.Page]]:
    """The page that tests use one after the other, unless one of them closed it: a new one costs more, and reads the scripts of
    the viewer again."""
    kept: list[sync_api.Page] = []
    yield kept
    for page in kept:
        page.close()


@pytest.fixture
def tab(context: sync_api.BrowserContext, pages: list[sync_api.Page], served: Served) -> Iterator[Tab]:
    if not pages or pages[0].is_closed():
        pages[:] = [context.new_page()]
    (page,) = pages
    opened = Tab(page, served.url)
    page.set_viewport_size(VIEWPORT)
    yield opened
    opened.leave()
    assert not opened.wrong


expect = sync_api.expect


@pytest.mark.parametrize(("path", "title"), PAGES.items())
def test_every_page_opens_and_runs_nothing_of_the_memory(tab: Tab, path: str, title: str) -> None:
    page = tab.open(path)
    expect(page.locator(".gm-heading h1")).to_have_text(title)
    expect(page.locator(".gm-page").locator(".gm-panel, .gm-empty, .gm-board").first).to_be_visible()
    expect(page.get_by_text("This page cannot be displayed")).to_have_count(0)
    if path in SHOW_HOSTILE:
        expect(page.get_by_text(HOSTILE[:20]).first).to_be_visible()
    assert page.locator("img[src=x]").count() == 0 and page.locator("b[onclick]").count() == 0
    assert not tab.wrong
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_search_opens_in_three_layers(tab: Tab) -> None:
    page = tab.open("/search")
    page.locator("[aria-label=question]").fill("why whole cents")
    page.keyboard.press("Enter")
    hit = page.locator(".gm-hit", has_text="Whole cents").first
    expect(hit).to_contain_text("words")  # why it is a hit
    assert "q=why+whole+cents" in page.url
    turn = page.locator(".gm-hit:has(a[href*='monday-cents'])").first
    turn.get_by_role("button", name="Surrounding turns").click()
    expect(turn.locator("[data-layer=around]")).to_contain_text("drift by a cent")
    turn.get_by_role("button", name="Full text").click()
    expect(turn.locator("[data-layer=full]")).to_contain_text("tokens")
    page.get_by_role("button", name="Context for an agent").click()
    expect(page.locator(".gm-dialog")).to_contain_text("cents")


def test_korean_finds_korean(tab: Tab, context: sync_api.BrowserContext, served: Served) -> None:
    context.add_cookies([{"name": "gm_language", "value": "ko", "url": served.url}])
    try:
        page = tab.open("/search?q=예약+취소")
        expect(page.locator(".gm-heading h1")).to_have_text("검색")
        expect(page.locator(".gm-hit").first).to_contain_text("취소")
    finally:
        context.clear_cookies(name="gm_language")


def test_a_task_is_claimed_and_done(tab: Tab, served: Served) -> None:
    page = tab.open("/tasks")
    card = page.locator("[data-lane=ready] .gm-card", has_text="Move bookings to the new table")
    card.get_by_role("button", name="Claim").click()
    taken = page.locator("[data-lane=in_progress] .gm-card", has_text="Move bookings to the new table")
    expect(taken).to_contain_text("viewer")
    found = served.client.get("/api/tasks/list", params={"status": "in_progress"}).json()["data"]
    assert [task["claimed_by"] for task in found] == ["viewer"]
    taken.get_by_role("button", name="Done").click()
    expect(page.locator("[data-lane=done] .gm-card", has_text="Move bookings to the new table")).to_be_visible()


def test_on_a_phone_dependencies_are_a_list(tab: Tab) -> None:
    page = tab.open("/tasks?show=blockers")
    expect(page.locator(".gm-deps")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator(".gm-deps")).not_to_be_visible()
    row = page.locator(".gm-waits", has=page.locator(".gm-node:first-child", has_text="Send invoices by mail"))
    expect(row).to_contain_text("waits for")
    expect(row.locator("i")).to_have_text(["hourglass_empty", "hourglass_empty"])  # neither is done
    row.get_by_role("link", name="Write the invoice template").click()
    expect(page.locator(".gm-heading h1")).to_have_text("Write the invoice template")


def test_what_happens_elsewhere_arrives(tab: Tab, served: Served) -> None:
    page = tab.open("/live")
    page.wait_for_timeout(300)
    served.client.post("/api/observe", json={"content": "The mast is up again", "session": "evening"})
    first = page.locator(".gm-row").first
    expect(first).to_contain_text("The mast is up again")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("paused")).to_be_visible()
    served.client.post("/api/observe", json={"content": "The sail is down", "session": "evening"})
    expect(page.get_by_text("paused, 1 new")).to_be_visible()
    expect(first).not_to_contain_text("The sail is down")
    page.get_by_role("button", name="Resume").click()
    expect(first).to_contain_text("The sail is down")


@pytest.mark.deep
def test_what_is_forgotten_leaves_every_page(tab: Tab, served: Served) -> None:
    secret = "The lighthouse keeper owes nine barrels"
    id = served.client.post("/api/remember", json={"content": secret, "title": "Nine barrels"}).json()["data"]["id"]
    served.client.post("/api/process", json={})
    page = tab.open("/search?q=lighthouse+barrels")
    expect(page.locator(".gm-hit").first).to_contain_text(secret)
    page.locator(".gm-hit-title a").first.click()
    expect(page.locator(".gm-heading h1")).to_have_text("Nine barrels")
    page.get_by_role("button", name="Forget", exact=True).click()
    expect(page.locator(".gm-dialog .gm-forgotten")).to_contain_text(re.compile(r"“Nine barrels”\s*Fact · 20\d\d-"))
    expect(page.locator(".gm-dialog .gm-forgotten-text")).to_have_text(secret)
    page.get_by_role("button", name="Forget it").click()
    expect(page.locator(".gm-heading h1")).to_have_text("Live")
    for path in ("/search?q=lighthouse+barrels", "/live", "/", f"/item?id={id}", f"/debug?event={id}", "/graph",
                 "/console?query=MATCH+(f:Fact)+RETURN+f.content"):  # fmt: skip
        page.goto(served.url + path)
        page.wait_for_selector(".gm-heading, .gm-empty")
        page.wait_for_function("!document.querySelector('.gm-waiting')")
        assert "nine barrels" not in page.content().lower().replace("+", " "), path
    answer = served.client.get("/api/search", params={"query": "lighthouse barrels"}).text
    assert secret not in answer


def test_a_query_is_kept_and_a_wrong_one_is_explained(tab: Tab) -> None:
    page = tab.open("/console?query=MATCH+(t:Task)+RETURN+t.title+AS+title")
    expect(page.locator("td", has_text="Publish harbour 2.0")).to_be_visible()
    page.locator("[aria-label=name]").fill("titles")
    page.get_by_role("button", name="Keep").click()
    page = tab.open("/console")
    expect(page.locator(".gm-leaf", has_text="titles").first).to_be_visible()
    page = tab.open("/console?query=MATCH+(n)+DELETE+n")
    expect(page.locator(".gm-query-problem")).to_contain_text("read-only")


def test_the_console_completes_the_names_of_the_graph(tab: Tab) -> None:
    page = tab.open("/console")
    expect(page.locator(".gm-leaf").first).to_be_visible()
    offers = page.locator(".cm-tooltip-autocomplete")
    page.locator(".cm-content").click()
    for typed, offered in (
        ("MATCH (t:Tas", "Task"),
        ("-[r:BLOCKED_BY_", "BLOCKED_BY_SUGGESTED"),
        ("->(b) RETURN t.tit", "title"),
    ):
        page.keyboard.type(typed)
        expect(offers.locator("li[aria-selected]")).to_have_text(offered)
        page.wait_for_timeout(200)  # a list that has just opened takes no key
        page.keyboard.press("Enter")
        expect(offers).to_have_count(0)
        page.keyboard.press("ArrowRight" if "RETURN" not in typed else "End")  # past the bracket that the editor closed
    expect(page.locator(".cm-content")).to_have_text("MATCH (t:Task)-[r:BLOCKED_BY_SUGGESTED]->(b) RETURN t.title")
    page.keyboard.press("Control+Enter")
    expect(page).to_have_url(re.compile("query=MATCH"))
    page.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.type("facts_cont")  # at the start, queries by their names
    expect(offers.locator("li[aria-selected]")).to_contain_text("facts_contested")
    page.wait_for_timeout(200)
    page.keyboard.press("Enter")
    expect(page.locator(".cm-content")).to_contain_text("CONTRADICTS")


@pytest.mark.parametrize("leave", with_deep(["close"], ["elsewhere"]))
def test_a_query_ends_when_its_tab_does(context: sync_api.BrowserContext, served: Served, leave: str) -> None:
    page = context.new_page()
    page.goto(f"{served.url}/console")
    page.wait_for_selector(".gm-heading h1")
    wait_for_connection(page)
    page.locator(".cm-content").click()
    page.keyboard.insert_text(ENDLESS)
    expect(page.locator(".cm-content")).to_have_text(ENDLESS)
    looks = itertools.count()

    def is_asked() -> bool:
        if next(looks) % 20 == 0:  # again and again: a press while the page connects again is lost
            page.get_by_role("button", name="Run", exact=True).click()
        return bool(busy(owner(served.store)))

    def is_left() -> bool:
        return not busy(owner(served.store))

    wait_until(is_asked, STOP_S)
    if leave == "elsewhere":
        page.locator("nav a[href='/tasks']").click()
        wait_until(is_left, STOP_S)
    page.close()
    wait_until(is_left, STOP_S)
    assert served.client.get("/api/cypher", params={"query": "RETURN 1 AS one"}).json()["data"]["rows"] == [[1]]


def test_a_page_with_charts_is_left_before_they_are_drawn(tab: Tab) -> None:
    page = tab.open("/tasks")
    for (
        letter
    ) in "ocototy":  # each page is left as soon as it has its chart; an error in the console would fail the test
        page.keyboard.press("g")
        page.keyboard.press(letter)
        if letter != "t":
            page.wait_for_selector(".gm-chart")
    expect(page.locator(".gm-chart canvas").first).to_be_visible()


def test_no_column_of_the_analytics_is_cut(tab: Tab) -> None:
    page = tab.open("/analytics")
    page.set_viewport_size({"width": 1440, "height": 900})
    table = page.get_by_role("region", name="Knowledge by area of the code")
    expect(table.get_by_role("columnheader", name="Gotchas")).to_be_visible()
    assert table.evaluate("(box) => box.scrollWidth <= box.clientWidth")


def test_the_keyboard_leads_everywhere(tab: Tab) -> None:
    page = tab.open("/")
    page.keyboard.press("g")
    page.keyboard.press("t")
    expect(page.locator(".gm-heading h1")).to_have_text("Tasks")
    page.keyboard.press("/")
    page.keyboard.type("atomic statement")
    page.keyboard.press("Enter")
    expect(page.locator(".gm-heading h1")).to_have_text("Search")
    expect(page.locator(".gm-hit").first).to_contain_text("berth")
    expect(page.locator(".gm-search input")).to_have_value("")  # the page has a field of its own
    page.locator("body").click(position={"x": 5, "y": 600})
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.classList.contains('gm-row')")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/item"))
    page.keyboard.press("?")
    expect(page.locator("dialog#help")).to_be_visible()
    page.keyboard.press("Escape")
    page.go_back()
    expect(page.locator(".gm-heading h1")).to_have_text("Search")


def turn_dark(page: sync_api.Page) -> None:
    """Click on the moon, again if a click came before the page was connected, when it is lost."""
    for _ in range(5):
        page.locator("#theme").click()
        with suppress(AssertionError):
            expect(page.locator("body")).to_have_class(re.compile("body--dark"), timeout=20_000)
            return
    raise AssertionError("the page did not turn dark")


@pytest.mark.deep
def test_dark_korean_and_a_phone(tab: Tab) -> None:
    page = tab.open("/")
    turn_dark(page)
    page.locator("[data-language=ko]").click()
    expect(page.locator(".gm-heading h1")).to_have_text("개요")
    expect(page.locator("body")).to_have_class(re.compile("body--dark"))
    page.set_viewport_size({"width": 390, "height": 844})
    for path in ("/", "/search?q=cents", "/tasks", "/code?file=harbour/ledger.py"):
        tab.open(path)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert page.locator(".gm-search").evaluate("one => one.offsetWidth") > 250, path
    page = tab.open("/")
    advice = page.locator(".gm-panel", has=page.get_by_role("heading", name="상태"))
    expect(advice.locator(".gm-facts")).to_be_visible()
    advice.evaluate(
        "one => { one.querySelector('.gm-line').after(Object.assign("
        "document.createElement('div'), { className: 'gm-soft gm-advice', textContent: 'W'.repeat(90) })) }"
    )
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    columns = page.locator(".gm-grid.two").evaluate(
        "one => getComputedStyle(one).gridTemplateColumns.split(' ').length"
    )
    assert columns == 1
    tab.open("/search?q=cents")
    facets = page.locator(".gm-facets")
    expect(facets).to_be_visible()
    assert facets.evaluate("one => one.scrollWidth <= one.clientWidth")
    tab.open("/settings")
    overlap = "[...document.querySelectorAll('.gm-setting')].filter(row => { const [a, b] = [...row.children].map(one =>" \
        " one.getBoundingClientRect()); return a.bottom > b.top + 1 && a.right > b.left + 1 }).length"  # fmt: skip
    assert page.locator(".gm-setting").count() > 5 and page.evaluate(overlap) == 0
    page.locator("[data-language=en]").click()
    expect(page.locator(".gm-heading h1")).to_have_text("Settings")


def test_a_number_that_is_not_allowed_is_neither_changed_nor_saved(tab: Tab, served: Served) -> None:
    page = tab.open("/settings")
    field = page.get_by_label("graph.query_rows")
    field.fill("0")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("must be at least 1", exact=True)).to_be_visible()
    expect(field).to_have_value("0")
    expect(page.get_by_text("Not saved: see graph.query_rows.")).to_be_visible()
    rows = served.client.get("/api/config").json()["data"]
    assert [one["value"] for one in rows if one["key"] == "graph.query_rows"] == [10_000]


def test_figures_fit_their_tiles_and_the_editor_is_dark_in_the_dark(tab: Tab) -> None:
    page = tab.open("/")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("document.querySelectorAll('.gm-value').forEach(one => one.textContent = '1,234,567')")
    assert (
        page.evaluate(
            "[...document.querySelectorAll('.gm-tile')].filter(one => one.scrollWidth > one.clientWidth).length"
        )
        == 0
    )
    tab.open("/console")
    expect(page.locator(".cm-gutters")).to_be_visible()
    page.evaluate("Quasar.Dark.set(true)")
    dark = re.compile(r"rgb\((?:[0-7]?\d, ){2}[0-7]?\d\)")
    expect(page.locator(".cm-gutters")).to_have_css("background-color", dark)


def test_a_stranger_sees_nothing(browser: sync_api.Browser, served: Served) -> None:
    page = browser.new_context().new_page()
    answer = page.goto(f"{served.url}/search?q=cents")
    assert (
        answer is not None
        and answer.status == 401
        and "cents" not in page.locator("body").inner_text().replace("q=cents", "")
    )
    page.context.close()


def test_the_endless_page_says_what_its_command_says(tab: Tab, served: Served) -> None:
    def value(name: str) -> int:
        found: int = served.client.get("/api/endless/status").json()["data"][name]
        return found

    served.client.post("/api/endless/enable", json={}).raise_for_status()
    try:
        page = tab.open("/endless")
        tile = page.locator(".gm-tile", has_text=re.compile(r"^\s*\d+\s*working set\s*$"))
        expect(tile).to_contain_text(str(value("working_set")))
        expect(page.get_by_role("button", name="Consolidate now")).to_be_visible()
        served.client.post("/api/observe", json={"content": "The lock gate opens at six", "session": "dawn"})
        expect(page.locator(".gm-panel", has_text="Working set")).to_contain_text("The lock gate opens at six")
        expect(tile).to_contain_text(str(value("working_set")))
    finally:
        served.client.post("/api/endless/disable", json={})
    expect(tab.open("/endless").get_by_text("Endless mode is off")).to_be_visible()
    assert page.locator(".gm-tile").count() == 0


def test_the_link_logs_in_under_a_name_that_no_other_server_is_sent(served: Served, browser: sync_api.Browser) -> None:
    """Browsers keep cookies by name, not by port: another server on 127.0.0.1 must not be sent the session."""
    seen: list[str] = []

    class Other(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers.get("cookie", ""))
            page = f'<a id="in" href="{inside}/api/stats">in</a><a id="page" href="{inside}/tasks">page</a>'
            self.send_response(200)
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    inside = f"http://{served.own_name}"
    fresh = browser.new_context(locale="ko-KR")
    try:
        page = fresh.new_page()
        page.goto(inside + "/tasks")
        expect(page.get_by_role("button", name="로그인")).to_be_visible()
        page.goto(served.link)
        expect(page.locator(".gm-heading h1")).to_be_visible()
        assert page.url == inside + "/" and "key" not in page.url
        (cookie,) = [one for one in fresh.cookies(inside) if one["name"].startswith("graphmem_")]
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.goto(f"http://localhost:{server.server_port}/")
        assert seen and not any("graphmem_" in one for one in seen)
        page.click("#in")
        expect(page.locator("body")).to_contain_text("requests from other pages are rejected")
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.click("#page")
        expect(page.locator("body")).to_contain_text("다른 페이지에서")
        page.get_by_role("link", name="열기").click()
        expect(page.locator(".gm-heading h1")).to_have_text("작업")
        page.locator("#leave").click()
        expect(page.get_by_role("button", name="로그인")).to_be_visible()
        page.goto(inside + "/tasks")
        expect(page.get_by_role("button", name="로그인")).to_be_visible()
        page.locator("input[name=key]").fill(served.token)
        page.keyboard.press("Enter")
        expect(page.locator(".gm-heading h1")).to_be_visible()
    finally:
        fresh.close()
        server.shutdown()
