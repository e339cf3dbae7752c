"""Secrets that no name tells: arguments of commands, directives, calls, columns of tables, values below or behind a noun. Values
are made when the test runs."""

from __future__ import annotations

from random import Random
from string import ascii_letters, digits

import pytest

from graphmem.privacy.scan import find_secrets

RANDOM = Random(11)
TOKEN = "".join(RANDOM.choice(ascii_letters + digits) for _ in range(40))
CHOSEN = f"Harbour!{RANDOM.randint(1000, 9999)}x"
PLAIN = "sunshine"


def hidden(text: str) -> list[str]:
    return [text[span.start : span.end] for span in find_secrets(text)]


@pytest.mark.parametrize(
    "text",
    [
        'ConvertTo-SecureString "@@" -AsPlainText -Force',
        "net user deploy @@ /add",
        r"net use Z: \\srv\share /user:corp\bob @@",
        "cmdkey /generic:srv1 /user:bob /pass:@@",
        'sqlcmd -S db1 -U sa -P @@ -Q "select 1"',
        "mongosh -u root -p @@ localhost",
        "ldapsearch -x -D cn=admin -w @@ -b dc=x",
        "smbclient //srv/share -U bob%@@",
        "lftp -u bob,@@ ftp.host.io",
        "7z x -p@@ a.7z",
        "unzip -P @@ out.zip",
        "openssl enc -aes-256-cbc -k @@ -in a -out b",
        "helm registry login -u bob -p @@ reg.io",
        "http -a bob:@@ GET https://api.host.io/v1",
        "htpasswd -bc .htpasswd bob @@",
        'echo "@@" | sudo -S apt install x',
        "echo '@@' | docker login -u bob --password-stdin reg.io",
        'echo "deploy:@@" | chpasswd',
        "sqlplus scott/@@@orcl",
        "jdbc:oracle:thin:scott/@@@h:1521:orcl",
        'expect "assword:" { send "@@\\r" }',
        "requirepass @@",
        "enable secret @@",
        "snmp-server community @@ RO",
        "machine api.host.io\n  login bob\n  password @@",
        "ALTER USER bob WITH PASSWORD '@@';",
        "create user bob identified by '@@' --",
        'requests.get(url, auth=("bob", "@@"))',
        '.withBasicAuth("bob", "@@")',
        'DriverManager.getConnection("jdbc:h", "bob", "@@")',
        "INSERT INTO users (name, password) VALUES ('bob', '@@'), ('eve', '@@');",
        "| user | password |\n|---|---|\n| bob | @@ |\n",
        "name,password,mail\nbob,@@,b@x.io\n",
        "creds: bob/@@",
        "접속 정보: bob / @@",
    ],
)
def test_an_argument_that_is_a_password_is_hidden(text: str) -> None:
    found = hidden(text.replace("@@", CHOSEN))
    assert found and all(CHOSEN in one for one in found) and len(found) == text.count("@@")


@pytest.mark.parametrize(
    "text",
    [
        "vault login @@",
        "ngrok config add-authtoken @@",
        "twine upload -u __token__ -p @@ dist/*",
        "aws configure set aws_secret_access_key @@",
        "npm config set //registry.host.io/:_authToken @@",
        'variable "token" {\n  type = string\n  default = "@@"\n}',
        '<setting name="ApiKey"><value>@@</value></setting>',
        "API key:\n@@\n",
        "# Deployment secret key\n@@",
        "My token (expires Friday): @@",
        "시크릿 키 값: @@",
        "export FOO=acme_pat_@@",
        "using zzk-@@ for now",
        "blob ops_eyJ@@",
    ],
)
def test_a_token_is_hidden_wherever_its_place_tells_it(text: str) -> None:
    assert any(TOKEN in one for one in hidden(text.replace("@@", TOKEN)))


def test_a_plain_word_is_a_password_where_a_sentence_says_so() -> None:
    assert hidden(f"관리자 계정은 admin, 비밀번호는 {PLAIN}예요") == [PLAIN]
    assert hidden(f'the password is "{PLAIN}", do not share') == [PLAIN]
    assert hidden('the password is "incorrect"') == hidden("비밀번호는 필수입니다") == []


@pytest.mark.parametrize(
    "text",
    [
        "sumOfSquares = " + TOKEN,
        "ReactNativeCameraKit: 5f3c2a1b9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a",
        '"AWS::KMS::Key": "2b447c471bc70388"',
        "jsonwebtoken:jjwt-api-0.12.3",
        "event-api:rc0.19.5_2024_08",
        "markupsafe/WHEEL,sha256=BvA_i88wcFUl5ehXLgmhwyDL4XPGrCKn6CTUA9axFDE,190",
        f"/icons/logo.ico-{'0af3' * 8}.png",
        '<input type="hidden" name="authenticity_token" value="7SWa-El4_foL2eklgMjFGMBGDd4KdeJAHoEkEDEm">',
        "mongodb://mongodb:mongodb@localhost:27017/db",
        "mysql://admin:REPLACE_WITH_PASSWORD@db:3306/x",
        "fn token(token: &str) -> &str",
        "ssh_key=SSH_KEY",
        "echo $PASSWORD | docker login --password-stdin",
        'echo "done" | tee log.txt',
        "docker run -p 8080:80 nginx",
        "mkdir -p build && zip -r out.zip build",
        "gh auth login --web",
        "| Field | Token |\n|---|---|\n| name | Ident |\n",
        "user,password,token\n",
        'login("bob", "name")',
        "(token, password)\nfor a, b in pairs:",
        '"Preset": "System-Generic_Hd_Mp4_Avc_Aac_16x9_Sdr_1280x720p_30Hz_5Mbps_Qvbr_Vq9"',
        "key_abc123def456ghi789jkl012mno345pqr678",
    ],
)
def test_what_only_resembles_a_secret_is_left(text: str) -> None:
    assert hidden(text) == []
