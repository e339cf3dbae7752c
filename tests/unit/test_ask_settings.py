"""Which settings are read where, what depends on a field, and what one more option needs that is like one that there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import Repository

from graphmem import Memory
from graphmem.ask.types import parse_question


@pytest.mark.parametrize(
    ("text", "type"),
    [
        ("which Django settings are read?", "settings"), ("which config keys does the program use?", "settings"),
        ("어떤 설정을 읽나?", "settings"), ("what settings are there?", "settings"), ("where is the setting CACHE_TTL read?", "settings"),
        ("which settings of package.json are used?", "configuration"), ("which environment variables are read?", "environment"),
        ("what fails if Task.delay is removed?", "impact"), ("what breaks when Task.delay is gone?", "impact"),
        ("which function reads settings_path?", "reads"), ("when was rebate removed", "removed"), ("which tests fail if tax changes?", "tests"),
    ],
)  # fmt: skip
def test_types_of_questions(text: str, type: str) -> None:
    assert parse_question(text).type == type


SETTINGS = {
    "app/views.py": '"""Speaks of `settings.SPOKEN` alone:\n\n    settings.SPOKEN\n"""\nfrom django.conf import settings\n\n'
    "QUEUE = getattr(settings, 'QUEUE', None)\nif isinstance(QUEUE, dict):\n    queue_config = QUEUE.copy()\n"
    "    name = queue_config.pop('name', 'x')\n    if 'fast' not in queue_config:\n        del queue_config['slow']\n\n\n"
    "def debug(key):\n    return settings.DEBUG or getattr(settings, key)\n\n\ndef row():\n    return settings.DATABASES['default']['NAME']\n",
    "app/flask_app.py": "def make(app):\n    app.config['SET_HERE'] = 1\n    return app.config['CART_LIMIT'], app.config.get('CART_MODE')\n",
    "tests/test_app.py": "from django.conf import settings\n\n\ndef test_one():\n    assert settings.ONLY_TESTED\n",
    "web/server.ts": 'export function port(configService: any, config: any) {\n  return configService.get<string>("web.port") ?? config.get("web.host");\n}\n',
    "cmd/main.go": 'package main\n\nimport "github.com/knadh/koanf/v2"\n\nvar ko = koanf.New(".")\n\n'
    'func main() {\n\tprintln(ko.String("app.address"), viper.GetInt("app.workers"))\n}\n',
    "lib/shop.rb": "def limit\n  Rails.application.config.x.cart.limit\nend\n",
    "src/Shop.java": 'class Shop {\n  @Value("${shop.name:none}") String name;\n  String at(Environment env) { return env.getProperty("shop.at"); }\n}\n',
    "src/Shop.cs": 'class Shop {\n  string Of(IConfiguration config) { return config["Shop:Key"]; }\n}\n',
}


def test_settings_of_many_kinds_with_their_places_and_keys(memory: Memory, tmp_path: Path) -> None:
    for name, text in SETTINGS.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    memory.index_code(tmp_path)
    lines = memory.ask("which settings are read?").lines
    names = {line.split()[0] for line in lines[1:] if not line.startswith(" ")}
    read = {"QUEUE", "DEBUG", "DATABASES", "CART_LIMIT", "CART_MODE", "web.port", "web.host", "app.address", "app.workers", "x.cart.limit",
            "shop.name", "shop.at", "Shop:Key"}  # fmt: skip
    assert read <= names and names.isdisjoint({"SPOKEN", "SET_HERE", "slow", "name"})
    assert lines[0].startswith(f"{len(read)} settings are read, in sources without tests")
    assert "QUEUE app/views.py:7 QUEUE: QUEUE = getattr(settings, 'QUEUE', None)" in lines
    assert "  keys of QUEUE that code names: name app/views.py:10, fast app/views.py:11, slow app/views.py:12" in lines
    assert "  keys of DATABASES that code names: default app/views.py:20, NAME app/views.py:20" in lines
    assert any(line.startswith("app/views.py:16 reads a name that is composed") for line in lines)
    assert "1 more in tests alone: ONLY_TESTED tests/test_app.py:5" in lines
    one = memory.ask("where is the setting CART_LIMIT read?").lines
    assert one[0].startswith("1 setting is read") and one[1].startswith("CART_LIMIT app/flask_app.py:3 make: ")


def test_no_setting_is_an_answer_too_but_no_sure_one(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def run(key):\n    return 1\n")
    memory.index_code(tmp_path)
    found = memory.ask("which settings are read?")
    assert (
        found.lines[0].startswith("0 settings are read, in sources without tests") and found.confidence == "suggested"
    )


def test_variables_that_tests_alone_read(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def run():\n    return 1\n")
    (tmp_path / "test_a.py").write_text("import os\n\nSLOW = os.environ.get('SLOW_TESTS')\n")
    memory.index_code(tmp_path)
    assert memory.ask("which environment variables are read?").lines == (
        "0 variables are read from the environment, in sources without tests",
        "1 more in tests alone: SLOW_TESTS test_a.py:3",
    )


TASKS = (
    "class Task:\n    def __init__(self, name, retries=0, delay=0, weight=None):\n        self.retries = retries\n"
    "        self.delay = delay\n        self.weight = weight\n\n    def wait(self):\n        if self.delay:\n            return 2 * self.delay\n"
    "        self.delay = 0\n        return getattr(self, 'delay')\n\n    def again(self):\n        return Task('a', retries=self.retries, delay=self.delay)\n"
)


def test_what_fails_without_a_field_is_who_reads_it(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "tasks.py").write_text(TASKS)
    memory.index_code(tmp_path)
    found = memory.ask("what fails if Task.delay is removed?")
    assert found.lines[0] == "field Task.delay (tasks.py:4) is read at 4 places"
    assert [line.split()[0] for line in found.lines[1:5]] == ["tasks.py:8", "tasks.py:9", "tasks.py:11", "tasks.py:14"]
    assert "tasks.py:9 Task.wait: return 2 * self.delay" in found.lines
    written = found.lines.index(next(line for line in found.lines if "is given a value at" in line))
    assert "tasks.py:10 Task.wait: self.delay = 0" in found.lines[written:]


def test_one_more_option_like_another(memory: Memory, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repository")
    before = {
        "tasks.py": "class Task:\n    def __init__(self, name, retries=0, delay=0):\n        self.retries = retries\n        self.delay = delay\n\n\n"
        "def again(task):\n    return Task(task.name, retries=task.retries, delay=task.delay)\n\n\n"
        "def make(fn, retries=0, delay=0):\n    return Task(fn, retries, delay)\n",
        "pack.py": "def pack(task):\n    return (task.retries, task.delay)\n",
    }
    after = {
        "tasks.py": "class Task:\n    def __init__(self, name, retries=0, delay=0, weight=None):\n        self.retries = retries\n"
        "        self.delay = delay\n        self.weight = weight\n\n\n"
        "def again(task):\n    return Task(task.name, retries=task.retries, delay=task.delay)\n\n\n"
        "def make(fn, retries=0, delay=0, weight=None):\n    return Task(fn, retries, delay, weight)\n",
        "pack.py": "def pack(task):\n    return (task.retries, task.delay, task.weight)\n",
        "make.sql": "create table task (retries int, delay int, weight int);\n",
    }
    repository.commit("Begin", before)
    repository.commit("Weigh tasks", after)
    memory.init(repository.path)
    found = memory.ask("what must change to add a per-task option like weight?")
    assert found.type == "additions" and found.confidence != "high"
    assert found.lines[0] == "`weight` stands beside 2 options: retries, delay"
    assert "1 place in other files: make.sql" in found.lines
    assert "5 places name 2 or more of these 3, 1 of them without `weight`; most first:" in found.lines
    assert "tasks.py:9 tasks.again: 2, without `weight`" in found.lines
    assert "pack.py:2 pack.pack: 3, `weight` at 2: return (task.retries, task.delay, task.weight)" in found.lines
    assert any("Weigh tasks; files: make.sql, pack.py, tasks.py" in line for line in found.lines)
