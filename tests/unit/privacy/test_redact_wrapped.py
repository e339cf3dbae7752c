"""Secrets behind wrappers in source code, in output of secret managers, in sentences and lists; and what resembles them."""

from __future__ import annotations

import pytest
from support import examples

from graphmem.privacy import hide_printed, redact

VALUE = "Zr8vKq3TxW5mBn7L"

CODE = [
    'SESSION_SECRET: process.env.SESSION_SECRET ?? "{v}",',
    'apiToken = config.apiToken || "{v}";',
    '$password = getenv("MAIL_PW") ?: "{v}";',
    'secret_key = ENV["SIGNING"] || "{v}"',
    'password = ENV.fetch("QUEUE_PASSWORD") {{ "{v}" }}',
    'var token = live ? "{v}" : "";',
    'let password = String::from("{v}");',
    'let token: Option<String> = Some("{v}".into());',
    'Optional<String> secret = Optional.of("{v}");',
    'val refreshToken: String by lazy {{ "{v}" }}',
    'client.basic_auth("ann", Some("{v}"));',
    'Net::HTTP.basic_auth "ann", "{v}"',
    'DriverManager.getConnection(url, "ann", "{v}");',
    'key = "{v}"',
    "export BOT_TOK={v}",
    'read -rs PASS <<< "{v}"',
    '{{"db_password": {{"sensitive": true, "value": "{v}"}}}}',
    '["password"]=>\n  string(16) "{v}"',
    "htpasswd -nbB ann {v}\nann:x",
    'the token is split: "ghp_Zr8vKq3TxW5mBn7L9s" +\n  "{v}Pd"',
    "Private-Lines: 1\nAAAAIQDzr8vKq3TxW5mBn7L\nPrivate-MAC: 8d3f1b6a5c4e2f7091827364a5b6c7d8e9f00112",
]


@pytest.mark.parametrize("text", CODE)
def test_a_literal_behind_a_wrapper_is_hidden(text: str) -> None:
    shown = redact(text.format(v=VALUE)).text
    assert VALUE not in shown
    assert "8d3f1b6a5c4e" not in shown


INNOCENT = [
    'password = input("Enter the password: ")',
    'token = getenv("GITHUB_TOKEN")',
    'secret = load_secret("billing/db-password-v2")',
    'api_key = t("settings.apiKeyLabel")',
    'const token = useContext("AuthTokenContext");',
    'val token by lazy { "access_token" }',
    'password: Optional[str] = Field("password", alias="pwd")',
    'tok = tokenizer.encode("Hello world")',
    'connect("ann", "UTF-8")',
    'names = [\n  "some_long_identifier"\n  "another_long_identifier"\n]',
]


@pytest.mark.parametrize("text", INNOCENT)
def test_calls_with_names_and_messages_stay(text: str) -> None:
    assert redact(text).text == text


COMMANDS = [
    "op item get 'Prod' --fields password --reveal",
    "kubectl -n prod get secret db -o jsonpath='{.data.password}'",
    "aws --profile ops secretsmanager get-secret-value --secret-id x --query SecretString",
    "keyring get mail ann",
    "terraform output -raw admin_password",
    "glab auth token",
    "pass show servers/prod",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_prints_that_reads_a_secret_is_hidden(command: str) -> None:
    assert hide_printed(command, f"{VALUE}\nuser: ann") == ("[REDACTED:secret]\nuser: ann", 1)


@pytest.mark.parametrize(
    "command", ["git log --oneline", "terraform output -raw vpc_id", "kubectl get pods", "ls pass"]
)
def test_other_commands_print_what_they_print(command: str) -> None:
    assert hide_printed(command, f"{VALUE}\n") == (f"{VALUE}\n", 0)


@pytest.mark.parametrize(
    "text",
    [
        'password = f("',
        "password by lazy { ",
        "token = a ? ",
        "auth(a, ",
        'f("' + "a" * 12 + '"\n"',
        "kubectl get secret ",
        '"x": {"value" ',
    ],
)
def test_repeats_take_linear_time(text: str) -> None:
    assert redact(text * (examples(400_000) // len(text))).text


TOLD = [
    "Der Zugang zum Wiki ist anna / {v}.",
    "Identifiants : marc / {v}",
    "Credenciales: ana / {v}",
    "ログイン情報: tanaka / {v}",
    "The read-only account is bob / {v} for now.",
    "Das Kennwort ist jetzt „{v}“.",
    "Le jeton d'accès est désormais `{v}`.",
    "Use token **{v}** for the API.",
    "Set the secret to `x` in the vault, the old one was {v}",
    "services:\n  web:\n    environment:\n      - GRAFANA_ADMIN={v}#!\n",
    " id | reset_token\n----+------\n  1 | {v}\n",
    "curl https://api.telegram.org/bot1234567890:AAZr8vKq3TxW5mBn7L{v}xY/getMe",
]


@pytest.mark.parametrize("text", TOLD)
def test_a_sentence_or_list_that_tells_a_value_is_hidden(text: str) -> None:
    assert VALUE not in redact(text.format(v=VALUE)).text


def test_a_password_of_letters_only_is_hidden_behind_its_label() -> None:
    assert "fTqaptXdecOVW" not in redact("Le mot de passe est fTqaptXdecOVW.").text


def test_a_pin_is_hidden() -> None:
    assert "739251" not in redact("the PIN is 739251").text


@pytest.mark.parametrize(
    "text",
    [
        "The login is on /admin, see docs/Login2Page.md",
        "Le mot de passe est getUserPassword.",
        "use token SecretTokenProvider for it",
        "environment:\n  - NODE_OPTIONS=--max-old-space-size=4096\n  - COMMIT=4f3a2b1c9d8e\n",
        "pin 13 is an output, PINS = 40",
        "The account is read-only / ReadWrite2 by default",
        "the old one was UserController2, the new one is AccountController3",
    ],
)
def test_sentences_and_lists_about_names_stay(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text", ["login ", "account is a / ", "- A=", "PIN is ", " old one was ", "Zugang a b c d e ", "계정 "]
)
def test_repeats_in_sentences_take_linear_time(text: str) -> None:
    assert redact(text * (100_000 // len(text))).text
