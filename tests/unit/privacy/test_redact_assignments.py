"""Values of secret names are found in every way of writing them down, and what only looks like one is kept.
The second half is the corpus of false alarms: each line is text that agents write and read every day."""

from __future__ import annotations

import pytest

from graphmem.privacy import redact

PASSWORD = "tR0ub" + "4dor&3x"
TOKEN = "f3a9Zk27" + "Qp81Lm46" + "Xw05"

FORMS = [
    'password = "{p}"',
    "password='{p}'",
    "PASSWORD={t}",
    "export DB_PASS={t}",
    "  password: {t}",
    '"password": "{p}"',
    "'api_key': '{t}',",
    '{{"user": "a", "client_secret": "{t}", "n": 1}}',
    '"{{\\"token\\": \\"{t}\\"}}"',
    'config["password"] = "{p}"',
    'let passwd: String = "{p}";',
    'def connect(password: str = "{p}"):',
    'const apiKey = "{t}";',
    'apiKey: "{t}",',
    "secret_key => '{t}'",
    'token := "{t}"',
    'if (password !== "{p}") {{',
    "--token {t}",
    "--token={t}",
    "tool --user bob --password '{p}' --verbose",
    'client.setPassword("{p}")',
    '#define API_TOKEN "{t}"',
    "%define secret {t}",
    'os.environ.get("API_TOKEN", "{t}")',
    'SECRET = os.getenv("X_Y", "{t}")',
    'PASSWORD = os.environ.get("PASSWORD") or "{p}"',
    "define('DB_PASSWORD', '{p}');",
    "<password>{t}</password>",
    '<token type="x">{t}</token>',
    "https://host/path?user=a&token={t}&page=2",
    "callback%3Ftoken%3D{t}%26x",
    "Server=db;User=sa;Password={t};Timeout=5",
    "Authorization: Bearer {t}",
    '-H "Authorization: Token {t}"',
    "authorization: {t}",
    "X-Api-Key: {t}",
    "Private-Token: {t}",
    "curl -u bob:{t} https://host",
    "curl --user 'bob:{t}' https://host",
    "postgres://bob:{t}@db.internal:5432/app",
    "redis://:{t}@cache:6379",
    "machine github.com login bob password {t}",
    "//registry.npmjs.org/:_authToken={t}",
    "sshpass -p {t} ssh host",
    "mysql -uroot -p{t} app",
    "CREATE USER bob IDENTIFIED BY '{p}'",
    "ALTER ROLE bob WITH PASSWORD '{p}'",
    "- name: DB_PASSWORD\n  value: {t}",
    '{{"name": "API_TOKEN", "value": "{t}"}}',
    "비밀번호: {p}",
    "비밀번호는 {p} 입니다",
    "암호 = {t}",
    "토큰: {t}",
    "the password is {p}",
    "ID/PW: admin/{p}",
    "Cookie: session={t}; theme=dark",
    "AWS_SECRET_ACCESS_KEY={t}{t}",
    '<add key="ClearTextPassword" value="{p}" />',
    "BUNDLE_GEMS__EXAMPLE__ORG=bob:{t}",
    '{{"kty": "EC", "d": "{t}{t}"}}',
    "key: {t}",
    "password:\t{t}",
]


@pytest.mark.parametrize("form", FORMS)
def test_the_value_is_hidden_in_every_form(form: str) -> None:
    text = form.format(p=PASSWORD, t=TOKEN)
    result = redact(text)
    assert PASSWORD not in result.text
    assert TOKEN not in result.text
    assert len(result.spans) >= 1


@pytest.mark.parametrize("form", FORMS)
def test_the_name_stays_readable(form: str) -> None:
    text = form.format(p=PASSWORD, t=TOKEN)
    first = redact(text).spans[0]
    assert redact(text).text.startswith(text[: first.start])
    assert first.start > 0


def test_basic_credentials_are_hidden_and_the_words_basic_auth_are_not() -> None:
    assert redact("Authorization: Basic " + "Ym9iOn" + "RyMHViNGRvcg==").spans != ()
    assert redact("Basic authentication is basic information about basic things.").spans == ()


def test_the_rest_of_a_value_does_not_stay_behind() -> None:
    assert redact(f"password={TOKEN},{TOKEN}/{TOKEN}==\nnext").text == "password=[REDACTED:password]\nnext"


def test_the_following_lines_are_not_eaten() -> None:
    text = "PASSWORD=\nHOST=db\nPASSWORD:\n  see the vault\n"
    assert redact(text).text == text


def test_neighbours_in_a_connection_string_are_kept() -> None:
    assert redact(f"Host=a;Password={TOKEN};Port=1").text == "Host=a;Password=[REDACTED:password];Port=1"


def test_base64_that_goes_on_in_the_next_lines_is_one_value() -> None:
    value = f'secret: "{TOKEN * 3}\n    {TOKEN * 3}\n    {TOKEN}"'
    assert TOKEN not in redact(value).text


@pytest.mark.parametrize("line", ['"LastModifiedTimestamp": 1', "lastModifiedTimestamp: 1", "lastModifiedTimestamp(1)"])
def test_the_name_in_the_next_line_is_no_part_of_the_value(line: str) -> None:
    text = f'"secret": "{TOKEN * 3}",\n  {line}'
    assert redact(text).text == f'"secret": "[REDACTED:secret]",\n  {line}'
    assert redact(text.replace('",', "").replace('"secret": "', "secret: ")).text.endswith(line)


def test_the_values_of_a_kubernetes_secret_are_hidden_whatever_their_names() -> None:
    head = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: web\n  namespace: prod-7\n"
    text = f"{head}data:\n  alpha: {TOKEN}\n  beta: {{{{ .Values.beta }}}}\nstringData:\n  gamma: {PASSWORD}\ntype: Opaque\n"
    result = redact(f"{text}---\nkind: ConfigMap\ndata:\n  color: b1ue-c0lour\n")
    assert TOKEN not in result.text
    assert PASSWORD not in result.text
    assert result.text.startswith(head)
    assert "color: b1ue-c0lour" in result.text
    assert "beta: {{ .Values.beta }}" in result.text


def test_credentials_of_a_docker_registry_are_hidden() -> None:
    auth = "Ym9iOnRyMHVi" + "NGRvcg=="
    assert auth not in redact('{"auths": {"ghcr.io": {"auth": "' + auth + '"}}}').text


def test_names_can_be_added() -> None:
    from graphmem.privacy import PrivacySettings, filter_text

    text = f"door_code: {TOKEN}"
    assert filter_text(text).spans == ()
    assert TOKEN not in filter_text(text, PrivacySettings(names=("door_code",))).text


@pytest.mark.parametrize("line", ["DB_PASSWORD=847362", 'MAX_PASSWORD = "{p}"', "P/W: {p}", "p/w는 {p}"])
def test_a_number_or_a_measure_is_no_excuse_for_a_password(line: str) -> None:
    assert redact(line.format(p=PASSWORD)).spans


HARMLESS = [
    "max_tokens=4096",
    '"max_tokens": 1024, "total_tokens": 88123',
    "The bearer of news arrived at noon.",
    "bearer token authentication is required",
    'keyword: "Authentication_P2"',
    "author: kim.minsu2",
    'author = "Grace B. Hopper 1906"',
    "token_count: 83712, token budget 2000",
    "password = ${DB_PASSWORD}",
    "password: {{ vault.db_password }}",
    "password=$(cat /run/secrets/db)",
    "password = os.environ['DB_PASSWORD']",
    'password = os.environ["DB_PASSWORD2"]',
    "password = getpass.getpass()",
    "token = request.headers.get('X-Token')",
    "token = parts[1]",
    "const apiKey = process.env.API_KEY1;",
    "secret = self.secret2",
    "connect(password=password, token=token)",
    "password: string;",
    "password: Optional[str] = None",
    "private_key: Ed25519PrivateKey",
    'placeholder="Enter your password"',
    '"password": "Passwort"',
    '"password": "비밀번호를 입력하세요"',
    "API_KEY=your-api-key-here",
    "API_KEY=<your key>",
    "token: xxxxxxxxxxxxxxxx",
    "token: ****************",
    "SECRET_KEY=changeme",
    "password: null",
    "password=''",
    "password must be at least 8 characters long",
    "password_min_length = 12",
    "MAX_PASSWORD_BYTES = 4096",
    "    MAX_PASSWORD_BYTES: Final = 4096",
    "MAX_PASSWORD_BYTES=4096",
    "'MIN_PASSWORD': 1234",
    "PASSWORD_ROUNDS_LOW=0x1000",
    "see https://go.dev/play/p/wiG6XyBBu49",
    "password_reset_url: https://host/reset",
    'credentialsId: "f4aeb6bc-2a25-458a-8111-9be9e502c0e7"',
    "key_file = /etc/ssl/private/server2.key",
    "keystore.file=env/cert.p12",
    "cache-key: 5d41402abc4b2a76b9719d911017c592",
    "primary_key: 8f14e45fceea167a5a36dedd4bea2543",
    '"key": "Enter"',
    'key: "ArrowLeft"',
    '"bucket_key": "SalesResults-1.2"',
    "next_page_token: CAUQAA9zZXR0aW5n",
    "public_key = 037cfbfc90234cfdab7eb54050566293789efaa1a35dc42074",
    '"integrity": "sha512-9zN9yHh5zq3o1cX4Zk1q2w3e4r5t6y7u8i9o0pAsDfGhJkLzXcVbNm=="',
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:3ed48eb4eb0c17e6baaf691a361afd8c75572517e5b729849da4e5344bf7f244",
    "request id 5eb4223e-5008-46e5-be67-c7b8f2732305",
    "pass: 12, fail: 0",
    "PASS: TestLogin (0.00s)",
    "compass = 'north2east4'",
    "bypass_rule: allow1all2x",
    "monkeys-audio:mx64-uwp=fail",
    "io.jsonwebtoken:jjwt-jackson-0.11.2",
    "secret santa: bring a gift",
    "secretName: regcred",
    "LLM_SECRET_NAME = 'NEXUS-GPT4-API-KEY'",
    "the key point: tests first",
    "인증 오류: 다시 로그인하세요",
    "암호 알고리즘은 AES-256 입니다",
    "토큰 수: 4096",
    "키: 값",
    "mongodb://localhost:27017/app",
    "postgres://$(PGUSER):$(PGPASSWORD)@$(PGHOST)/app",
    "https://${user}:${password}@host/",
    "https://username:password@example.com/",
    "mysql://YOUR_USER:YOUR_PASSWORD@localhost/app",
    "keys = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]",
    "key_codes = {0x1b, 0x5b, 0x41, 0x42, 0x43, 0x44, 0x46, 0x48, 0x50, 0x51, 0x52, 0x53}",
    "http://localhost:8080/@scope/pkg",
    "git@github.com:org/repo.git",
    "docker run -u 1000:1000 image",
    "curl -u <user:password> https://host",
    'curl -u "$USER:$PASS" https://host',
    "openssl req -passin pass:${PASS}",
    "--password-file /run/secrets/pw",
    "provide --username and --password options",
    "api: v1.2.3",
    "session: main",
    "salt: a pinch",
    "x-request-signature-version: 2",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_is_kept(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize("text", HARMLESS)
def test_harmless_text_is_kept_between_other_lines(text: str) -> None:
    whole = f"# 설정 🎉\n{text}\nend\n"
    assert redact(whole).spans == ()


@pytest.mark.parametrize(
    "user, password", [("postgres", "postgres"), ("guest", "guest"), ("root", "1"), ("app", "pass")]
)
def test_a_weak_password_of_a_database_is_one(user: str, password: str) -> None:
    assert (
        redact(f"DSN amqp://{user}:{password}@broker:5672/x").text
        == f"DSN amqp://{user}:[REDACTED:url_password]@broker:5672/x"
    )


@pytest.mark.parametrize(
    "code", ["#define AES_KEY {%s}", "unsigned char key[16] = {%s};", "private byte[] SECRET_KEY = new byte[] {(byte) %s};",
             "signing_key = bytes([%s])", '"key": [%s]'],
)  # fmt: skip
def test_a_key_may_be_written_as_numbers(code: str) -> None:
    numbers = ", ".join(f"0x{(37 * n + 11) % 251:02x}" for n in range(16))
    assert numbers[-40:] not in redact(code % numbers).text


@pytest.mark.parametrize("follows", ['AWS_ACCESS_KEY_ID = "x"', "AWS_ACCESS_KEY_ID=x", "AWS_ACCESS_KEY_ID: x", "x = 1"])
def test_the_next_line_of_code_is_no_rest_of_a_value(follows: str) -> None:
    value = "a1B2" * 11
    assert redact(f'API_TOKEN = "{value}"\n{follows}\n').text == f'API_TOKEN = "[REDACTED:token]"\n{follows}\n'
    wrapped = f'API_TOKEN = "{value}"\n  "{value}=="\n{follows}\n'
    assert value not in redact(wrapped).text and follows in redact(wrapped).text


@pytest.mark.parametrize(
    ("place", "password"),
    [
        ("psql app:{}@db.internal:5432/app", "hunter2"),
        ("mongo admin:{}@cluster0.acme.net/stock", "S3cr3t!x"),
        ("scp notes.txt deploy:{}@build-1:/srv/app", "Tr0ub4dor"),
        ("git remote add x deploy:{}@git.acme.io/repo.git", "tok3nabc"),
        ("root:{}@10.0.0.5 answers", "toor"),
        ("연결은 app:{}@db.acme.co.kr 로", "P@ssw0rd9"),
    ],
)
def test_a_login_without_a_scheme_is_hidden(place: str, password: str) -> None:
    assert redact(place.format(password)).text == place.format("[REDACTED:url_password]")


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:owner/repo",
        "mailto:john.doe1984@acme.io and From:John.Smith84@acme.io/inbox",
        "host:8080@node1:22",
        "npm:react@18.2.0, image:latest@sha256:12345, //pkg:target@1.2.3.4",
        "ssh -L 8080:localhost:80 me@db.acme.io; rsync me@host:/srv .",
        "{key:weights@inputs/scale, x:this@Outer.field}",
        "user:password@host, user:pass@host:5432, app:${PASSWORD}@db.acme.io:5432, alice:bob@acme.io",
        "@alice:matrix.org uses: actions/checkout@v4",
    ],
)
def test_what_only_looks_like_a_login_stays(text: str) -> None:
    assert redact(text).text == text
