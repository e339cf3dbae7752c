"""Tokens of providers are found by their shape, alone and inside code, logs, JSON and terminal colours.
Every token is put together here from its prefix and generated letters, so that no scanner trips over this file."""

from __future__ import annotations

import base64
import hashlib
import string

import pytest

from graphmem.privacy import redact

HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
LOWER = string.ascii_lowercase + string.digits
ALNUM = string.ascii_letters + string.digits
DIGITS = string.digits


def letters(alphabet: str, size: int, seed: str = "x") -> str:
    """`size` letters that look random and are always the same."""
    stream = b""
    while len(stream) < size:
        stream += hashlib.sha256(f"{seed}{alphabet}{len(stream)}".encode()).digest()
    return "".join(alphabet[byte % len(alphabet)] for byte in stream[:size])


def uuid(seed: str = "u") -> str:
    return "-".join(letters(HEX, size, seed + str(size)) for size in (8, 4, 4, 4, 12))


def example(*parts: str | tuple[str, int]) -> str:
    return "".join(part if isinstance(part, str) else letters(*part) for part in parts)


TOKENS = {
    "github classic": example("gh", "p_", (ALNUM, 36)),
    "github server": example("gh", "s_", (ALNUM, 36)),
    "github fine-grained": example("github", "_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
    "gitlab": example("glp", "at-", (ALNUM, 20)),
    "gitlab routable": example("glp", "at-", (ALNUM, 32), ".01.", (LOWER, 9)),
    "gitlab runner": example("gl", "rt-", (ALNUM, 20)),
    "bitbucket": example("AT", "BB", (ALNUM, 32)),
    "atlassian": example("AT", "ATT3", (ALNUM, 180), "=", (UPPER, 8)),
    "npm": example("np", "m_", (ALNUM, 36)),
    "pypi": example("py", "pi-AgEIcHlwaS5vcmc", (ALNUM, 70)),
    "rubygems": example("ruby", "gems_", (HEX, 48)),
    "crates": example("ci", "o", (ALNUM, 32)),
    "nuget": example("oy", "2", (LOWER, 43)),
    "docker hub": example("dckr", "_pat_", (ALNUM, 27)),
    "artifactory": example("AK", "Cp", (ALNUM, 69)),
    "sonar": example("sq", "p_", (HEX, 40)),
    "aws": example("AK", "IA", (BASE32, 16)),
    "aws temporary": example("AS", "IA", (BASE32, 16)),
    "google": example("AI", "zaSy", (ALNUM, 33)),
    "google oauth": example("ya", "29.", (ALNUM, 60)),
    "google client": example("GOC", "SPX-", (ALNUM, 28)),
    "azure": example((ALNUM, 3), "8", "Q~", (ALNUM, 34)),
    "digitalocean": example("do", "p_v1_", (HEX, 64)),
    "fly": example("fo", "1_", (ALNUM, 43)),
    "vercel": example("vc", "p_", (ALNUM, 56)),
    "netlify": example("nf", "p_", (ALNUM, 36)),
    "cloudflare": example("cf", "ut_", (ALNUM, 40), (HEX, 8)),
    "heroku": example("HR", "KU-AA", (ALNUM, 58)),
    "planetscale": example("psc", "ale_tkn_", (ALNUM, 43)),
    "supabase": example("sb", "p_", (HEX, 40)),
    "databricks": example("da", "pi", (HEX, 32)),
    "tailscale": example("ts", "key-auth-", (ALNUM, 12), "-", (ALNUM, 32)),
    "vault": example("hv", "s.", (ALNUM, 90)),
    "terraform": example((ALNUM, 14), ".atla", "sv1.", (ALNUM, 67)),
    "doppler": example("dp", ".pt.", (ALNUM, 43)),
    "1password": example("op", "s_eyJ", (ALNUM, 300)),
    "age": example("AGE-SEC", "RET-KEY-1", ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "pulumi": example("pu", "l-", (HEX, 40)),
    "circleci": example("CCI", "PAT_", (ALNUM, 22), "_", (HEX, 40)),
    "anthropic": example("sk-", "ant-api03-", (ALNUM, 93), "AA"),
    "openai old": example("s", "k-", (ALNUM, 20), "T3Blbk", "FJ", (ALNUM, 20)),
    "openai project": example("sk-", "proj-", (ALNUM, 120)),
    "openai plain": example("s", "k-", (ALNUM, 48)),
    "openrouter": example("sk-", "or-v1-", (HEX, 64)),
    "hugging face": example("h", "f_", (string.ascii_letters, 34)),
    "groq": example("gs", "k_", (ALNUM, 52)),
    "replicate": example("r", "8_", (ALNUM, 37)),
    "nvidia": example("nv", "api-", (ALNUM, 64)),
    "slack bot": example("xo", "xb-", (DIGITS, 12), "-", (DIGITS, 12), "-", (ALNUM, 24)),
    "slack app": example("xa", "pp-1-", (UPPER, 11), "-", (DIGITS, 13), "-", (HEX, 64)),
    "telegram": example((DIGITS, 9), ":A", "A", (ALNUM, 33)),
    "discord": example("MT", (ALNUM, 22), ".", (ALNUM, 6), ".", (ALNUM, 38)),
    "sendgrid": example("S", "G.", (ALNUM, 22), ".", (ALNUM, 43)),
    "twilio": example("S", "K", (HEX, 32)),
    "mailchimp": example((HEX, 32), "-us", "12"),
    "mailgun": example("ke", "y-", (HEX, 32)),
    "brevo": example("xkey", "sib-", (HEX, 64), "-", (ALNUM, 16)),
    "facebook": example("EA", "A", (ALNUM, 120)),
    "dropbox": example("s", "l.", (ALNUM, 140)),
    "stripe": example("sk", "_live_", (ALNUM, 24)),
    "stripe webhook": example("wh", "sec_", (ALNUM, 32)),
    "square": example("sq0", "atp-", (ALNUM, 22)),
    "shopify": example("shp", "at_", (HEX, 32)),
    "paypal": example("access", "_token$production$", (LOWER, 16), "$", (HEX, 32)),
    "plaid": example("access", "-sandbox-", uuid()),
    "notion": example("nt", "n_", (DIGITS, 11), (ALNUM, 35)),
    "linear": example("lin", "_api_", (ALNUM, 40)),
    "figma": example("fig", "d_", (ALNUM, 40)),
    "airtable": example("pa", "t", (ALNUM, 14), ".", (HEX, 64)),
    "hubspot": example("pat-", "na1-", uuid()),
    "postman": example("PM", "AK-", (HEX, 24), "-", (HEX, 34)),
    "contentful": example("CF", "PAT-", (ALNUM, 43)),
    "grafana": example("gl", "sa_", (ALNUM, 32), "_", (HEX, 8)),
    "new relic": example("NR", "AK-", (UPPER, 27)),
    "dynatrace": example("dt0", "c01.", (UPPER, 24), ".", (UPPER, 64)),
    "sentry": example("sntr", "yu_", (HEX, 64)),
    "salesforce": example("00", "D", (ALNUM, 12), "!A", "Q", (ALNUM, 80)),
    "jwt": ".".join(
        base64.urlsafe_b64encode(p).decode().rstrip("=") for p in (b'{"alg":"HS256"}', b'{"sub":"1234"}', b"z8" * 16)
    ),
    "bcrypt": example("$2", "b$12$", (ALNUM, 53)),
    "ntlm": example("TlRMTV", "NTUAA", (ALNUM, 60)),
}
# Only what follows the host names the channel and is the secret.
WEBHOOKS = {
    "slack": ("https://hooks.slack.com/services/", example("T", (UPPER, 8), "/B", (UPPER, 8), "/", (ALNUM, 24))),
    "discord": ("https://discord.com/api/webhooks", example("/", (DIGITS, 18), "/", (ALNUM, 68))),
}


@pytest.mark.parametrize("name", TOKENS)
def test_a_token_is_hidden_whole_and_nothing_else(name: str) -> None:
    token = TOKENS[name]
    text = f"before {token} after"
    result = redact(text)
    assert [text[span.start : span.end] for span in result.spans] == [token]
    assert result.text == f"before [REDACTED:{result.spans[0].kind}] after"


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize(
    "around",
    [
        '{{"value": "{}"}}',
        "x = '{}'",
        "- {}\n",
        "2026-01-02 12:00 INFO used {}, done",
        "가나다 {} 라마바 🎉",
        "\x1b[31m{}\x1b[0m",
        "({})",
        "a\\n{}\\nb",
    ],
)
def test_a_token_is_hidden_wherever_it_stands(name: str, around: str) -> None:
    token = TOKENS[name]
    result = redact(around.format(token))
    assert token not in result.text
    assert max(token[i : i + 16] in result.text for i in range(len(token) - 15)) is False


@pytest.mark.parametrize("name", WEBHOOKS)
def test_the_secret_part_of_a_webhook_is_hidden(name: str) -> None:
    host, secret = WEBHOOKS[name]
    result = redact(f"curl -X POST {host}{secret}")
    assert host in result.text
    assert secret not in result.text


@pytest.mark.parametrize("token", ["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "X" * 36, "*" * 36, "0" * 36, "1" * 36])
def test_stand_ins_of_a_providers_format_are_kept(token: str) -> None:
    text = "gh" + "p_" + token
    assert redact(text).spans == ()


def test_a_token_glued_to_a_word_is_no_token() -> None:
    assert redact("my" + TOKENS["databricks"]).spans == ()


def test_the_documented_example_key_is_kept() -> None:
    assert redact("AKIA" + "IOSFODNN7" + "EXAMPLE").spans == ()


def test_the_secret_key_beside_an_access_key_is_hidden() -> None:
    secret = letters(ALNUM, 40, "aws")
    text = f"{TOKENS['aws']},{secret}\n"
    assert secret not in redact(text).text


KINDS_OF_KEYS = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "]


def pem(kind: str, lines: int = 6, end: str = "\n") -> str:
    body = end.join(letters(ALNUM + "+/", 64, str(i)) for i in range(lines))
    return f"-----BEGIN {kind}PRIVATE " + f"KEY-----{end}{body}{end}-----END {kind}PRIVATE " + "KEY-----"


@pytest.mark.parametrize("kind", KINDS_OF_KEYS)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n", '\\n" +\n    "', "\n2026-01-01 00:00:00 "])
def test_a_private_key_is_one_span(kind: str, end: str) -> None:
    key = pem(kind, end=end)
    text = f'key = "{key}";\nnext line'
    result = redact(text)
    assert [span.kind for span in result.spans] == ["private_key"]
    assert text[result.spans[0].start : result.spans[0].end] == key
    assert result.text.endswith('";\nnext line')


def test_a_private_key_that_is_cut_short_ends_with_its_lines() -> None:
    key = pem("RSA ").partition("-----END")[0]
    result = redact(f"{key}\nand then prose goes on.")
    assert result.text.endswith("and then prose goes on.")
    assert letters(ALNUM + "+/", 64, "5") not in result.text


def test_pgp_and_putty_keys() -> None:
    pgp = (
        pem("")
        .replace("PRIVATE " + "KEY-----", "PGP PRIVATE " + "KEY BLOCK-----")
        .replace("BEGIN PGP PGP", "BEGIN PGP")
    )
    assert letters(ALNUM + "+/", 64, "2") not in redact(pgp).text
    putty = (
        "PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 2\n"
        + letters(ALNUM, 64)
        + "\n"
        + letters(ALNUM, 64, "y")
        + "\n"
    )
    assert letters(ALNUM, 64, "y") not in redact(putty).text


@pytest.mark.parametrize("shift", [0, 1, 2])
def test_a_private_key_within_base64_is_hidden_at_every_alignment(shift: int) -> None:
    blob = base64.b64encode(("." * shift + "tls: " + pem("EC ")).encode()).decode()
    assert redact(f"data: {blob}\n").text.count(blob[40:60]) == 0


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN CERTIFICATE-----\nMIIDODCCAiACCQCUmg\n-----END CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----",
    ],
)
def test_certificates_and_public_keys_are_kept(text: str) -> None:
    assert redact(text).text == text


def test_code_that_mentions_head_and_foot_is_kept() -> None:
    head, foot = "-----BEGIN RSA PRIVATE " + "KEY-----", "-----END RSA PRIVATE " + "KEY-----"
    text = f'if text.startswith("{head}"):\n    return text.index("{foot}")\n'
    assert redact(text).spans == ()


@pytest.mark.parametrize(
    "text",
    ["mysql -p{} shop", "db.host.net:5432:shop:bob:{}\n", '"*:5432:*:bob:{}\\n"', r'{{"a": "\ube44\ubc00\ubc88\ud638: {}"}}',
     r'{{"\ube44\ubc00\ubc88\ud638": "{}"}}', r"\ube44\ubc00\ubc88\ud638\ub294 {} \uc785"],
)  # fmt: skip
def test_passwords_of_tools_and_of_escaped_korean(text: str) -> None:
    secret = "hunt" + "er2Xyz9"
    assert redact(text.format(secret)).text == text.format("[REDACTED:password]")


@pytest.mark.parametrize(
    "text",
    ["mysql -p shop", "127.0.0.1:5432:5432", r'{"a": "\ube44\ubc00\ubc88\ud638\uac00 \ud2c0\ub838\uc2b5\ub2c8\ub2e4"}'],
)
def test_what_only_looks_like_them_is_kept(text: str) -> None:
    assert redact(text).text == text
