"""The table of commands, directives and calls that take a secret as an argument: which flag of `sqlcmd` is a password, what
`vault login` is followed by, what a call of basic authentication gets second. Data only; the engine is `scan`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from graphmem.privacy.rules import START, WORD, Rule

_ARGUMENTS = r"[^\n|;&]{0,240}?[ \t]"  # what may be between a command and the flag
_VALUE = r"(?:\"([^\"\n]{3,200})|'([^'\n]{3,200})|(?![-$%<{])([^\s\"'`|;<>&]{3,200}))"
_BARE = r"[\"']?([^\s\"'|;<>&$]{3,200})"
_NAME = r"[\w.@\\$-]{1,60}"  # of a user
_CALLED = r"(?:[&A-Za-z_][\w.:]{0,40}\(){0,2}"  # `Some("x")`

_ACCOUNTS = (  # words for what somebody logs in with
    *(
        "reds",
        "redential",
        "ogin",
        "ccount",
        "Zugangsdaten",
        "Zugang",
        "Anmeldedaten",
        "Anmeldung",
        "Konto",
        "dentifiants",
        "ompte",
    ),
    *(
        "redenciales",
        "uenta",
        "cceso",
        "redenziali",
        "ccesso",
        "redenciais",
        "onta",
        "чётные данные",
        "четные данные",
        "огин",
    ),
    *(
        "계정",
        "계정 정보",
        "접속 정보",
        "접속정보",
        "로그인",
        "로그인 정보",
        "ログイン情報",
        "ログイン",
        "アカウント",
        "認証情報",
        "接続情報",
    ),
    *("账号", "帐号", "账户", "凭据", "登录信息", "帳號"),
)

# Before `<<<`: a command that takes a secret from its standard input
_ASKS = (
    r"(?i)(?:^|[\n|;&$(`])[^\n|;&]{0,160}"
    r"(?:\b(?:log-?in|auth|secrets?|passw(?:or)?d|passwd|signin|unlock|credential|token|kinit|su|sudo|cryptsetup|gpg2?"
    r"|configure|context create|chpasswd|insert|vncpasswd)\b"
    r"|(?:--?|-)(?:with-token|password-stdin|stdin|token|data-file=-|file=-|passphrase-fd))[^\n|;&]{0,120}\Z"
)
_OPTIONS = r"[ \t]{1,3}(?:-{1,2}[\w-]{1,30}(?:=\S{1,80})?[ \t]{1,3}){0,4}"
_PARTS = {  # of the notation of `commands.txt`
    "{}": _VALUE,
    "*": r"[^\s|;&\"'<>%=]{0,120}?",
    "?": r"[ \t=]{0,2}[\"']?",
    " ": r"(?:[ \t]{1,3}|=)",
}


def _command_rules() -> Iterator[Rule]:
    """Yield a rule for the commands of each row of `commands.txt`."""
    for row in Path(__file__).with_name("commands.txt").read_text(encoding="utf-8").splitlines():
        if not row.startswith("#"):
            commands, _, forms = row.partition(" | ")
            names = commands.split(", ")
            command = "|".join(_pattern(name, r"[ \t]{1,3}") for name in names)
            pattern = f"{START}(?:{command})(?=[ \\t])(?:{_forms(forms.split(' ; '))})"
            yield Rule("password", tuple(sorted({f"{name.split()[0]} " for name in names})), pattern, check="argument")


def _forms(forms: list[str]) -> str:
    """Return the pattern of the forms of arguments, from the blank before them: those of one beginning share it."""
    after: dict[str, list[str]] = {}
    for form in forms:
        anywhere = form[0] in "-/…"
        after.setdefault(_ARGUMENTS if anywhere else _OPTIONS, []).append(
            _pattern(form.removeprefix("… "), _PARTS[" "])
        )
    return "|".join(f"{before}(?:{'|'.join(patterns)})" for before, patterns in after.items())


def _pattern(notation: str, blank: str) -> str:
    parts = _PARTS | {" ": blank}
    return "".join(parts.get(sign) or re.escape(sign) for sign in re.split(r"(\{\}|[*? ])", notation))


COMMANDS: tuple[Rule, ...] = (
    *_command_rules(),
    Rule(
        "password",
        ("net use ",),
        rf"{START}net use\s{{1,2}}(?:\S{{1,3}}\s{{1,2}})?\\\\\S{{1,100}}\s{{1,2}}(?:/user:\S{{1,60}}\s{{1,2}})?{_VALUE}",
        check="argument",
    ),
    Rule(
        "password",
        ("htpasswd ",),
        rf"{START}htpasswd[ ]-\w{{0,4}}b\w{{0,4}}[ ](?:\S{{1,100}}[ ])?\S{{1,60}}[ ]{_VALUE}",
    ),
    Rule(
        "password",
        ("echo ", "printf "),
        rf"{START}(?:echo|printf)\s(?:-\w{{1,2}}\s|[\"']?%s(?:\\n)?[\"']?\s)?(?:{_NAME}:)?(?:[\"'](?:{_NAME}:)?([^\"'\n$]{{3,200}}?)(?:\\n)?[\"']|([^\s\"'|$]{{3,200}}))"
        r"\s{0,3}\|\s{0,3}(?=(?:sudo\s{1,2})?(?:-S\b|chpasswd|passwd\b|kinit\b|su\b|cryptsetup\b|[^\n|]{1,120}(?:--password-stdin|--with-token|--stdin|--data-file=-|\s-\Z|\s-\n)|[^\n|]{1,60}\bsecrets?\s(?:create|put|set|versions)|sudo[^\n|]{0,40}\s-S\b)"
        r"|sudo\s(?:-\w\s){0,3}-S)",
        check="argument",
    ),
    Rule(
        "password",
        ("ConvertTo-SecureString ",),
        r"ConvertTo-SecureString\s{1,3}(?:-\w{1,20}\s{1,3}){0,3}[\"']([^\"'\n$]{3,200})",
        check="argument",
    ),
    Rule(
        "password",
        ("sqlplus ", "sqlldr ", "expdp ", "impdp ", "rman "),
        rf"{START}(?:sqlplus|sqlldr|expdp|impdp|rman)\s(?:[^\n|;&]{{0,100}}?\s)?[\"']?[\w$#]{{1,30}}/([^\s@\"'/]{{3,100}})@",
        check="argument",
    ),
    Rule(
        "url_password", ("jdbc:oracle:",), r"jdbc:oracle:\w{2,5}:([\w$#]{1,30})/([^\s@\"'/]{3,100})@", check="argument"
    ),
    Rule(
        "password",
        ("assword", "assphrase"),
        r"ass(?:word|phrase)[^\n]{0,80}?(?:\n[^\n]{0,60}?)?\bsend(?:line|_slow)?\b\s{0,3}[({]?\s{0,3}(?:--\s)?[\"']([^\s\"'\\$]{3,100})(?=\\[rn]|[\"']\s{0,3}[)}])",
        check="argument",
    ),
    Rule(  # a secret on the standard input of what asks for one
        "password",
        ("<<<",),
        rf"<<<\s{{0,2}}{_VALUE}",
        check="argument",
        before=_ASKS,
    ),
    Rule(
        "password",
        ("<<",),
        r"<<-?\s?[\"']?(\w{1,20})[\"']?[^\n]{0,80}\n[ \t]{0,20}([^\s\"'$]{4,400})[ \t]*\n[ \t]{0,20}\1\b",
        check="argument",
        before=_ASKS,
    ),
    Rule(
        "secret",
        ("--from-literal", ":pserver:", "src-creds", "dest-creds"),
        rf"--from-literal[\s=][\"']?[\w.-]{{1,80}}={_VALUE}|:pserver:[\w.-]{{1,60}}:([^\s@]{{3,100}})@",
        check="argument",
    ),
    Rule("password", ("--user ", "--user="), rf"--user[ =][\"']?{_NAME}:([^\s\"'$]{{4,100}})", check="chosen"),
    Rule(
        "secret",
        ("secret set ",),
        rf"secret set\s{{1,2}}\w{{1,60}}\s[^\n|;&]{{0,100}}?(?:--body|-b)[\s=]{{1,2}}{_VALUE}",
    ),
    Rule("password", ('send "', "send '"), r"send [\"']([^\s\"'\\$]{4,100})\\[rn]", check="chosen"),
    Rule(
        "password",
        ("DefaultPassword",),
        rf"DefaultPassword[\"']?\s(?:/t\s\w{{1,20}}\s)?/d\s{_VALUE}",
        check="argument",
    ),
    Rule(
        "token",
        (" auth ", " login ", " authtoken ", " add-authtoken ", " authenticate "),
        rf"\s(?:auth|login|authtoken|add-authtoken|authenticate)\s{{1,2}}(?:-\S{{1,30}}\s){{0,2}}{_VALUE}",
        check="token",
    ),
    # Directives of servers and network devices
    Rule(
        "password",
        ("requirepass ", "masterauth ", "auth-pass ", "bindpw ", "rootpw ", "olcRootPW: ", "key-string "),
        rf"(?:requirepass|masterauth|auth-pass\s\S{{1,60}}|bindpw|rootpw|olcRootPW:|key-string)\s{{1,8}}{_VALUE}",
        check="argument",
    ),
    Rule(
        "password",
        ("enable secret ", "enable password ", "snmp-server community ", "pre-shared-key ", "-server key "),
        r"(?:enable (?:secret|password)|snmp-server community|pre-shared-key(?: local| remote)?|(?:tacacs|radius)?-server key)"
        rf"(?:\s\d)?\s{{1,3}}{_VALUE}",
        check="argument",
    ),
    Rule(
        "password",
        ("machine ",),
        r"machine\s{1,8}\S{1,100}\s{1,8}login\s{1,8}\S{1,100}\s{1,8}password\s{1,8}([^\s]{3,200})",
        check="argument",
    ),
    # Calls that take a name and a password
    Rule(
        "password",
        ("uth", "UTH", "redential", "ogin(", "onnect(", "onnection(", "ser(", "ogon(", "PDO(", "uth ", "ogin "),
        r"(?:uth(?:entication|enticate)?|UTH|redentials?|ogin|ogon|onnect(?:ion)?|PDO|(?<=[Uu])ser)[\"']?"
        r"\s{0,2}(?:(?:[:=]\s{0,2})?[(\[]\s{0,40}|[ ])"
        rf"(?:(?:{_CALLED}[\"'][^\"'\n]{{0,200}}[\"']\)?|[A-Za-z_$][\w.$]{{0,40}}),\s{{0,40}}){{1,2}}{_CALLED}[\"']([^\"'\n]{{4,200}})[\"']"
        r"(?:\s{0,40}[)\],]|[ \t]*\r?(?:\n|\Z)|\.\w)",
        check="chosen",
    ),
    Rule(
        "password",
        ("LTER ", "REATE ", "lter ", "reate "),
        r"(?i:(?:lter|reate) (?:user|role|login|account)\s{1,2}[^\n;]{1,120}?\b(?:password\s{0,3}=?"
        r"|identified\s{1,3}(?:with\s\S{1,40}\s)?by(?:\spassword)?)\s{0,3})'([^'\n]{3,200})'",
        check="argument",
    ),
    Rule(
        "key",
        ("hmac.new(", "Fernet(", "AES.new(", "reateHmac(", "reateCipheriv(", "SecretKeySpec(", "jwt.", "pgp_sym_"),
        r"(?:hmac\.new|Fernet|AES\.new|reateHmac|reateCipheriv|SecretKeySpec|jwt\.(?:encode|decode|sign|verify)|pgp_sym_(?:en|de)crypt)\("
        r"(?:[\w.$\s]{1,60},\s{0,4}|\{[^{}\n]{0,120}\},\s{0,4}|[\"'][\w-]{2,20}[\"'],\s{0,4}){0,2}[brf]?[\"']([^\"'\n]{8,200})[\"']",
        check="key",
    ),
    Rule(
        "password",
        tuple(
            f" as {whose}{noun}"
            for whose in ("the ", "my ", "your ", "")
            for noun in ("password", "token", "API key", "passphrase")
        ),
        r"([!#-&*-~]{6,100})[\"'`]? as (?:the |my |your )?(?:password|token|API key|passphrase)\b",
        run=WORD + "!#$%&*+./:;<=>?@^|~\"'`",
        check="chosen",
    ),
    # `creds: bob / value`, as people write to each other; `the login is bob / value`
    *(
        Rule(
            "password",
            _ACCOUNTS,
            rf"(?:{'|'.join(_ACCOUNTS)})s?(?:[ ][\w.-]{{1,24}}){{0,4}}?(?:{joined})\s{{0,2}}[`*\"']{{0,2}}{_NAME}[`*\"']{{0,2}}"
            r"(?:\s{0,2}[/|,:／]\s{0,2})[`*\"']{0,2}([^\s\"'`<>()]{6,60})",
            check=check,
        )
        for joined, check in (
            (r"\s{0,2}[:=：]", "chosen"),
            (r"[ ](?:is|are|ist|sind|est|sont|es|son|è|sono|é|são)(?=[ ])|は|が|[은는이가]", "told"),
        )
    ),
    Rule(  # the second of two that a sentence tells
        "secret",
        tuple(
            f" {word} {noun} "
            for word in ("old", "previous", "former", "new", "other", "current")
            for noun in ("one", "value")
        ),
        r" \w{3,8} (?:one|value) (?:was|is|will be|being|becomes):? [\"'`*]{0,2}([!#-&*-~]{8,200})",
        check="told",
        before=r"(?i)(?:password|passphrase|secret|token|credential|api[ _-]?key)[^\0]*\Z",
    ),
)
