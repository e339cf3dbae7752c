"""Texts for `graphmem bench redaction`: places in which secrets stand, by kind, and generators of innocent text. In a template
`$NAME`, `$name`, `$camel` and `$kebab` are the name of the secret in the style of the place, `$v` its value, `$w` a plain word."""

from __future__ import annotations

import base64
import itertools
import json
import uuid
from collections.abc import Iterator
from random import Random

TEMPLATES: dict[str, tuple[str, ...]] = {
    "env": (
        "$NAME=$v\nPORT=8080\n",
        'export $NAME="$v"\n',
        "DEBUG=1\n$NAME='$v'  # $w\n",
        "set $NAME=$v\r\n",
        "$NAME: $v\n",
        "ENV $NAME $v\n",
        "ENV $NAME=$v\n",
    ),
    "json": (
        '{"$camel": "$v", "timeout": 30}',
        '{\n  "$name": "$v"\n}\n',
        '{"env": [{"name": "$NAME", "value": "$v"}]}',
        '{\\"$camel\\": \\"$v\\"}',
    ),
    "yaml": (
        "service:\n  $camel: $v\n  port: 80\n",
        'env:\n  - name: $NAME\n    value: "$v"\n',
        "$kebab: '$v'\n",
        "$name: >-\n  $v\nother: 1\n",
    ),
    "toml": ('[auth]\n$name = "$v"\nretries = 3\n', "[client]\n$kebab=$v\n"),
    "xml": (
        "<settings><$camel>$v</$camel></settings>",
        '<add key="$camel" value="$v" />',
        '<property name="$name">$v</property>',
    ),
    "shell": (
        "$ deploy --$kebab $v --region eu-1\n",
        "$ deploy --$kebab=$v\n",
        "$NAME=$v ./run.sh\n",
        "kubectl create secret generic app --from-literal=$kebab=$v\n",
        "docker run -e $NAME=$v image:1.2\n",
        "export $NAME=\\\n  $v\n",
    ),
    "python": ('$name = "$v"\n', "client = Client($name='$v', region=\"eu\")\n", 'os.environ["$NAME"] = "$v"\n'),
    "javascript": ("const $camel = '$v';\n", "  $camel: `$v`,\n", 'process.env.$NAME = "$v";\n'),
    "java": ('private static final String $NAME = "$v";\n', 'props.setProperty("$kebab", "$v");\n'),
    "go": ('$camel := "$v"\n', 'os.Setenv("$NAME", "$v")\n'),
    "ruby": ("$NAME = '$v'.freeze\n", "  $name: '$v',\n"),
    "php": ("define('$NAME', '$v');\n", "'$name' => '$v',\n"),
    "csharp": ('var $camel = "$v";\n', 'public const string $camel = "$v";\n'),
    "rust": ('let $name = "$v";\n', 'const $NAME: &str = "$v";\n'),
    "log": (
        "2026-03-04T05:06:07Z INFO $w connecting $name=$v retries=2\n",
        "[debug] request headers: {'X-$kebab': '$v'}\n",
        "\x1b[32m$NAME\x1b[0m=\x1b[33m$v\x1b[0m\n",
        "level=info msg=start $name=$v\n",
    ),
    "curl": (
        "curl -H 'Authorization: Bearer $v' https://api.$w.io/v1\n",
        'curl -H "X-$kebab: $v" https://api.$w.io/v1\n',
        "curl 'https://api.$w.io/v1/items?$name=$v&page=2'\n",
        "curl -u $w:$v https://api.$w.io/\n",
    ),
    "english": (
        "Use this $words for now: $v and rotate it later.\n",
        "The $words is $v.\n",
        "my $words is `$v`, please deploy\n",
        "I set the $words to $v yesterday.\n",
    ),
    "korean": (
        "$한 는 $v 입니다.\n",
        "$한: $v\n",
        "새 $한은 $v이고 다음 주에 바꿉니다.\n",
        "$한를 $v로 설정했어요.\n",
        "$한 `$v` 를 쓰세요.\n",
    ),
}
INNOCENT: dict[str, str] = {
    "code": (
        "max_tokens = 4096\nfor token in tokens[i:]:\n    keyword = token.lower()\n    author = "
        "self.author\npassword = getpass.getpass()\nsecret = os.environ['SECRET']\ndef login(password: "
        "str, token: str | None = None) -> bool: ...\n"
    ),
    "types": (
        "interface Options {\n  token?: string;\n  apiKey: ApiKey | undefined;\n  password: string;\n}\n"
        "const key = keys[0];\n"
    ),
    "placeholders": (
        "API_KEY=<your-api-key>\nTOKEN=${TOKEN}\nPASSWORD=changeme\nSECRET=xxxxxxxx\npassword: {{ vault_password }}\n"
    ),
    "korean": (
        "비밀번호는 여덟 글자 이상이어야 합니다. 토큰은 한 시간 뒤에 만료됩니다. API 키는 설정 화면에서 "
        "발급받습니다. 암호를 잊으셨나요? 인증 키가 없으면 요청이 거부됩니다."
    ),
    "english": (
        "The password is stored as a hash. The bearer of news came late. A token is a unit of text, and "
        "the secret is to begin early. Your API key is in the settings; passwords are never sent. The "
        "key is under the mat."
    ),
    "documentation": (
        "The password: a string of 8 characters. `token`: the token to use, see below.\n\n| Option | Type | Meaning |\n"
        "|---|---|---|\n| password | string | The user's password |\n| token | str | optional, default None |\n"
        "| --api-key KEY | string | key of the API |\n\nPassword\n    Enter your password and press return.\n\nToken:\n"
        "- created with `acme token create`\n- passed with --token or -t\n\nLog in with `docker login -u USER -p PASSWORD`,"
        " `vault login TOKEN` or `mysql -u root -p`. Your password is required. The api key, if given, is sent.\n"
    ),
    "languages": (
        "La contraseña es obligatoria. Le mot de passe est trop court. Das Passwort ist abgelaufen: bitte ändern.\n"
        "パスワードは必須です。密码是必填项。Пароль: не менее восьми символов. A senha é muito fraca. 비밀번호: 여덟 글자 이상.\n"
        "서명 키는 서버에 저장됩니다. 인증 토큰 값은 헤더로 보냅니다. 암호 입력 후 확인을 누르세요.\n"
    ),
    "query": "https://host.io/a?page=2&sort=name%3Aasc&q=red%20shoes%3D1#section-2 git clone https://github.com/acme/app.git\n",
    "css": (".token.keyword { color: #c678dd; } .key::after { content: 'password'; } a:not(.secret) { top: 0 }"),
    "sql": (
        "CREATE TABLE users (id INT PRIMARY KEY, password VARCHAR(60) NOT NULL, token TEXT, UNIQUE KEY k (token));"
    ),
    "changelog": (
        "- Add `token` option to `login` (#1234)\n- Fix: password reset: mail was sent twice\n- secret: "
        "renamed to `secrets`\n"
    ),
}
NAKED = ("uploading with $v\n", "$v\n", "see ($v) above\n", '["$v", "eu-1"]')
KOREAN = {"key": "API 키", "token": "토큰", "secret": "시크릿", "password": "비밀번호"}
_WORDS = "harbour deploy gateway payments orders billing search metrics northwind cluster".split()


def placed(template: str, name: str, kind: str, value: str, random: Random) -> tuple[str, int] | None:
    """Return the template with its names and the value, and where the value begins."""
    parts = name.lower().split("_")
    camel = parts[0] + "".join(map(str.capitalize, parts[1:]))
    text = template
    for sign, text_of in (
        ("$NAME", "_".join(parts).upper()),
        ("$name", "_".join(parts)),
        ("$camel", camel),
        ("$kebab", "-".join(parts)),
        ("$words", " ".join(parts)),
        ("$한", KOREAN[kind]),
        ("$w", random.choice(_WORDS)),
    ):
        text = text.replace(sign, text_of)
    at = text.find("$v")
    return (text.replace("$v", value), at) if at >= 0 else None


def passwords(random: Random) -> Iterator[tuple[str, str]]:
    """Kinds of chosen secrets and one of each."""
    words = random.sample(_WORDS, 3)
    letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
    yield "dashes", "-".join(words)
    yield "dots", ".".join(words)
    yield "word and digits", f"{words[0]}{random.randint(10, 9999)}"
    yield "signs", "".join(random.choice(letters + "!@#%^*_+?") for _ in range(14))
    yield "random", "".join(random.choice(letters) for _ in range(random.randint(20, 44)))
    yield "hex", "".join(random.choice("0123456789abcdef") for _ in range(random.choice((32, 40, 64))))
    yield "uuid", str(uuid.UUID(int=random.getrandbits(128), version=4))


def innocent(random: Random) -> Iterator[tuple[str, str]]:
    """Kinds of texts without a secret and one of each."""
    digest = random.randbytes(64)
    hashes = [random.randbytes(20).hex() for _ in range(6)]
    yield "uuids", "\n".join(f"request_id={uuid.UUID(bytes=random.randbytes(16))}" for _ in range(5))
    yield "git", "".join(f"commit {one}\nAuthor: A B <a@b.io>\n\n    fix {one[:9]}\n" for one in hashes)
    integrity = "sha512-" + base64.b64encode(digest).decode()
    yield (
        "package-lock",
        json.dumps(
            {"node_modules/left-pad": {"version": "1.3.0", "integrity": integrity, "resolved": "https://r.io/x.tgz"}}
        ),
    )
    yield (
        "poetry.lock",
        'files = [\n    {file = "a-1.0.whl", hash = "sha256:'
        + random.randbytes(32).hex()
        + '"},\n]\ncontent-hash = "'
        + random.randbytes(32).hex()
        + '"\n',
    )
    yield "picture", f'<img src="data:image/png;base64,{base64.b64encode(random.randbytes(900)).decode()}">'
    yield "go.sum", f"github.com/a/b v1.2.3 h1:{base64.b64encode(random.randbytes(32)).decode()}\n"
    names = "".join(random.choice("abcdefghijklmnop") for _ in range(40))
    yield (
        "minified",
        ";".join(
            f"function {a}({b}){{return {a}.{b}[{i}]||e.key}}" for i, (a, b) in enumerate(itertools.pairwise(names))
        ),
    )
    yield from INNOCENT.items()
