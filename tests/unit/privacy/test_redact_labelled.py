"""Values that a label gives away where no assignment joins them: tables, next lines, other languages, encoded separators, arguments
of commands, output of tools. Values are made when the test runs."""

from __future__ import annotations

from random import Random
from string import ascii_letters, digits

import pytest
from support import assert_about_linear

from graphmem.bench.labelled_texts import labelled, outputs
from graphmem.bench.secret_texts import INNOCENT
from graphmem.privacy import PrivacySettings, filter_text, redact
from graphmem.privacy.scan import find_secrets

RANDOM = Random(23)
TOKEN = "".join(RANDOM.choice(ascii_letters + digits) for _ in range(32)) + "7"
CHOSEN = f"Harbour!{RANDOM.randint(1000, 9999)}x"


@pytest.mark.parametrize(
    "text",
    [
        "AccountName=acme;AccountKey=@@;EndpointSuffix=core.host.net",
        "Endpoint=sb://a.host.net/;SharedAccessKey=@@",
        "https://app.host.io/cb#id_token=@@&state=1",
        "https://b.host.io/k?X-Amz-Date=1&X-Amz-Signature=@@",
        "body: password%3A%20@@",
        "user%3Dbob%26password%3D@@%26x%3D1",
        "&quot;token&quot;:&quot;@@&quot;",
        'body "{\\u0022token\\u0022:\\u0022@@\\u0022}"',
        "Password:\n@@\n",
        "## API key\n\n@@\n",
        "| password | @@ |",
        "| Name | Value |\n|---|---|\n| user | bob |\n| api key | `@@` |\n",
        "┃ user ┃ token ┃\n┡━━━━━━╇━━━━━━━┩\n│ bob  │ @@ │\n",
        "+------+------+\n| user | password |\n+------+------+\n| bob  | @@ |\n+------+------+\n",
        " user | password \n------+----------\n bob  | @@\n",
        "<tr><td>Password</td><td>@@</td></tr>",
        "user        bob\npassword    @@\n",
        "Password ........ @@",
        "**Password:** @@",
        "- token — @@",
        "https://@@@github.com/acme/app.git",
        "https://@@:x-oauth-basic@github.com/acme/app.git",
        "send api-key @@ along",
        "the webhook secret (@@) is old",
        "contraseña: @@",
        "le mot de passe est @@",
        "Passwort = @@",
        "senha → @@",
        "パスワードは@@です",
        "密码：@@",
        "| пароль | @@ |",
        "서명 키는 @@ 입니다",
        "비밀 키: @@",
        "인증 토큰 @@",
        "| 이름 | 비밀번호 |\n|---|---|\n| bob | @@ |\n",
    ],
)
def test_a_label_hides_its_value(text: str) -> None:
    assert TOKEN not in redact(text.replace("@@", TOKEN, 1)).text


@pytest.mark.parametrize(
    "text",
    [
        '{"name":"API_TOKEN","value":"@@"}',
        '[{"key":"API_KEY","value":"@@"}]',
        '{"value":"@@","name":"DB_PASSWORD"}',
        '{"ParameterKey":"DbPassword","ParameterValue":"@@"}',
        '{"Name":"/prod/db/password","Type":"SecureString","Value":"@@"}',
        '{\\"name\\":\\"API_TOKEN\\",\\"value\\":\\"@@\\"}',
        '- name: DB_PASSWORD\n  value: "@@"',
        "- value: @@\n  name: DB_PASSWORD\n",
        "<key>ApiKey</key><value>@@</value>",
        '<add key="ApiKey" value="@@"/>',
        '{"name":"Cookie","value":"sid=@@"}',
        '{"source": ["password = \'@@\'\\\\n"]}',
        "USER   PASSWORD   HOST\nbob    @@   db1\n",
        "USER PASSWORD HOST\nbob @@ db1\n",
        "set the root password on db1 to @@",
        "I changed the admin password yesterday, it is now @@.",
        "pw for staging = @@",
        "the password for the DB is @@",
        "log in as admin with @@",
        "비번 바꿨어: @@",
        "비밀번호 변경했습니다: @@",
        "토큰은 @@로 바꿨습니다",
        "@@로 비밀번호 바꿨어",
        "密码改成了@@",
        "Das Passwort für die DB lautet @@",
        "пароль от базы: @@",
        "$ pass show prod/db\n@@",
        "$ op read op://v/i/password\n@@",
        "$ cat config/master.key\n@@\n",
        ".x.com\tTRUE\t/\tTRUE\t0\tsessionid\t@@",
        "https://x.com/reset-password/@@",
        "Server=x;Account Key=@@;Pooling=true",
        "put(conn, :db_password, '@@')",
    ],
)
def test_a_name_apart_from_its_value_hides_it(text: str) -> None:
    assert TOKEN not in redact(text.replace("@@", TOKEN, 1)).text


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Recovery codes:\n16f76-9c781\na2f57-b07dc\n", "a2f57-b07dc"),
        ("backup codes: abcd-efgh, qrst-wxzv", "qrst-wxzv"),
        ("Enter this setup key: f5iw gttj ofmb cgea d63v cv23 ezw7 dak2", "gttj ofmb"),
        ("TOTP secret UTSB2HM2LO63YLXEZU7QJOGVYXCA2EOC", "UTSB2HM2"),
        ("seed phrase: ripple castle velvet oxygen marble tunnel goose anchor lunar fabric pepper wisdom", "oxygen marble"),
        ("recovery phrase:\n1. ripple\n2. castle\n3. velvet\n4. oxygen\n5. marble\n6. tunnel\n7. goose\n8. anchor\n"
         "9. lunar\n10. fabric\n11. pepper\n12. wisdom\n", "oxygen"),
    ],
)  # fmt: skip
def test_what_is_kept_for_later_is_hidden(text: str, secret: str) -> None:
    assert secret not in redact(text).text


@pytest.mark.parametrize(
    "command",
    [
        "aws configure set aws_secret_access_key @@",
        "az login --service-principal -u http://app -p @@ --tenant acme",
        "docker login -u bob -p@@ reg.host.io",
        "mysql -uroot -p@@ shop",
        "sshpass -p @@ ssh bob@host",
        "gh auth login --with-token <<< @@",
        'gh auth login --with-token <<< "@@"',
        "gh auth login --with-token <<EOF\n@@\nEOF",
        "vault login @@",
        "npm config set //registry.host.io/:_authToken @@",
        "composer config http-basic.repo.host.io bob @@",
        "redis-cli -a @@ ping",
        "redis-cli AUTH @@",
        'psql "host=db user=bob password=@@"',
        "openssl rsa -in a.pem -passin pass:@@",
        "kubectl create secret generic db --from-literal=k=@@",
        "printf '%s' '@@' | docker secret create db -",
        "rabbitmqctl change_password bob @@",
        "snmpget -v3 -u bob -A @@ -X @@ h",
        "cvs -d :pserver:bob:@@@h:/r co a",
        "plink -pw @@ bob@h",
        "curl -b 'session=@@' https://h.io",
        "ansible-vault encrypt_string @@",
        "skopeo copy --src-creds bob:@@ docker://a docker://b",
    ],
)
def test_an_argument_of_a_command_is_hidden(command: str) -> None:
    for value in (TOKEN, CHOSEN):
        assert value not in redact(command.replace("@@@h", value + "@h").replace("@@", value)).text


@pytest.mark.parametrize(
    "text",
    [
        "docker login\nsuccess",
        "vault login `TOKEN`",
        "mysql -u root -p",
        "rclone copies obscure files",
        "try:\n    go()\nexcept KeyError:\n    pass\nelse:\n    stop()\n",
        "| password | string | The user's password |",
        "| token | optional |\n",
        "password - required",
        "La contraseña es obligatoria.",
        "비밀번호 값 확인",
        "pp.routes\n    security.key\n    celery.security.serialization\n",
        "git clone https://github.com/acme/app.git",
        "https://john.smith@host.io/a",
        "fn number_of_tokens(&self) -> usize {",
        "Password:\n    Enter your password\n",
        "tokens (about 4096) are counted",
        '{"name": "password", "in": "query", "value": "string"}',
        '{"key": "password_label", "value": "Enter your password"}',
        "- name: TOKEN_URL\n  value: https://host.io/token\n",
        "TOKEN   DESCRIPTION\nname    the name of a user\n",
        "the fix of the token parser is in CVE-2024-23829",
        "the password policy for users was changed to eight characters",
        "GHSA-q3qx-c6g2-7pw2 (CVE-2023-49081)",
        "recovery codes are printed once",
        "seed phrases are made of twelve words",
        "$ cat README.md\nHarbour2\n",
        "https://host.io/reset-password/new-password-for-users",
    ],
)
def test_what_only_mentions_a_secret_is_left(text: str) -> None:
    assert redact(text).spans == ()


PRINTED = PrivacySettings(printed=True)


def test_a_name_is_sufficient_in_output_of_programs() -> None:
    texts = [given for given in outputs(Random(3)) if given.secret not in filter_text(given.text, PRINTED).text]
    assert len(texts) >= 0.9 * len(list(outputs(Random(3))))


@pytest.mark.parametrize(
    "code",
    [
        "def login():\n    password = get_password()\n    token: str = read()\n    return token\n",
        "interface A {\n  token: string;\n  password?: string;\n}\n",
        "src/a.py:12:    password = user_password\nsrc/b.py:3:token = current\n",
        "diff --git a/a.py b/a.py\n+def f(self):\n+    token = sunshine\n+    password = other\n",
        "E       password = account.password\n",
        "class A:\n    def f(self):\n        try:\n            pass\n        else:\n            token = self.next\n",
        "error: password is required\nwarning: token expired\n",
    ],
)
def test_source_code_in_output_is_kept(code: str) -> None:
    assert filter_text(code, PRINTED).text == code


def test_innocent_texts_are_left_in_output_too() -> None:
    hidden = {kind: find_secrets(text, printed=True) for kind, text in INNOCENT.items() if kind != "placeholders"}
    assert {kind: spans for kind, spans in hidden.items() if spans} == {}


def test_labelled_texts_hold_their_secret() -> None:
    given = list(labelled(1, Random(1)))
    assert len(given) > 1_000 and all(one.secret in one.text for one in given)
    assert 0.2 < sum(one.held for one in given) / len(given) < 0.8


UNITS = (
    "password=,| password ,Password:\n,password%3D,비밀 키 ,密码,+---+\n,| token |\n|---|\n,login <<E\n,docker login ,password (a) ,"
    "<td>password</td>,mysql -,token    ,&quot;key,<<< ,https://a@,비번 바꿨어 ,recovery codes abcd-efgh ,seed abc ,USER PASSWORD\n,USER  KEY  TOKEN  \n"
    "name: password\n,value: a\nname: token\n,cat a.key\n,setup key ,login with "
)


@pytest.mark.parametrize("unit", UNITS.split(","))
@pytest.mark.parametrize("printed", [False, True])
def test_time_grows_with_the_text_only(unit: str, printed: bool) -> None:
    assert_about_linear(lambda size: find_secrets(unit * (size // len(unit)), printed=printed), 64_000)
