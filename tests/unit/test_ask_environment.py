"""Which variables of the environment are read: through the repository's own functions, through what holds the environment, by
libraries, and by shell scripts and files of containers."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmem import Memory
from graphmem.ask.answer import Answer


def _ask(memory: Memory, root: Path, files: dict[str, str]) -> Answer:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    memory.index_code(root)
    return memory.ask("which environment variables are read?")


SETTINGS = '''import os


def envbool(s: str, default: str) -> bool:
    """Read a switch with os.getenv()."""
    return os.getenv(s, default=default) == "True"


def envsecret(s, default=None):
    if path := os.getenv(s + "_FILE"):
        return open(path).read()
    return os.getenv(s, default)


def flag(name):
    return envbool(name, "False")


DEBUG = envbool("DEBUG", "True")
KEY = envsecret("KEY", "---")
BETA = flag("SHOP_BETA")
NEW = flag(
    "SHOP_NEW",
)
SESSIONS = os.getenv(
    "DB_SESSIONS", "read-write"
)
PORT = int(os.environ.get("PORT") or 8000)
'''


def test_functions_of_the_repository_that_are_given_a_name_are_followed(memory: Memory, tmp_path: Path) -> None:
    found = _ask(memory, tmp_path, {"settings.py": SETTINGS})
    assert found.lines == (
        "6 variables are read from the environment, in sources without tests",
        '*_FILE for each name that envsecret is given (KEY) settings.py:10 names are composed: if path := os.getenv(s + "_FILE"):',
        'DB_SESSIONS settings.py:25 SESSIONS (default "read-write")',
        'DEBUG settings.py:19 (through envbool, default "True")',
        'KEY settings.py:20 (through envsecret, default "---")',
        "PORT settings.py:28 (default 8000)",
        "SHOP_BETA settings.py:21 BETA (through flag)",
        "SHOP_NEW settings.py:22 NEW (through flag)",
    )
    assert found.confidence == "high"


def test_what_was_not_followed_lowers_the_confidence(memory: Memory, tmp_path: Path) -> None:
    text = (
        "import os\n\nNAMES = ['A', 'B']\nHOME = os.environ['SHOP_HOME']\nREST = [os.environ[name] for name in NAMES]\n"
    )
    found = _ask(memory, tmp_path, {"a.py": text})
    assert found.lines[1].startswith("a.py:5 reads names that are composed") and found.confidence == "suggested"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.go", 'package a\n\nimport "os"\n\nconst portKey = "SHOP_PORT"\n\nfunc env(key, other string) string {\n\tif v, ok := os.LookupEnv(key); ok '
         '{\n\t\treturn v\n\t}\n\treturn other\n}\n\nfunc Open() (string, string) { return env("SHOP_HOME", "/srv"), os.Getenv(portKey) }\n',
         ('SHOP_HOME a.go:14 Open (through env, default "/srv")', "SHOP_PORT a.go:14 Open")),
        ("b.go", 'package b\n\ntype Config struct {\n\tPort int `env:"SHOP_PORT" envDefault:"80"`\n}\n', ('SHOP_PORT b.go:4 Port (default "80")',)),
        ("c.ts", "export function configure (env: NodeJS.ProcessEnv) {\n  return { limit: parseNumber(env.SHOP_LIMIT, 1024 * 1024), zone: env['SHOP_ZONE'] }\n}\n",
         ("SHOP_LIMIT c.ts:2 configure (default 1024 * 1024)", "SHOP_ZONE c.ts:2 configure")),
        ("d.ts", "import { read } from './e'\n\nfunction read (env: Record<string, string>, other: number) {\n  return env.SHOP_URL ?? 'x'\n}\n\n"
         "export function open (options: any) {\n  const given = options.env ?? process.env\n  return read(given, 1)\n}\n", ("SHOP_URL d.ts:4 read (default 'x')",)),
        ("f.js", "const {\n  SHOP_A,\n  SHOP_B: b,\n} = process.env;\nconst dev = import.meta.env.DEV;\n", ("SHOP_A f.js:2", "SHOP_B f.js:3")),
        ("g.rb", "HOME = ENV.fetch('SHOP_HOME', '/srv')\nZONE = ENV['SHOP_ZONE'] || 'eu'\n",
         ("SHOP_HOME g.rb:1 HOME (default '/srv')", "SHOP_ZONE g.rb:2 ZONE (default 'eu')")),
        ("h.rs", 'fn var(name: &str) -> String {\n    std::env::var(name).unwrap_or_default()\n}\n\nfn main() {\n    let home = var("SHOP_HOME");\n}\n',
         ("SHOP_HOME h.rs:6 main (through var)",)),
        ("i.java", 'class I {\n  static String of(String key) { return System.getenv(key); }\n\n  void run() { of("SHOP_HOME"); }\n}\n',
         ("SHOP_HOME i.java:4 run (through of)",)),
        ("j.php", "<?php\n$a = env('SHOP_HOME', '/srv');\n", ("SHOP_HOME j.php:2 $a (default '/srv')",)),
        ("k.py", "import os\n\nenv = dict(os.environ)\nA = env.get('SHOP_A', 'x')\n\n\ndef run(argv):\n    return env['SHOP_B']\n",
         ("SHOP_A k.py:4 A (default 'x')", "SHOP_B k.py:8 run")),
        ("l.py", "import click\n\n\n@click.option('--home', envvar='SHOP_HOME')\ndef run(home):\n    return home\n", ("SHOP_HOME l.py:4",)),
    ],
)  # fmt: skip
def test_variables_are_found_in_every_language(
    memory: Memory, tmp_path: Path, name: str, text: str, expected: tuple[str, ...]
) -> None:
    found = _ask(memory, tmp_path, {name: text})
    assert found.lines[1:] == expected and found.confidence == "high"


def test_every_place_is_given_and_what_hands_on_all_variables(memory: Memory, tmp_path: Path) -> None:
    places = "".join(f'func F{number}() string {{ return os.Getenv("SHOP") }}\n' for number in range(9))
    text = f'package a\n\nimport "os"\n\n{places}\nfunc Again() {{ syscall.Exec("x", nil, os.Environ()) }}\n'
    found = _ask(memory, tmp_path, {"a.go": text, "web/vite.config.ts": "export const base = process.env.SHOP_BASE;\n"})
    assert found.lines[1:] == (
        "SHOP a.go:5, 6, 7, 8, 9, 10, 11, 12, 13",
        "1 more only in examples, scripts, support of tests, building and packaging: web/vite.config.ts SHOP_BASE 1",
        'a.go:15: hands on all variables: func Again() { syscall.Exec("x", nil, os.Environ()) }',
    )


def test_shell_scripts_and_files_of_containers(memory: Memory, tmp_path: Path) -> None:
    script = (
        "#!/bin/sh\n# $SHOP_COMMENT\nexport SHOP_UID=${SHOP_UID:-0}\nOWN=1\necho $OWN $HOME\n"
        "for line in $(env | grep '^SHOP_.*_FILE='); do echo $line; done\nrun \"$SHOP_MODE\"\n"
    )
    files = {
        "entrypoint.sh": script,
        "scripts/release.sh": "echo $SHOP_TOKEN\n",
        "Dockerfile": "FROM alpine\nARG SHOP_VERSION\nENV SHOP_GZIP=True\n",
        "compose.yaml": "services:\n  db:\n    environment:\n      A: ${SHOP_DB:-shop}\n",
    }
    found = _ask(memory, tmp_path, files)
    assert found.lines == (
        "0 variables are read from the environment, in sources without tests",
        "entrypoint.sh reads: SHOP_UID 3 (default 0), SHOP_MODE 7",
        "Dockerfile asks for: SHOP_VERSION 2",
        "Dockerfile sets: SHOP_GZIP=True 3",
        "compose.yaml reads: SHOP_DB 4 (default shop)",
        "entrypoint.sh:6: looks through all variables: for line in $(env | grep '^SHOP_.*_FILE='); do echo $line; done",
    )
