"""Impact, dead code, metrics and routes on small trees whose answers are plain to see."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem.codegraph import deadcode, impact, metrics, routes
from graphmem.codegraph.build import build
from graphmem.codegraph.view import View


def view(root: Path, **files: str) -> View:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return View(build(root))


APP = """import { save } from './store.js'
export function handle(x) {
  return check(x) && save(x)
}
function check(x) {
  return x > 1
}
function forgotten() {
  return alsoForgotten()
}
function alsoForgotten() {}
function maybe() {}
register(other => other.maybe())
"""
STORE = (
    "export function save(x) {\n  return write(x)\n}\nfunction write(x) {\n  if (x) { return 1 }\n  return x || 2\n}\n"
)
TEST = "import { handle } from '../app.js'\nfunction testHandle() {\n  handle(1)\n}\ntestHandle()\n"


@pytest.fixture
def app(tmp_path: Path) -> View:
    return view(tmp_path, app_DOT_js=APP, store_DOT_js=STORE, test__app_DOT_js=TEST)


def test_impact_follows_callers_to_tests(app: View) -> None:
    [write] = app.find("store.write")
    found = impact.find_impact(app, [write.key])
    steps = {r.symbol.name: r.depth for r in found.reached}
    assert (steps["save"], steps["handle"], steps["testHandle"]) == (1, 2, 3)
    assert [t.name for t in found.tests] == ["testHandle"]
    assert all(0 < r.confidence <= 1 for r in found.reached) and 0 < found.risk < 1
    assert {r.symbol.name for r in impact.find_impact(app, [write.key], depth=1).reached} == {"save"}


def test_impact_of_a_module_is_that_of_what_it_defines(app: View) -> None:
    [store] = [s for s in app.by_file["store.js"] if s.kind == "module"]
    found = impact.find_impact(app, [store.key], whole=True)
    assert found.changed == (store,) and [t.name for t in found.tests] == ["testHandle"]
    assert found.risk > impact.find_impact(app, [store.key]).risk


def test_a_number_tells_overloads_apart(tmp_path: Path) -> None:
    both = view(tmp_path, A_DOT_java="class A { void f(int a) {} void f(String b) { f(1); f(unknown()); } }")
    assert [s.signature for s in both.find("A.f#2")] == ["void f(String b)"] and len(both.find("A.f")) == 2
    [first], [second] = both.find("f#1"), both.find("f#2")
    found = {(e.target, e.strategy, e.confidence) for e in both.calls([second.key], of=False)}
    assert (first.key, "type", 1.0) in found  # the surer of the two calls of it stays
    assert (second.key, "overload", 0.5) in found  # what an unknown value means is said to be open


def test_overloads_with_a_delegate_without_parameters_are_told_apart(tmp_path: Path) -> None:
    code = "class A { void F(Action a) {} void F(Func<int> b) {} void G(Action done) { F(done); } }"
    both = view(tmp_path, A_DOT_cs=code)
    [first], [caller] = both.find("F#1"), both.find("A.G")
    assert [e.target for e in both.calls([caller.key], of=False)] == [first.key]


def test_unresolved_calls_are_counted(app: View) -> None:
    [maybe] = app.find("app.maybe")
    assert impact.find_impact(app, [maybe.key]).open_sites == 1


def test_diff_to_symbols(app: View) -> None:
    diff = (
        "diff --git a/store.js b/store.js\n--- a/store.js\n+++ b/store.js\n@@ -4,3 +4,3 @@ function write(x) {\n function write(x) {\n"
        "-  if (x) { return 0 }\n+  if (x) { return 1 }\n   return x || 2\n"
        "--- a/app.js\n+++ b/app.js\n@@ -5,0 +6 @@\n+  return x > 1\n"
    )
    assert impact.parse_hunks(diff) == [("store.js", 5, 5), ("app.js", 6, 6)]
    assert [s.name for s in impact.changed_symbols(app, diff)] == ["check", "write"]
    gone = "--- a/app.js\n+++ /dev/null\n@@ -5,3 +0,0 @@\n-function check(x) {\n-  return x > 1\n-}\n"
    assert [s.name for s in impact.changed_symbols(app, gone)] == ["check"]
    assert impact.parse_hunks("garbage\n@@ -1 +1 @@\n+x\n") == []


def test_dead_code_spares_what_may_live(app: View) -> None:
    report = deadcode.dead_code(app)
    assert [d.symbol.name for d in report.dead] == ["forgotten"]
    assert report.spared["unresolved calls of that name"] == 1


def test_dead_code_knows_overrides_decorators_and_entry_points(tmp_path: Path) -> None:
    found = view(
        tmp_path,
        a_DOT_go='package main\nimport "sort"\nfunc main() { sort.Sort(things{}) }\nfunc init() {}\ntype things []int\n'
        "func (t things) Len() int { return 0 }\nfunc (t things) unused() {}\n",
        B_DOT_java="class B extends Outside { void hook() {} @Scheduled void tick() {} private void lost() {} }\nclass Main { public static void main(String[] a) { new B(); } }\n",
    )
    assert {d.symbol.name for d in deadcode.dead_code(found).dead} == {"unused", "lost"}


def test_dead_code_spares_functions_that_their_module_looks_up_by_name(tmp_path: Path) -> None:
    looked_up = "def _one(): ...\ndef _two(): ...\ndef make(kind):\n    return globals()[f'_{kind}']()\n"
    found = view(tmp_path, a_DOT_py=looked_up, b_DOT_py="def _three(): ...\n")
    report = deadcode.dead_code(found)
    assert [d.symbol.name for d in report.dead] == ["_three"]
    assert report.spared["looked up by name"] == 2


def test_dead_code_spares_what_frameworks_and_others_tests_look_for(tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(
        "class Shown:\n    def _repr_html_(self): pass\n    def _left(self): pass\nShown()\n"
    )
    (tmp_path / "testing").mkdir()
    (tmp_path / "testing/util.py").write_text("__all__ = ()\ndef check(): pass\ndef _gone(): pass\n")
    report = deadcode.dead_code(View(build(tmp_path)))
    assert {d.symbol.name for d in report.dead} == {"_left", "_gone"}
    assert report.spared == {"test helper": 1, "special name": 1}


def test_what_libraries_call_by_convention_is_not_dead(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("__all__ = []\nclass Old: pass\ndef _none(): pass\n")
    (tmp_path / "pkg/lock.py").write_text(
        "from zope.interface import implementer\nfrom outside import IBody, jar\n__all__ = ['make']\n"
        "class _Lock:\n    def acquire(self): pass\n    def unheard(self): pass\n"
        "@implementer(IBody)\nclass _Body:\n    def startProducing(self): pass\n"
        "def make():\n    jar.lock = _Lock()\n    return _Body(), _Machine(), _Any()\n"
        "class _Machine:\n    state = 'IDLE'\n    leave = lambda self: getattr(self, '_'.join(['', 'lost', self.state]))\n"
        "    def _lost_IDLE(self): pass\n    def _lost_BUSY(self): pass\n"
        "class _Any:\n    def __getattr__(self, name): return len\n    def declared(self): ...\n"
    )
    (tmp_path / "page.js").write_text("window.onresize = function () {}\nfunction astray() {}\n")
    view = View(build(tmp_path))
    texts = [(path, (tmp_path / path).read_text()) for path in view.index.sources]
    found = deadcode.dead_code(view, texts=texts)
    assert {d.symbol.name for d in found.dead} == {"_none", "unheard", "astray"}


def test_dead_code_spares_what_is_named_elsewhere(tmp_path: Path) -> None:
    files = {
        "a.py": "def _shown():\n    return _shown\ndef _lost():\n    return _lost\ndef _by_kind_small(): ...\n",
        "b.py": "def run(thing, kind):\n    return thing._shown, getattr(thing, f'_by_kind_{kind}')\nrun(1, 2)\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = View(build(tmp_path))
    assert {"_shown", "_lost"} <= {d.symbol.name for d in deadcode.dead_code(found).dead}
    report = deadcode.dead_code(found, texts=files.items())
    assert [d.symbol.name for d in report.dead] == ["_lost"]
    assert report.spared["name occurs elsewhere"] == 2


def test_metrics(app: View) -> None:
    rank = metrics.symbol_centrality(app)
    assert sum(rank.values()) == pytest.approx(1.0)
    named = {app.symbols[k].name: r for k, r in rank.items()}
    assert named["write"] > named["forgotten"]
    assert metrics.hot_spots(app, 1)[0].name == "write"
    assert metrics.untested_symbols(app) == []
    overview = metrics.code_overview(app)
    assert [p.name for p in overview.packages if p.name == "."] == ["."]
    assert overview.languages == (("javascript", 3, 25),)
    assert [s.name for s in overview.entry_points] == ["app"]


def test_a_program_begins_at_main(tmp_path: Path) -> None:
    text = "package main\n\nfunc init() {}\n\nfunc main() { run() }\n\nfunc run() {}\n"
    found = view(tmp_path, a_DOT_go="package main\n\nfunc init() {}\n", b_DOT_go=text)
    assert [s.name for s in metrics.entry_points(found)] == ["main", "init", "init"]


def test_cycles(tmp_path: Path) -> None:
    found = view(
        tmp_path,
        a_DOT_js="import './b.js'",
        b_DOT_js="import './c.js'",
        c_DOT_js="import './a.js'",
        d_DOT_js="import './a.js'",
    )
    assert metrics.import_cycles(found) == [("a.js", "b.js", "c.js")]


@pytest.mark.parametrize(
    ("file", "source", "expected"),
    [
        ("a.js", "app.get('/x', list)\nfunction list(req, res) {}\napp.post('/y', (req) => 1)\n", {("GET", "/x", "list"), ("POST", "/y", "<lambda1>")}),
        ("a.py", "@app.route('/x', methods=['POST', 'PUT'])\ndef make(): ...\n@router.get('/y')\nasync def read(): ...\nurlpatterns = [path('z/', make)]\n",
         {("POST", "/x", "make"), ("PUT", "/x", "make"), ("GET", "/y", "read"), ("ANY", "/z/", "make")}),
        ("a.go", 'package a\nfunc f(r *gin.Engine) { r.GET("/x", list); http.HandleFunc("/y", list) }\nfunc list() {}\n', {("GET", "/x", "list"), ("ANY", "/y", "list")}),
        ("A.java", '@RequestMapping("/api")\nclass A { @GetMapping("/x") String x() { return ""; } @PostMapping(path = "/y") void y() {} }\n',
         {("GET", "/api/x", "x"), ("POST", "/api/y", "y")}),
        ("B.java", '@RestController\nclass B { @DeleteMapping("/z") void z() {} }\n', {("DELETE", "/z", "z")}),
        ("a.rs", 'fn f() { Router::new().route("/x", get(list)).route("/y", post(list)); }\nfn list() {}\n#[put("/z")]\nfn change() {}\n',
         {("GET", "/x", "list"), ("POST", "/y", "list"), ("PUT", "/z", "change")}),
        ("b.rs", 'fn app() { let api = Router::new().route("/x", get(list).delete(list)); Router::new().nest("/api", api) }\nfn list() {}\n',
         {("GET", "/api/x", "list"), ("DELETE", "/api/x", "list")}),
        ("b.go", 'package b\nfunc f(r *gin.Engine) {\n v := r.Group("/v1")\n u := v.Group("/u")\n u.GET("/:id", list)\n}\nfunc list() {}\n', {("GET", "/v1/u/:id", "list")}),
        ("b.js", "fastify.route({ method: 'PUT', url: '/x', handler: list })\nfunction list() {}\naxios.post('/y', data)\napi.put('/z', { a: 1 })\n", {("PUT", "/x", "list")}),
        ("b.ts", "const app = new Hono().basePath('/api')\napp.get('/x', list)\nfunction list(c: any) {}\n", {("GET", "/api/x", "list")}),
        ("C.java", '@RequestMapping("/api")\nclass C { @PostMapping void y() {} @RequestMapping(value = "/z", method = RequestMethod.PUT) void z() {} }\n',
         {("POST", "/api", "y"), ("PUT", "/api/z", "z")}),
        ("A.cs", '[Route("api/[controller]")]\nclass OrdersController { [HttpGet("{id}")] int One() => 1; [HttpPost] void Make() {} }\n',
         {("GET", "/api/Orders/{id}", "One"), ("POST", "/api/Orders", "Make")}),
        ("B.cs", 'var v = app.MapGroup("/v1");\nv.MapPost("/y", Handlers.Y);\nstatic class Handlers { public static void Y() {} }\n', {("POST", "/v1/y", "Y")}),
        ("routes.rb", 'get "/about", to: "pages#about"\nresources :pages\nnamespace :api do\n  post "pay", to: "pages#pay"\nend\nclass PagesController\n'
         "  def about; end\n  def index; end\n  def pay; end\nend\n", {("GET", "/about", "about"), ("GET", "/pages", "index"), ("POST", "/api/pay", "pay")}),
        ("routes.php", "<?php\nRoute::get('/o/{id}', [Orders::class, 'show']);\nRoute::prefix('admin')->group(function () { Route::post('/o', 'Orders@store'); });\n"
         "class Orders { function show() {} function store() {} #[Route('/s', methods: ['GET'])] function s() {} }\n",
         {("GET", "/o/{id}", "show"), ("POST", "/admin/o", "store"), ("GET", "/s", "s")}),
    ],
)  # fmt: skip
def test_routes(tmp_path: Path, file: str, source: str, expected: set[tuple[str, str, str]]) -> None:
    (tmp_path / file).write_text(source)
    found = routes.find_routes(View(build(tmp_path)), tmp_path)
    assert {(r.method, r.path, r.handler.name if r.handler else "") for r in found} == expected


def test_routers_are_mounted_across_files(tmp_path: Path) -> None:
    files = {
        "app/__init__.py": "",
        "app/users.py": "router = APIRouter(prefix='/users')\n@router.get('/{id}')\ndef one(id): ...\n",
        "app/main.py": "from app import users\napp = FastAPI()\napp.include_router(users.router, prefix='/v1')\n",
        "shop/__init__.py": "",
        "shop/cart.py": "bp = Blueprint('cart', __name__, url_prefix='/cart')\n@bp.get('/x')\ndef cart(): ...\n",
        "shop/app.py": "from shop.cart import bp\ndef make(app):\n    app.register_blueprint(bp, url_prefix='/c')\n",
        "site/urls.py": "urlpatterns = [path('api/', include('orders.urls'))]\n",
        "orders/urls.py": "from orders.views import Order\nurlpatterns = [path('o/', Order.as_view())]\n",
        "orders/views.py": "class Order: ...\n",
        "src/users.js": "const router = express.Router()\nrouter.get('/:id', one)\nfunction one() {}\nmodule.exports = router\n",
        "src/app.js": "const users = require('./users')\nconst app = express()\napp.use('/people', users)\n",
    }
    found = routes.find_routes(_tree(tmp_path, files), tmp_path)
    assert {(r.path, r.handler.name if r.handler else "") for r in found} == {
        ("/v1/users/{id}", "one"), ("/c/x", "cart"), ("/api/o/", "Order"), ("/people/:id", "one")
    }  # fmt: skip


def test_requests_of_other_services_are_callers(tmp_path: Path) -> None:
    files = {
        "api/app.py": "@app.get('/users/{id}')\ndef one(id): ...\n@app.post('/users')\ndef make(): ...\n@app.get('/users/me')\ndef me(): ...\n",
        "web/api.ts": "export const load = (id: string) => fetch(`${BASE}/users/${id}`)\n"
        "export const save = (u: object) => fetch('/users', { method: 'POST', body: u })\n"
        "export const own = () => axios.get('http://api.local/users/me?full=1')\nexport const odd = (m: any) => m.get('/nowhere')\n",
        "work/main.go": 'package main\nfunc pull(id string) { http.Get("http://api/users/" + id) }\n',
        "job/Job.cs": 'class Job { async Task Run(HttpClient c) { await c.PostAsJsonAsync("/users", 1); } }\n',
        "tests/test_api.py": "def test_one(client):\n    client.get('/users/1')\n",
    }
    found = routes.find_routes(_tree(tmp_path, files), tmp_path)
    assert {r.handler.name: {s.name for s, _ in r.callers} for r in found if r.handler} == {
        "one": {"load", "pull", "test_one"}, "make": {"save", "Run"}, "me": {"own"}
    }  # fmt: skip


ROUTE = "app.add_url_rule({}, view_func=h)\n"
ENDLESS = {
    "elements of elements": "def h(): ...\nt0 = [" + "'a'," * 150 + "]\n"
    + "".join(f"t{n + 1} = [{f'*t{n},' * 150}]\n" for n in range(4)) + f"for p in t4:\n    {ROUTE.format('p')}",
    "text in text": "def h(): ...\nb = 'a' * 1\nb = 'x'\na = '" + "a" * 900 + "'\nc = a\n"
    + ROUTE.format("""a.replace("a", c).replace("a", c).replace("a", c)"""),
    "a route in each round": "def h(): ...\nT = [" + ",".join(f"('/{n}', h)" for n in range(300)) + "]\nfor p, q in T:\n"
    + f"    {ROUTE.format('p')}" * 5_000,
    "deep and wide": "def h(): ...\nx = " + "(" * 600 + "[" + f"{ROUTE.format('p').strip()},\n" * 10_000 + "]" + ")" * 600 + "\n",
    "local names": "def h(): ...\ndef f():\n" + f"  for z in (1, 2):\n    {ROUTE.format('p')}" * 5_000 + "  p = '/a'\n",
}  # fmt: skip


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS.keys())
def test_no_table_makes_routes_endless(tmp_path: Path, source: str) -> None:
    """Each takes about a second; without limits a minute and gigabytes, or more time than there is."""
    (tmp_path / "app.py").write_text(source)
    found = routes.find_routes(View(build(tmp_path)), tmp_path)
    assert found and len(found) < 100_000 and all(len(route.path) < 2_500 for route in found)


def test_a_router_mounted_many_times_has_few_prefixes(tmp_path: Path) -> None:
    mounts = "".join(
        f"r{n} = Blueprint('r', url_prefix='/p{n}')\n"
        + "".join(f"r{n}.register_blueprint(r{n + 1}, url_prefix='/m{m}')\n" for m in range(6))
        for n in range(8)
    )
    (tmp_path / "app.py").write_text(f"{mounts}@r8.route('/x')\ndef h(): ...\n")
    assert 1 < len(routes.find_routes(View(build(tmp_path)), tmp_path)) <= 16


def test_requests_to_many_routes_are_compared_by_segment(tmp_path: Path) -> None:
    served = "".join(f"@app.get('/items/{n}/{{id}}/parts')\ndef h{n}(id): ...\n" for n in range(2_000))
    asked = "".join(f"def f{n}(client):\n    client.get('/items/{n}/7/parts')\n" for n in range(2_000))
    found = routes.find_routes(_tree(tmp_path, {"app.py": served, "use.py": asked}), tmp_path)
    assert len(found) == 2_000
    assert all([s.name for s, _ in route.callers] == [f"f{route.path.split('/')[2]}"] for route in found)


def _tree(root: Path, files: dict[str, str]) -> View:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return View(build(root))


def test_a_class_is_called_where_it_is_made(tmp_path: Path) -> None:
    made = view(
        tmp_path,
        shapes_DOT_ts="class Base { constructor(n: number) {} }\nclass Sub extends Base {}\nfunction make() { return new Sub(1) }\n",
    )
    [sub] = made.find("Sub")
    assert [made.symbols[edge.source].name for edge in made.calls([sub.key], of=True)] == ["make"]


def test_names_with_a_dollar_are_names_of_their_own(tmp_path: Path) -> None:
    text = "function $used() {}\nfunction used() {}\nlet f = '$used'\n"
    made = view(tmp_path, a_DOT_js=text)
    assert [s.line for s in made.find("$used")] == [1]
    [dead] = deadcode.dead_code(made, texts=[("a.js", text.replace("'$used'", "x"))]).dead[:1]
    spared = deadcode.dead_code(made, texts=[("b.js", "el['$used']()")])
    assert dead.symbol.name in ("$used", "used") and [d.symbol.name for d in spared.dead] == []


CLIENT = "class Client:\n    def __init__(self, app):\n        self.app = app\n\n    def open(self):\n        return self.app()\n"
CLIENT_TEST = (
    "from client import Client\n\n\ndef served():\n    return 1\n\n\ndef test_open():\n    Client(served).open()\n"
)


@pytest.mark.parametrize("where", ["tests__unit__test_client_DOT_py", "tests__helpers_DOT_py", "examples__app_DOT_py"])
def test_what_tests_pass_to_sources_is_kept_apart(tmp_path: Path, where: str) -> None:
    made = view(tmp_path, client_DOT_py=CLIENT, **{where: CLIENT_TEST})
    [app], [open_], [test] = made.find("served"), made.find("Client.open"), made.find("test_open")
    assert made.calls([app.key], of=True) == [] and made.calls([open_.key], of=False) == []
    assert [edge.strategy for edge in made.incoming[app.key] if edge.source == open_.key] == ["from tests"]
    assert [edge.source for edge in made.calls([open_.key], of=True)] == [test.key]
    assert open_.key not in {r.symbol.key for r in impact.find_impact(made, [app.key]).reached}
    assert {p.name: p.uses for p in metrics.package_metrics(made)}["."] == ()


def test_what_a_source_imports_from_tests_is_its_own(tmp_path: Path) -> None:
    made = view(
        tmp_path,
        client_DOT_py="from tests.helpers import app\n\n\ndef run():\n    app()\n",
        tests__helpers_DOT_py="def app():\n    return 1\n",
    )
    [app] = made.find("app")
    assert [edge.type for edge in made.calls([app.key], of=True)] == ["CALLS"]


def test_fixtures_do_not_make_a_call_uncertain(tmp_path: Path) -> None:
    many = "".join(f"class App{n}:\n    def run(self):\n        pass\n\n\n" for n in range(6))
    test = (
        "from client import Client\n\n\n"
        + many
        + "def test_open():\n"
        + "".join(f"    Client(App{n}()).open()\n" for n in range(6))
    )
    text = (
        CLIENT.replace("self.app()", "self.app.run()")
        + "\n\nclass Real:\n    def run(self):\n        pass\n\n\ndef main():\n    Client(Real()).open()\n"
    )
    made = view(tmp_path, client_DOT_py=text, tests__test_client_DOT_py=test)
    [open_] = made.find("Client.open")
    assert [made.symbols[e.target].qualified_name for e in made.calls([open_.key], of=False)] == ["client.Real.run"]
