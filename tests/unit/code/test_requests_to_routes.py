"""Requests to HTTP routes: which routes a change ends at, and which tests reach it by the URL of one. Paths are written, kept in
variables, formatted, or asked for by the name of the route; handlers are wrapped; lists of Django are included in each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.code.route_handlers import names_of_routes, request_edges
from graphmem.codegraph.build import build
from graphmem.codegraph.routes import find_routes
from graphmem.codegraph.view import View
from graphmem.interfaces.text.answers import FORMS
from graphmem.interfaces.text.code import impact_text

DJANGO = {
    "shop/views.py": (
        "from shop.models import total\n\n\ndef index(request): ...\n\n\ndef order(request, code):\n    return total(code)\n\n\n"
        "def items(request, code): ...\n\n\ndef log(request, code): ...\n\n\ndef health(request): ...\n"
    ),
    "shop/models.py": "def total(code):\n    return code\n",
    "shop/urls.py": (
        "from django.urls import include, path\nfrom django.contrib.auth.decorators import login_required\nfrom shop import views\n\n"
        "order_urls = [\n    path('items/', views.items, name='items'),\n    path('log/', views.log, name='log'),\n]\n"
        "api_urls = [path('orders/<int:code>', views.order)]\n"
        "urlpatterns = [\n    path('', views.index),\n    path('health/', login_required(views.health)),\n"
        "    path('orders/<uuid:code>/', include(order_urls)),\n    path('api/v1/', include((api_urls, 'api'))),\n]\n"
    ),
    "tests/test_shop.py": (
        "from django.test import TestCase\nfrom django.urls import reverse\n\n\nclass ShopTest(TestCase):\n    def setUp(self):\n"
        "        self.url = '/orders/%s/log/' % self.code\n        self.base = f'/api/v1/orders/{self.code}'\n\n"
        "    def test_log(self):\n        self.client.get(self.url)\n\n"
        "    def test_items(self):\n        self.client.get(reverse('shop:items', args=[1]))\n\n"
        "    def test_order(self):\n        url = '/elsewhere/'\n        url = self.base + '?full=1'\n        self.client.get(url)\n\n"
        "    def test_index(self):\n        self.client.get('/')\n        {}.get(self.url)\n\n"
        "    def test_health(self):\n        self.client.get('/health/')\n        self.client.get('/orders/{}/items/'.format(1))\n"
    ),
}
GO = {
    "cmd/app.go": (
        "package main\n\nimport (\n\t\"net/http\"\n\n\t\"github.com/labstack/echo\"\n)\n\n"
        "func total() int { return 1 }\n\nfunc (a *App) GetOrder(c echo.Context) error { total(); return nil }\n"
        "func (a *App) GetLogs(c echo.Context) error { return nil }\n\n"
        "type App struct{}\n\nfunc hasID(next echo.HandlerFunc) echo.HandlerFunc { return next }\n"
        "func css(key string) echo.HandlerFunc { return nil }\n\n"
        "func serve(e *echo.Echo, a *App, may func(echo.HandlerFunc, ...string) echo.HandlerFunc) {\n"
        '\te.GET("/api/orders/:id", may(hasID(a.GetOrder), "orders:get"))\n'
        '\te.GET("/api/logs", may(a.GetLogs, "logs:get"))\n\te.GET("/custom.css", css("custom"))\n'
        '\te.GET("/ready", func(c echo.Context) error { total(); return nil })\n}\n'
    ),
    "web/cypress/e2e/orders.cy.js": (
        "const apiUrl = Cypress.env('api')\ndescribe('orders', () => {\n"
        "  it('shows', () => { cy.request('GET', `${apiUrl}/api/orders/1`) })\n"
        "  it('logs', () => { cy.visit('/api/logs') })\n  it('is ready', () => { cy.request({ method: 'GET', url: '/ready' }) })\n})\n"
    ),
}  # fmt: skip


def tree(root: Path, files: dict[str, str]) -> View:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return View(build(root))


def test_lists_of_django_are_included_in_each_other(tmp_path: Path) -> None:
    found = find_routes(tree(tmp_path, DJANGO), tmp_path)
    assert {(route.path, route.handler.name if route.handler else "") for route in found} == {
        ("/", "index"), ("/health/", "health"), ("/orders/<uuid:code>/items/", "items"), ("/orders/<uuid:code>/log/", "log"),
        ("/api/v1/orders/<int:code>", "order"),
    }  # fmt: skip


def test_paths_in_variables_formats_and_names_of_routes(tmp_path: Path) -> None:
    found = find_routes(tree(tmp_path, DJANGO), tmp_path)
    assert {route.handler.name: {sender.name for sender, _ in route.callers} for route in found if route.handler} == {
        "index": {"test_index"}, "health": {"test_health"}, "items": {"test_items", "test_health"}, "log": {"test_log"}, "order": {"test_order"},
    }  # fmt: skip


def test_handlers_are_found_within_what_wraps_them(tmp_path: Path) -> None:
    view = tree(tmp_path, GO)
    found = find_routes(view, tmp_path)
    assert {(route.path, route.handler.name if route.handler else "") for route in found} == {
        ("/api/orders/:id", "GetOrder"), ("/api/logs", "GetLogs"), ("/custom.css", "css"), ("/ready", "serve"),
    }  # fmt: skip
    handlers = {view.symbols[edge.target].name for edge in request_edges(view)}
    assert handlers == {"GetOrder", "GetLogs"}  # what serves "/ready" has no name
    assert names_of_routes(view, {symbol.key for symbol in view.graph.symbols}) == (
        "GET /api/logs", "GET /api/orders/:id", "GET /custom.css",
    )  # fmt: skip


def test_a_path_behind_an_unknown_host_is_whole_rather_than_an_ending(tmp_path: Path) -> None:
    files = {
        "app.py": "import flask\n@app.get('/archive')\ndef all(): ...\n@app.get('/public/archive')\ndef public(): ...\n",
        "web.js": "const load = () => fetch(`${host}/archive`)\n",
    }
    found = find_routes(tree(tmp_path, files), tmp_path)
    assert {r.path: [sender.name for sender, _ in r.callers] for r in found} == {
        "/archive": ["load"],
        "/public/archive": [],
    }


@pytest.mark.parametrize(
    ("files", "symbol", "routes", "tests"),
    [
        (DJANGO, "shop.models.total", ("ANY /api/v1/orders/<int:code>",), {"tests/test_shop.py": ["test_order"]}),
        (GO, "total", ("GET /api/orders/:id",), {"web/cypress/e2e/orders.cy.js": ["<lambda1>"]}),
    ],
    ids=["django", "go"],
)
def test_impact_names_routes_and_tests_by_url(
    memory: Memory,
    tmp_path: Path,
    files: dict[str, str],
    symbol: str,
    routes: tuple[str, ...],
    tests: dict[str, list[str]],
) -> None:
    root = tmp_path / "tree"
    tree(root, files)
    memory.index_code(root)
    found = memory.code.impact(symbol)
    assert found.routes == routes
    assert f"routes that reach it: {routes[0]}" in impact_text(found)[0]
    plan = memory.code.tests(symbol)
    assert plan.by_request == tuple(tests)
    assert {test.name.rpartition(".")[2] for test, _ in plan.tests} == set(next(iter(tests.values())))
    assert "by URL" in FORMS[type(plan)](plan)[0]
