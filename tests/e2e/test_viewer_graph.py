"""The graph page in headless Chromium, drawn with WebGL in software: the whole store, neighbourhoods, paths, filters and time, and the
same nodes as a list. Before a release, stores of 20,000 and 100,000 nodes are shown and dragged."""

from __future__ import annotations

import re
import time
from datetime import datetime

import pytest
from serving import Served
from test_viewer import CHROMIUM, Tab, expect, sync_api
from test_viewer import browser as browser
from test_viewer import context as context
from test_viewer import pages as pages
from test_viewer import served as served
from test_viewer import tab as tab
from test_viewer_access import violations

pytestmark = pytest.mark.skipif(not CHROMIUM, reason="needs Chromium: apt-get install chromium-headless-shell")
LEDGER, BERTHS = "file:harbour:harbour/ledger.py", "file:harbour:harbour/berths.py"
DRAGGED_S = 3.0
COUNT_FRAMES = """() => { window.frames_ = []; let last = performance.now(); window.counting = true;
  const next = (now) => { frames_.push(now - last); last = now; if (window.counting) requestAnimationFrame(next); };
  requestAnimationFrame(next); }"""
# Columns of a graph with communities, as `/api/graph` sends them.
INVENTED = """([count, relations]) => { let state = 1; const random = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const groups = Math.round(Math.sqrt(count) / 3), source = [], target = [];
  for (let at = 0; at < relations; at++) { const one = Math.floor(random() * count); source.push(one);
    target.push(random() < 0.9 ? (one + groups * Math.floor(random() * 30)) % count : Math.floor(random() * count)); }
  const every = (value) => Array.from({length: count}, (_, at) => value(at));
  return JSON.stringify({data: {labels: ["Fact", "File", "Symbol"], types: ["ABOUT"], total: {Fact: count}, left_out_relations: 0,
    nodes: {id: every((at) => "n" + at), label: every((at) => at % 3), title: every((at) => "node " + at), at: every(() => null),
      until: every(() => null)}, relations: {source, type: source.map(() => 0), target}}, meta: {}}); }"""


def drawn(tab: Tab, path: str) -> sync_api.Page:
    """The page, once the graph is drawn."""
    page = tab.open(path)
    page.wait_for_selector(".gm-layers canvas")
    page.wait_for_function("!document.querySelector('.gm-graph-busy')")
    return page


def count(page: sync_api.Page) -> int:
    """How many nodes are shown."""
    return int(re.match(r"([\d,]+)", page.locator(".gm-count").inner_text())[1].replace(",", ""))  # type: ignore[index]


def find(page: sync_api.Page, name: str) -> sync_api.Locator:
    """Select a node by its name; return the panel that describes it."""
    page.get_by_label("Find a node…").fill(name)
    page.locator(".gm-found button", has_text=name).first.click()
    return page.locator(".gm-selected")


def expect_count(page: sync_api.Page, fits: str, other: int) -> None:
    """Wait until the number of nodes is like this."""
    page.wait_for_function(
        f"other => parseInt(document.querySelector('.gm-count').innerText.replaceAll(',', '')) {fits} other", arg=other
    )


def test_the_whole_store_is_drawn_with_communities(tab: Tab, served: Served) -> None:
    page = drawn(tab, "/graph")
    data = served.client.get("/api/graph").json()["data"]
    assert count(page) == len(data["nodes"]["id"]) == sum(data["total"].values()) > 40
    groups = page.locator(".gm-community")
    shades = groups.locator(".gm-shade").evaluate_all("all => all.slice(0, 5).map(one => one.style.background)")
    assert len(set(shades)) == len(shades) > 2
    painted = page.evaluate(
        "async () => { const host = document.querySelector('.gm-graph-view'); const view = getElement(host.id.slice(1));"
        " const sheet = await createImageBitmap(await view.board.picture()); const paper = new OffscreenCanvas(sheet.width,"
        " sheet.height).getContext('2d'); paper.drawImage(sheet, 0, 0);"
        " return new Set(new Uint32Array(paper.getImageData(0, 0, sheet.width, sheet.height).data.buffer)).size }"
    )
    assert painted > 20  # colours: the picture is not empty
    assert not (wrong := violations(page)), "\n".join(wrong)


def test_a_community_is_collapsed_expanded_and_that_is_undone(tab: Tab) -> None:
    page = drawn(tab, "/graph")
    nodes = "() => getElement(document.querySelector('.gm-graph-view').id.slice(1)).board.graph.order"
    before = page.evaluate(nodes)
    page.get_by_role("button", name=re.compile("^Collapse (?!all)")).first.click()
    assert page.evaluate(nodes) < before
    page.get_by_role("button", name="Undo").click()
    assert page.evaluate(nodes) == before
    page.get_by_role("button", name="Collapse all").click()
    assert page.evaluate(nodes) < before / 2
    page.get_by_role("button", name="Expand all").click()
    assert page.evaluate(nodes) == before


def test_expanding_in_the_whole_graph_removes_nothing_and_the_legend_says_the_colours(tab: Tab) -> None:
    page = drawn(tab, "/graph")
    before = count(page)
    find = page.get_by_label("Find a node…")
    find.fill("harbour/ledger.py")
    find.press("Enter")
    panel = page.locator(".gm-selected")
    panel.get_by_role("button", name="Expand", exact=True).click()
    expect(panel.get_by_role("status")).to_have_text("All of its neighbours are shown already.")
    assert count(page) == before
    panel.get_by_role("button", name="Show only this").click()
    expect_count(page, "<", before)
    chips = page.locator(".gm-panel .gm-chips").first
    expect(page.get_by_role("button", name="kind", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(chips).not_to_have_class(re.compile("uncolored"))
    page.get_by_role("button", name="community", exact=True).click()
    expect(chips).to_have_class(re.compile("uncolored"))


def test_a_node_is_found_expanded_hidden_and_brought_back(tab: Tab) -> None:
    page = drawn(tab, f"/graph?ids={LEDGER}")
    before = count(page)
    assert before > 3
    panel = page.locator(".gm-selected")
    expect(panel).to_contain_text("harbour/ledger.py")
    page.locator(".gm-near summary", has_text="touches").click()
    panel.locator(".gm-near button.gm-leaf", has_text="Add harbour/ledger.py").first.click()
    expect(panel.locator(".gm-chip")).to_have_text("Commit")
    panel.get_by_role("button", name="Expand", exact=True).click()
    expect_count(page, ">", before)
    expect(page).to_have_url(re.compile("commit"))
    grown = count(page)
    panel.get_by_role("button", name="Hide").click()
    expect_count(page, "<", grown)
    page.get_by_role("button", name="Undo").click()
    expect_count(page, "==", grown)


def test_kinds_are_filtered_and_time_goes_back(tab: Tab) -> None:
    page = drawn(tab, f"/graph?ids={LEDGER}")
    before = count(page)
    kind = page.locator("[data-kind=File]")
    kind.click()
    expect_count(page, "<", before)
    expect(kind).to_have_attribute("aria-pressed", "false")
    expect(page).to_have_url(re.compile("hide=File"))
    kind.click()
    expect_count(page, "==", before)
    page.get_by_label("as of").focus()
    page.keyboard.press("Home")
    expect_count(page, "<", before)
    expect(page).to_have_url(re.compile("asof="))
    shared = page.url.removeprefix(tab.url)
    now = count(page)
    page = drawn(tab, shared)
    assert count(page) == now


def test_the_way_between_two_things(tab: Tab) -> None:
    page = drawn(tab, f"/graph?ids={LEDGER}&to={BERTHS}")
    assert 2 <= count(page) <= 7


def test_a_node_is_dragged_and_put_back(tab: Tab) -> None:
    page = drawn(tab, f"/graph?ids={LEDGER}")
    spot = """() => { const view = getElement(document.querySelector('.gm-graph-view').id.slice(1)), at = view.chosen;
        return [...Object.values(view.board.sigma.graphToViewport({x: view.model.x[at], y: view.model.y[at]}))] }"""
    box = page.locator(".gm-graph").bounding_box()
    assert box
    x, y = page.evaluate(spot)
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 90, box["y"] + y + 40, steps=4)
    page.mouse.up()
    moved = page.evaluate(spot)
    assert abs(moved[0] - x - 90) < 3 and abs(moved[1] - y - 40) < 3
    page.get_by_role("button", name="Undo").click()
    assert [round(one) for one in page.evaluate(spot)] == [round(x), round(y)]


def test_who_cannot_see_it_has_a_list(tab: Tab) -> None:
    page = drawn(tab, "/graph")
    page.get_by_role("button", name="List").click()
    page.get_by_label("Find a node…").fill("harbour/ledger.py")
    row = page.locator(".gm-graph-list tr", has=page.get_by_role("cell", name="File", exact=True))
    row.get_by_role("button", name="harbour/ledger.py").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".gm-selected .gm-name")).to_have_text("harbour/ledger.py")
    assert not (wrong := violations(page)), "\n".join(wrong)


def test_without_webgl_there_is_the_list(tab: Tab) -> None:
    tab.page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page = tab.open("/graph")
    expect(page.get_by_text("it has no WebGL")).to_be_visible()
    expect(page.locator(".gm-graph-list tbody tr").first).to_be_visible()
    page.close()  # with that script


def test_what_is_forgotten_leaves_the_picture(tab: Tab, served: Served) -> None:
    id = served.client.post("/api/remember", json={"content": "The gangway is painted green"}).json()["data"]["id"]
    served.client.post("/api/process", json={}).raise_for_status()
    page = drawn(tab, "/graph")
    before = count(page)
    panel = find(page, "The gangway is painted green")
    served.client.post("/api/forget", json={"id": id, "confirm": True}).raise_for_status()
    expect_count(page, "<", before)
    expect(panel).not_to_contain_text("gangway")


def test_a_part_says_so(served: Served) -> None:
    whole = served.client.get("/api/graph").json()["data"]
    part = served.client.get("/api/graph", params={"limit": 40}).json()["data"]
    assert len(part["nodes"]["id"]) == 40 and part["total"] == whole["total"]
    kept = {part["labels"][at] for at in part["nodes"]["label"]}
    assert min(whole["total"], key=whole["total"].get) in kept  # what is rare is complete
    without = served.client.get("/api/graph", params={"without": ["File", "Symbol"]}).json()["data"]
    assert not {"File", "Symbol"} & set(without["labels"]) and len(without["nodes"]["id"]) < len(whole["nodes"]["id"])
    assert served.client.get("/api/graph", params={"limit": 0}).status_code == 422
    times = [at for at in whole["nodes"]["at"] if at]
    assert times and all(datetime.fromtimestamp(at).year > 2000 for at in times)


def frames_while(page: sync_api.Page, act: object) -> float:
    """Frames a second while something is done again and again."""
    page.evaluate(COUNT_FRAMES)
    until = time.monotonic() + DRAGGED_S
    step = 0
    while time.monotonic() < until:
        act(step := step + 1)  # type: ignore[operator]
    took = page.evaluate("() => { window.counting = false; return frames_.slice(1) }")
    return 1_000 * len(took) / sum(took)


@pytest.mark.deep
@pytest.mark.parametrize(("nodes", "relations"), [(20_000, 60_000), (100_000, 300_000)])
def test_a_large_store_is_dragged_smoothly(tab: Tab, nodes: int, relations: int) -> None:
    tab.page.goto(tab.url + "/health")
    body = tab.page.evaluate(INVENTED, [nodes, relations])
    tab.page.route("**/api/graph?*", lambda route: route.fulfill(body=body, content_type="application/json"))
    page = drawn(tab, "/graph")
    assert count(page) == nodes
    if nodes < relations / 3 + 1:
        expect(page.locator(".gm-part")).to_contain_text("relations are drawn")
    box = page.locator(".gm-graph").bounding_box()
    assert box
    left, bottom = box["x"] + 15, box["y"] + box["height"] - 15
    page.wait_for_timeout(3_000)
    page.mouse.move(left, bottom)
    page.mouse.down()
    moved = frames_while(page, lambda step: page.mouse.move(left + step % 50 * 6, bottom - step % 40 * 4))
    page.mouse.up()
    page.wait_for_timeout(2_000)
    found = page.evaluate(
        """() => { const view = getElement(document.querySelector('.gm-graph-view').id.slice(1)), {board, model} = view;
        const spots = model.ids.map((_, at) => board.sigma.graphToViewport({x: model.x[at], y: model.y[at]}));
        const [width, height] = [board.host.clientWidth, board.host.clientHeight];
        const best = spots.findIndex(({x, y}) => x > width / 4 && x < width / 2 && y > height / 4 && y < height / 2);
        return [spots[best].x, spots[best].y] }"""
    )
    x, y = box["x"] + found[0], box["y"] + found[1]
    page.mouse.move(x, y)
    page.mouse.down()
    dragged = frames_while(page, lambda step: page.mouse.move(x + step % 50 * 4, y + step % 30 * 4))
    page.mouse.up()
    print(f"{nodes} nodes: {moved:.0f} frames/s when moved, {dragged:.0f} when a node is dragged")
    page.close()  # with its route
    assert min(moved, dragged) >= 30


@pytest.mark.deep
def test_pins_and_style_rules_are_kept_with_the_view(tab: Tab) -> None:
    page = drawn(tab, f"/graph?ids={LEDGER}")
    view = "getElement(document.querySelector('.gm-graph-view').id.slice(1))"
    place = f"() => {{ const m = {view}.model; const n = m.position.get('{LEDGER}'); return [m.x[n], m.y[n]] }}"
    before = page.evaluate(place)
    page.locator(".gm-graph").focus()
    page.keyboard.press("Shift+ArrowRight")  # the node that is shown is selected
    moved = page.evaluate(place)
    assert moved[0] > before[0] and moved[1] == pytest.approx(before[1], abs=1e-6)
    pin = page.get_by_role("button", name="Pin", exact=True)
    expect(pin).to_have_attribute("aria-pressed", "true")
    page.locator(".gm-styles summary").click()
    page.get_by_label("kind", exact=True).select_option("Commit")
    page.get_by_label("Property").select_option("subject")
    page.get_by_label("Condition").select_option("contains")
    page.get_by_label("Value").fill("ledger")
    page.get_by_label("Colour", exact=True).select_option("red")
    page.get_by_label("Size").select_option("largest")
    page.get_by_label("Name by").select_option("author")
    assert not (wrong := violations(page)), "\n".join(wrong)
    page.get_by_role("button", name="Add the rule").click()
    expect(page.locator(".gm-rule")).to_contain_text("subject contains “ledger”: red, largest, named by author")
    expect(page).to_have_url(re.compile("pin=.*style="))
    page.reload()
    page.wait_for_selector(".gm-layers canvas")
    page.wait_for_function("!document.querySelector('.gm-graph-busy')")
    assert page.evaluate(place) == pytest.approx(moved, abs=0.06)  # a tenth in the address
    red = f"() => Object.fromEntries({view}.board.graph.mapNodes((key, data) => [{view}.model.titles[data.node], [data.color, data.label]]))"
    shown = page.evaluate(red)
    (styled,) = [data for title, data in shown.items() if title.startswith("Add harbour/ledger.py")]
    assert styled[0] == "#c92a2a" and not styled[1].startswith("Add"), shown
    page.get_by_role("button", name="List").click()
    expect(page.locator(".gm-graph-list tr", has_text="harbour/ledger.py").first).to_contain_text("pinned")
    page.get_by_role("button", name="List").click()
    page.locator(".gm-rule button").click()
    expect(page.locator(".gm-rule")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".gm-rule")).to_have_count(1)
    page.locator(".gm-graph").focus()
    page.keyboard.press("p")
    expect(pin).to_have_attribute("aria-pressed", "false")
