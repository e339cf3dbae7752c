"""The table of secrets that no provider owns, told by their shape or by what stands around them: headers, URLs, commands,
prose. One row a rule, as data; the engine is `scan`. The formats of providers are in `formats.txt`."""

from __future__ import annotations

from typing import NamedTuple


class Rule(NamedTuple):
    """A rule is tried only where one of its `anchors` (literal, case-sensitive) is in the text. `pattern` is
    matched there, or `back` characters before, or where the run of characters of the set `run` before it begins, at most
    `reach` characters back.
    The secret is the last group of the pattern, else the whole match; `check` names a test in `judge.CHECKS`. `glance` is what
    stands around each place where it is worth trying: anchors that are frequent are mostly something else. `rest` continues
    where a match ends; `before` must be found in the line before it."""

    kind: str
    anchors: tuple[str, ...]
    pattern: str
    run: str = ""
    reach: int = 128
    check: str = "filled"
    glance: str = ""
    back: int = 0
    rest: str = ""
    before: str = ""


# Before a token: no letter or digit, unless it ends an escape (`\n`, `%3D`) or a terminal colour (`ESC[31m`).
START = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9a-f]{4})|(?<=%[0-9A-F]{2})|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m))"
)
END = r"(?![A-Za-z0-9])"
DIGITS = "0123456789"
ALNUM = DIGITS + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
BASE64 = ALNUM + "+/"
WORD = ALNUM + "_-"
# A name with a password before a host: no label of an address (`mailto:`), version (`npm:react@18`) or port.
LOGIN = (
    r"(?<![\w./@:-])(?!(?i:mail(?:to)?|e-?mail|from|to|cc|bcc|reply-to|author|contact|user(?:name)?|login|owner|sips?|acct|xmpp"
    r"|jabber|im|npm|pkg|git|image|docker|ref|https?|v?\d[\w.]*):)([A-Za-z_][\w.+-]{0,63})"
    r":(?!\d{1,5}@)([^\s:/\"'`<>{}()\[\]|\\,;]{4,120})"
)
BEFORE_HOST = r"(?<=[^\s:/\"'`<>{}()\[\]|\\,;])@[A-Za-z0-9]"
HOST = r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24})"
PLACE = (
    r"(?!(?:[\w-]{1,60}\.){0,4}example\b|sha\d)"
    rf"(?:(?:tcp|unix)\([\w./:-]{{1,100}}\)|{HOST}(?::\d{{2,5}}(?!\w)|:?/[\w~])|[A-Za-z][\w-]{{0,62}}:(?:\d{{2,5}}(?!\w)|/[\w~])|\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![\w.]))"
)
SQL_PASSWORD = r"(?i:identified\s{1,4}(?:with\s{1,4}[\w\"'`]{1,40}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?)"


def _token(kind: str, anchors: str, body: str, check: str = "filled") -> Rule:
    """Return a row for a token that begins with one of the space-separated `anchors`; `body` is everything from there
    on."""
    return Rule(kind, tuple(anchors.split()), f"{START}{body}{END}", check=check)


RULES: tuple[Rule, ...] = (
    # Of providers, told by what stands around the value
    Rule("gitlab_token", ("_gitlab_session=",), r"_gitlab_session=([0-9a-z]{32})"),
    Rule(
        "npm_token", (":_auth", ":_password"), r":_(?:authToken|auth|password)\s?=\s?\"?([^\s\"$]{8,400})", check="real"
    ),
    Rule(
        "aws_secret_key",
        ("AKIA", "ASIA", "ABIA"),
        r"A[KSB]IA[A-Z0-9]{16}(?![A-Z0-9])[^<]{1,240}?(?<![A-Za-z0-9+/=_-])"
        r"([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=_-])",
        check="random",
    ),
    Rule(
        "alibaba_secret",
        ("LTAI",),
        r"LTAI[A-Za-z0-9]{12,24}(?![A-Za-z0-9])[^<]{1,240}?(?<![A-Za-z0-9])([A-Za-z0-9]{30})(?![A-Za-z0-9])",
        check="random",
    ),
    Rule(
        "google_webhook",
        ("https://chat.googleapis.com/v1/spaces/",),
        r"https://chat\.googleapis\.com/v1/spaces/[^\s\"'<>]{1,200}?[?&]key=[^\s\"'<>]{10,400}",
    ),
    Rule(
        "azure_storage_key",
        ("AccountKey=", "SharedAccessKey=", "accountkey="),
        r"(?:[Aa]ccountKey|accountkey|SharedAccessKey)=([A-Za-z0-9+/]{40,90}={0,2})",
    ),
    Rule(
        "url_signature",
        ("ignature=", "ecurity-Token=", "ECURITY-TOKEN=", "IGNATURE="),
        r"(?<=[?&;\"'\s])(?i:x-[a-z]{2,8}-)?(?i:signature|security-token)=([A-Za-z0-9+/%_~.=-]{16,4096}+)",
        run=ALNUM + "-",
        reach=24,
    ),
    Rule("azure_sas_signature", ("sig=",), r"(?<=[?&;])sig=((?:[A-Za-z0-9+/]|%2[BbFf]){40,60}(?:=|%3[Dd]){0,2})"),
    Rule(
        "slack_webhook",
        ("hooks.slack.com/", "hooks.slack-gov.com/"),
        r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,4096}+)",
    ),
    Rule("discord_webhook", ("/api/webhooks/",), r"/api/webhooks(/\d{15,22}/[\w-]{50,80})"),
    Rule(
        "teams_webhook",
        (".webhook.office.com/", ".logic.azure.com"),
        r"\.(?:webhook\.office\.com/webhookb2/([\w@/-]{40,300})|logic\.azure\.com[^\s\"'<>]{1,300}?[?&]sig=([\w%-]{20,4096}+))",
    ),
    Rule(
        "webhook",
        ("hooks.zapier.com/hooks/catch/", "maker.ifttt.com/trigger/"),
        r"(?:hooks\.zapier\.com/hooks/catch/|maker\.ifttt\.com/trigger/[\w-]{1,80}/(?:json/)?with/key/)([\w/-]{8,4096}+)",
    ),
    Rule("facebook_token", ("|", "%7C"), r"\d{15,16}(?:\||%7C)[\w-]{27,28}(?![\w-])", run=DIGITS),
    Rule(  # no secret for AWS, yet half of what it takes to address somebody's resources
        "aws_account",
        ("AWS_ACCOUNT", "aws_account", "AwsAccount", "awsAccount", "aws-account"),
        r"(?i:aws[_-]?account(?:[_-]?(?:id|number|no))?)[\"']?\s{0,3}(?:=>|:=|[:=])\s{0,3}[\"']?(\d{4}-?\d{4}-?\d{4})(?![\d-])",
        check="any",
    ),
    # Formats that no provider owns
    _token(
        "jwt",
        "eyJ",
        r"ey[IJ][A-Za-z0-9_-]{8,4096}+={0,2}\.e[wy][A-Za-z0-9_-]{4,4096}+={0,2}\.[A-Za-z0-9_-]{10,4096}+",
        "filled",
    ),
    _token(
        "jwt",
        "eyJ",
        r"eyJ[A-Za-z0-9_-]{16,4096}+\.[A-Za-z0-9_-]{0,400}\.[A-Za-z0-9_-]{8,40}\.[A-Za-z0-9_-]{20,4096}+\.[A-Za-z0-9_-]{16,4096}+",
    ),
    _token(
        "atlassian_token", "MT Mj Mz MD NT Nj Nz ND OT OD", r"[MNO][A-Za-z0-9+/]{15}O[g-v][A-Za-z0-9+/]{26}", "random"
    ),
    # A short name, then an object of JSON in Base64
    Rule(
        "token",
        ("_eyJ", "-eyJ", ".eyJ"),
        r"(?<![A-Za-z0-9])[A-Za-z]{2,12}[_.-]eyJ[A-Za-z0-9_+/-]{24,4096}+={0,3}",
        run=ALNUM,
        reach=13,
    ),
    _token("jwt", "ZXlK", r"ZXlK[A-Za-z0-9+/=]{80,4096}+"),
    # `PRIVATE KEY` in Base64, at each of its three alignments
    Rule(
        "private_key",
        ("UFJJVkFURSBLRV", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFW"),
        r"[A-Za-z0-9+/_-]{40,65536}+={0,2}",
        run=BASE64 + "_-",
        reach=16_384,
        check="any",
    ),
    _token(
        "private_key",
        "LS0tLS1CRUdJTi",
        r"LS0tLS1CRUdJTi(?!BDRV|BQVU|BQR1AgUFV|BYNT|BUUl|BSU0EgUFV)[A-Za-z0-9+/_=-]{20,4096}+",
        "any",
    ),
    _token(
        "private_key",
        "MII MHcCAQEE MC4CAQAw MIG",
        r"(?:MII[A-Za-z0-9+/]{3}IBA[ADJ]|MHcCAQEE|MC4CAQAw|MIG[A-Za-z0-9+/]AgEA)[A-Za-z0-9+/]{30,64}(?:\s{0,40}[A-Za-z0-9+/]{16,4096}+){0,200}+={0,2}",
        "any",
    ),
    _token("ntlm_token", "TlRMTVNTUAA", r"TlRMTVNTUAA[A-Za-z0-9+/]{20,4096}+={0,2}", "any"),
    Rule(
        "password_hash",
        ("$2a$", "$2b$", "$2y$", "$5$", "$6$", "$1$", "$apr1$", "$argon2", "$y$", "pbkdf2_"),
        r"(?:\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$(?:[156]|apr1|y)\$(?:rounds=\d+\$|j9T\$)?[./A-Za-z0-9]{1,24}\$[./A-Za-z0-9]{22,86}|\$argon2id?\$v=\d+\$[mtp=,\d]{5,40}\$[A-Za-z0-9+/]{8,100}\$[A-Za-z0-9+/]{16,200}|pbkdf2_sha\d+\$\d+\$[A-Za-z0-9]+\$[A-Za-z0-9+/=]{30,4096}+)",
    ),
    Rule("telegram_token", ("/bot",), r"/bot(\d{8,10}:[\w-]{30,40})(?![\w-])"),
    # URLs with a user's name and password, or a token in the place of the name
    Rule(
        "url_password",
        ("://",),
        r"://([^\s/?#:\"'`<>{}|\\,]{0,120}):([^\s/\"'`<>]{1,255})@(?=[\w\[$%{.-])",
        check="userinfo",
    ),
    Rule(  # of a database or broker even a weak password is one
        "url_password",
        ("://",),
        r"(?!https?:)(?:[a-z][a-z0-9+]{1,24})?://([^\s/?#:@\"'`<>{}|\\,]{0,120}):(?!\1@(?:localhost|127\.0\.0\.1)\b)([^\s/@\"'`<>]{1,255})@(?!(?:[\w-]{1,60}\.){0,4}example\b|host)(?=[\w\[.-])",
        run="abcdefghijklmnopqrstuvwxyz0123456789+",
        reach=24,
        check="typed",
    ),
    Rule("url_password", ("://",), r"://([^\s/?#:@\"'`<>{}|\\,]{8,255})@[\w.-]", check="user_token"),
    Rule(
        "url_password",
        ("://",),
        r"://([^\s/?#:@\"'`<>{}|\\,]{4,255}):(?:x-oauth-basic|x-token-auth|x-access-token)@[\w.-]",
        check="argument",
    ),
    # The same without a scheme: where a port or a path follows even a weak password is one, before a bare name a chosen one
    Rule(
        "url_password",
        ("@",),
        LOGIN + r"@(?=" + PLACE + ")",
        run=WORD + ".+:!#$%^&*?~",
        check="typed",
        glance=BEFORE_HOST,
    ),
    Rule(
        "url_password",
        ("@",),
        LOGIN + r"@(?=" + HOST + r"(?![\w@-]))",
        run=WORD + ".+:!#$%^&*?~",
        check="chosen",
        glance=BEFORE_HOST,
    ),
    # Registries, key sets
    Rule(
        "password", ("BUNDLE_",), r"BUNDLE_[A-Z0-9_]{3,80}\s?[=:]\s?[\"']?([\w.~-]{1,80}:[\w.~-]{4,80})", check="real"
    ),
    Rule("private_key", ('"d"',), r"\"d\"\s{0,2}:\s{0,2}\"([A-Za-z0-9_-]{40,1024})\"", check="random"),
    # HTTP headers
    Rule(
        "bearer_token",
        ("Bearer ", "bearer ", "BEARER "),
        r"(?i:(?<![a-z])bearer)\s{1,4}\\?[\"']?([A-Za-z0-9_.~+/=:-]{8,4096})",
        check="token",
    ),
    Rule(
        "bearer_token",
        tuple(
            f"{name}{quote}" for name in ("uthorization", "UTHORIZATION") for quote in (":", '":', "':", "=", '\\":')
        ),
        r"(?i:uthorization)\\?[\"']?[:=]\s{0,4}\\?[\"']?(?i:bearer|token)\s{1,4}([^\s\"'<>{}$\\]{3,4096})",
        check="real",
    ),
    Rule(
        "basic_auth",
        ("Basic ", "basic "),
        r"(?i:(?<![a-z])basic)\s{1,4}([A-Za-z0-9+/_-]{6,1024}={0,2})(?![A-Za-z0-9])",
        check="basic",
    ),
    Rule(
        "cookie",
        tuple(f"{name}{quote}:" for name in ("Cookie", "cookie", "COOKIE") for quote in ("", '"', "'")),
        r"(?i:(?<![a-z])cookie)[\"']?:\s{0,4}[\"']?([\w.%-]{1,80}=[^\s;\"',]{6,4096}[^\r\n\"']{0,4096})",
        check="real",
    ),
    # Commands
    Rule(
        "password",
        ("curl",),
        r"curl(?:[^\n]|\\\n){0,600}?\s(?:-u|--user|-U|--proxy-user)[\s=]{0,2}[\"']?([^\s\"'<>:$]{1,100}):[\"']?([^\s\"']{0,4096}+)",
        check="userinfo",
    ),
    Rule("password", ("pass:",), r"(?<=[\s\"'])pass:([^\s\"']{4,100})", check="passphrase"),
    # SQL and configuration languages of their own; a line of `.pgpass`
    Rule("password", (":5432:",), r":5432:[\w*-]{1,63}:[\w.*@-]{1,63}:([^\s:\"'\\]{4,200}+)(?!:)", check="real"),
    Rule("password", ("IDENTIFIED ",), SQL_PASSWORD + r"[\"'`]([^\s\"'`;]{3,200})", check="real"),
    Rule("password", ("identified ",), SQL_PASSWORD + r"'([^\s\"'`;]{3,200})'\s{0,4}(?:[;,)]|\Z)", check="real"),
    Rule("password", ("IDENTIFIED ", "identified "), SQL_PASSWORD + r"([^\s\"'`;]{6,200})", check="chosen"),
    Rule(
        "password", ("assword ", "ASSWORD "), r"(?i:assword\s{1,4}(?:=\s{0,4})?)'([^'\n]{3,200})'", check="passphrase"
    ),
    Rule(
        "password",
        ("assword ", "ASSWORD ", "asswd "),
        r"(?i:assw(?:or)?d)\s{1,4}([^\s\"'`<>,;\\]{6,100})",
        check="chosen",
    ),
    Rule(
        "password",
        ("login ", "machine "),
        r"(?:login|machine)\s{1,8}\S{1,100}\s{1,8}(?:login\s{1,8}\S{1,100}\s{1,8})?password\s{1,8}([^\s]{3,200})",
        check="passphrase",
    ),
    # Passwords told in prose, English and Korean
    Rule(
        "password",
        ("assword", "ASSWORD", "assphrase", "asscode"),
        r"(?i:ass(?:word|phrase|code))(?:\s(?:for|of|in|to)\s[^\s:]{1,40}:|(?:\s(?:for|of|in|to)\s[^\s:]{1,40})?\s(?:is|was|to|as):?)\s{0,2}[\"'`]?([^\s\"'`<>,]{6,100})",
        check="chosen",
    ),
    Rule(
        "password",
        ("비밀번호", "비번", "패스워드", "암호", "PW는", "pw는", "PW은", "P/W", "p/w", r"\ube44\ubc00\ubc88\ud638"),
        r"(?:비밀번호|비번|패스워드|암호|(?<![A-Za-z0-9])[Pp][Ww]|(?<![A-Za-z0-9/.])[Pp]/[Ww](?![A-Za-z0-9])|\\ube44\\ubc00\\ubc88\\ud638\\?[\"']?)(?:은|는|이|가|를|을|\\u[0-9a-f]{4})?\s{0,2}[:=(]?\s{0,2}[\"'`]?([!#-&*-;=?-Z^_a-z|~]{6,100})",
        check="chosen",
    ),
    Rule(
        "pin",
        ("PIN", "CVV", "CVC", "cvv", "cvc"),
        r"(?<![A-Za-z0-9_])(?:(?:PIN|CVV|CVC|cvv|cvc)(?:[- ]?(?:[Cc]ode|number))?"
        r"[ ]?(?:[:：]|is|was|ist|lautet|es|est|은|는|は)[ ]?|(?:CVV|CVC|cvv|cvc)[ ])[\"'`*]{0,2}(\d{3,8})(?![\w.%])",
        check="any",
    ),
    Rule(  # an item of a list of variables, whatever the name
        "secret",
        ("- ",),
        r"- [\"']?[A-Z][A-Z0-9_]{2,60}=([!#%*+_^~@?A-Za-z0-9-]{10,64})[\"']?[ \t]*(?:\r?\n|\Z)",
        check="generated",
        glance=r"- [\"']?[A-Z][A-Z0-9_]{2,60}=",
    ),
    Rule("password", ("PW ",), r"PW\s([!#-&*-;?-Z^_a-z|~]{6,60})", check="chosen"),
    Rule(
        "password",
        ("/PW", "/pw", "/Pw", "/PASS", "/Pass", "/pass", "/비", " PW ", " pw "),
        r"[/ ]\s?(?i:pw|pwd|pass|passwd|password|비번|비밀번호)[\s:=>(,/-]{1,4}[\w.@-]{1,40}\s?"
        r"[/,:(\s]{1,2}\s?([^\s\"'<>()]{6,60})",
        check="chosen",
    ),
)

# What terminals print is a secret in these forms whatever its length and looks.
PRINTED: tuple[Rule, ...] = (
    Rule(
        "bearer_token",
        ("Bearer ", "bearer ", "BEARER "),
        r"(?i:(?<![a-z])bearer)\s{1,4}\\?[\"']?([^\s\"'<>{}$\\]{3,4096}+)",
        check="no_word",
    ),
    _token("model_api_key", "sk-", r"sk-[A-Za-z0-9_-]{8,4096}+"),
    _token("github_token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9_]{8,4096}+"),
)
