"""Detects text that asks its reader to act outside of the code: to run or install something, to fetch or send something, to
reveal a secret, or to weaken a protection. Hooks do not show such a text unasked unless a person wrote it. Statements about
code ("we decided to use SQLite because …") are no such requests, even if they name commands.

A sentence is a request if it has an object of one of these classes and does not reject it ("never …"). Some objects are
sufficient; others need an instruction around them: a leading verb, "must", "we decided to", a Korean request form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_LONGEST = 40_000  # characters that are checked
_SENTENCE = re.compile(r"(?<=[.!?。])\s+|\n+")
_LEADER = re.compile(r"[:：]\s*$")
_URL = r"(?:(?:git\+|hg\+)?(?:https?|ssh|ftp|git)://|git@)(?!(?:localhost|127\.|0\.0\.0\.0|\[::1\]))"
_LOCAL = r"(?:https?://)?(?:localhost|127\.|0\.0\.0\.0|\[::1\])"
_INSTALLER = (
    r"(?:(?:python[\d.]*\s+-m\s+)?pip[\d.]*(?:\s+-\S+)*\s+(?:install|download|wheel)|pipx\s+(?:install|run|inject)"
    r"|uv\s+(?:add|pip\s+install|tool\s+(?:install|run))|uvx|npx|bunx"
    r"|(?:npm|pnpm|yarn|bun)\s+(?:(?:-g|--global|global)\s+)?(?:install|i|add|ci|dlx|exec|x|create|init)|cargo\s+(?:install|add)|go\s+(?:install|get|run)"
    r"|gem\s+install|(?:poetry|pdm|composer|dart\s+pub|nuget|dotnet(?:\s+tool)?|mix|cpanm?|luarocks|opam|conda|mamba|brew|choco|scoop"
    r"|winget|apt(?:-get)?|dnf|yum|apk|pacman|zypper|snap|flatpak|port)\s+(?:-\S+\s+)*(?:install|add|require|tap|-S\w*)"
    r"|easy_install|gh\s+extension\s+install|code\s+--install-extension|helm\s+(?:install|repo\s+add)|docker\s+(?:run|pull)"
    r"|claude\s+(?:mcp\s+add|plugin\s+install)|install-module|install-package)"
)
_OWN = (  # arguments that name nothing new: the project itself, its lock file
    r"(?=\s*(?:$|[`'\")\].,;:&|)]|--?[\w-]+(?=\s*(?:$|[`'\"),;]))|(?:--?[\w-]+\s+)*(?:-e\s+|--editable\s+)?[\"']?\.(?:/(?!\S*\.(?:whl|tar|tgz|zip)))?"
    r"|(?:--?[\w-]+\s+)*-r\s+|(?:in|and|or|is|was|fails?|failed|step|command|with|from|on|when|for|to|so|because)\b))"
)
_REMOTE = (  # where an installer takes its package from
    rf"(?:{_URL}|git\+|github:|gitlab:|\S+\s+@\s+http|--(?:extra-)?index(?:-url)?\b|--trusted-host|--find-links\b|--registry\b|--source\b"
    r"|--default-index|--git\b|\s-[if]\s*https?:|\S+\.(?:whl|tgz|tar\.gz|zip|deb|rpm|pkg|msi|exe)\b)"
)
_SHELL = r"(?:sudo\s+)?(?:/\w+/)*(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|php|iex|pwsh|powershell|cmd)\b"
_DECODES = (
    r"(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|openssl\s+(?:base64|enc)\b[^|\n]*\s-d|gunzip\b|certutil\b[^|\n]*-decode)"
)
_GETS = r"(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|aria2c|https?|bitsadmin|certutil)"
_OBEYED = (  # downloaded or decoded text that is executed
    rf"\b{_GETS}\b[^\n|]{{0,300}}\|\s*{_SHELL}|{_DECODES}[^\n]{{0,200}}\|\s*{_SHELL}"
    rf"|\|\s*{_DECODES}[^\n|]{{0,80}}\|\s*{_SHELL}|(?:{_SHELL}|\beval|\bsource|(?<!\w)\.)\s+(?:-\w+\s+)?[\"']?(?:<\(|\$\(|`)\s*(?:{_GETS}|base64|echo)\b"
    rf"|\biex\s*\(|\b{_GETS}\b[^\n]{{0,300}}(?:&&|;|\bthen\b)\s*(?:chmod\s|{_SHELL}\s|\./)"
    r"|\bpowershell\b[^\n]{0,80}\s-e(?:nc\w*)?\s|\bexec\((?:requests|urllib|urlopen|base64|__import__)|downloadstring\("
    r"|\bpython[\d.]*\s+-c\s+[\"'][^\n]{0,200}(?:urlopen|requests|exec|b64decode|os\.system|socket)"
)
_WEAKENS = (  # settings that switch a protection off
    r"\bchmod\s+(?:-\w+\s+)*(?:[0-7]?777|a\+rwx|[ugoa]*\+s)\b|\bverify\s*=\s*false\b|\brejectunauthorized\s*[:=]\s*false"
    r"|\bNODE_TLS_REJECT_UNAUTHORIZED\s*=?\s*[\"']?0|\bPYTHONHTTPSVERIFY\s*=?\s*0|\bGIT_SSL_NO_VERIFY\b|\bhttp\.sslverify\s*=?\s*[\"']?false"
    r"|\bstrict-ssl\s*=?\s*false|\bstricthostkeychecking\s*=?\s*no\b|\binsecureskipverify\s*[:=]\s*true|\bcurl\b[^\n|]{0,80}\s(?:-k|--insecure)\b"
    r"|\bcore\.(?:hookspath|fsmonitor|sshcommand|pager|editor|attributesfile)\b|\bcredential\.helper\b|\bauthorized_keys\b"
    r"|\bssh-(?:rsa|ed25519|dss)\s+AAAA|\bnopasswd\b|\bsetenforce\s+0|\bufw\s+disable|\bset-executionpolicy\b|\bset-mppreference\b"
    r"|--dangerously-[\w-]+|\b(?:dangerously-?)?skip-?permissions\b|--no-sandbox\b|--privileged\b|--no-gpg-sign\b|\bGONOSUM\w*|\bGOFLAGS=-insecure|\bGONOSUMDB\b"
    r"|\bGOINSECURE\b|--disable-host-key\S*|--allow-unauthenticated\b|--no-check-certificate\b|--nogpgcheck\b|\bLD_PRELOAD\s*="
)
_NEVER_MEANT = (  # no code base discusses these as its own subject
    r"\bchmod\s+(?:-\w+\s+)*(?:[0-7]?777|a\+rwx|[ugoa]*\+s)\s+[\"']?[/~.*]|\bssh-(?:rsa|ed25519|dss)\s+AAAA|>>\s*\S*authorized_keys"
    r"|\brm\s+-\w*[rR]\w*\s+(?:-\w+\s+)*(?:/|~|\$HOME|\*)(?:\s|$|[\"'`*])|\bgit\s+config\b[^\n]{0,40}\bcore\.(?:hookspath|fsmonitor|sshcommand)\b"
)
_SECRET_FILE = (
    r"(?:(?<![\w/])(?:\S*/)?\.env\b(?!\.(?:example|sample|template|dist|test|local\.example))|\.ssh\b|\bid_(?:rsa|ed25519|ecdsa)\b"
    r"|\.aws\b|\.netrc\b|\.npmrc\b|\.pypirc\b|\.git-credentials\b|\.kube/config|/etc/(?:passwd|shadow)|\.gnupg\b|keychain\b|\bprintenv\b"
    r"|\bprivate keys?\b|\benvironment variables?\b|\benv vars?\b|환경 ?변수|개인 ?키|비밀 ?키)"
)
_SECRET = (
    r"(?:\bsecrets?\b|\b(?:access |auth\w* |api |session |bearer |github |npm |pypi |deploy )?(?:tokens?|keys?)\b|\bcredentials?\b|\bpasswords?\b"
    r"|\bpassphrases?\b|\bcookies?\b|비밀번호|암호|토큰|자격 ?증명|인증 ?정보|시크릿|비밀 ?정보|(?:API|api|접근|인증) ?키)"
)
_REVEALS = (
    r"(?:\b(?:send|post|paste|upload|share|e-?mail|forward|print|reveal|show|disclose|attach|publish|dump|exfiltrate|leak|transmit|submit"
    r"|include|put|append|echo|cat|display|output|report|give|tell|base64|curl|copy|write)(?:ing)?\b"
    r"|보내|전송|붙여|붙이|올려|올리|공유|출력|첨부|복사|공개|업로드|게시|노출|알려|보여|제출|전달|적어|남겨)"
)
_OUTSIDE = (
    rf"(?:{_URL}|\bgh\s+(?:issue|pr|gist)|\b(?:issues?|pull requests?|PRs?|comments?|gists?|pastebin|slack|discord|telegram|webhooks?|e-?mails?"
    r"|third part(?:y|ies)|support (?:team|chat)|public (?:channel|repo\w*|url)|external (?:server|host|url|service)|remote (?:server|host)|chat|our server"
    r"|attacker|forum|reply|answer|response to the user|description)\b|\S+@\S+\.\w{2,}|이슈|댓글|채널|메일|슬랙|외부|서버로|게시판|풀 ?리퀘스트|답변|채팅)"
)
_RUN_VERB = r"(?:\b(?:run|execute|invoke|launch|call|type|enter|issue|exec|source|use|do|try|start|perform)\b|실행|돌리|돌려|입력)"
_SPAN = r"`+\s*(?:\$\s+)?(?P<span>[^`\n]{2,300})`+"
_RISKY = (
    r"(?:sudo|doas|curl|wget|nc|ncat|ssh|scp|rsync|sftp|ftp|telnet|(?:ba|z|da|k)?sh\s+\S+|bash|source\s+\S+|python[\d.]*\s+-c|node\s+-e|perl\s+-e|ruby\s+-e"
    r"|npx|uvx|bunx|pipx|docker\s+run|kubectl|terraform\s+(?:apply|destroy)|aws|gcloud|az|gh\s+(?:repo|secret|auth|api|gist|ssh-key)"
    r"|git\s+(?:config|push|remote|clean|reset\s+--hard|clone|submodule|filter-branch)|chmod|chown|crontab|systemctl|eval|osascript|reg\s+add"
    r"|schtasks|launchctl|iptables|ufw|rm|dd|mkfs|kill(?:all)?|shutdown|passwd|useradd|usermod|mount|powershell|pwsh|cmd\s+/c|certutil"
    r"|security\s+\w+|defaults\s+write|\./\S+|\S+\.(?:sh|ps1|bat|cmd|command|exe|bin|run)\b)"
)
_RUNNERS = (  # build and test programs that a project's developers run all day
    r"(?:(?:uv|poetry|pdm|hatch|pipenv|bundle|npm|pnpm|yarn|bun|rye)\s+(?:run|exec|test|t|build|lint|sync|lock|ci|start|dev|check|fmt|format)\b"
    r"|(?:npm|pnpm|yarn|bun|bundle|poetry|pdm|composer|uv|go\s+mod)\s+(?:install|i|sync|lock|ci|tidy|download|update)?\s*$|(?:python[\d.]*\s+-m\s+)?(?:pytest|tox|nox|ruff|mypy|black|isort|flake8|pylint|pyright|coverage"
    r"|unittest|sphinx-build|mkdocs|towncrier|alembic|pre-commit|build|twine\s+check)\b|(?:g?make|just|task|rake|invoke|ninja|bazel|buck2?|gradlew?|\./gradlew|mvnw?|\./mvnw|sbt|cmake|ctest|meson|scons)\b"
    r"|(?:cargo|go|dotnet|swift|mix|rustup|zig|dart|flutter)\s+(?:test|build|check|fmt|vet|clippy|bench|doc|lint|run\s+--|generate|format|restore|clean|analyze|expand)\b"
    r"|(?:jest|vitest|mocha|ava|eslint|prettier|tsc|webpack|vite|rollup|biome|stylelint|rubocop|rspec|phpunit|phpstan|shellcheck|golangci-lint|hadolint)\b"
    r"|git\s+(?:status|diff|log|add|commit|rebase|merge|fetch|pull|checkout|switch|branch|tag|stash|show|blame|bisect|cherry-pick|revert|describe|rev-parse|grep)\b"
    r"|docker[ -]compose\s+(?:up|down|build|logs|ps)|(?:python[\d.]*\s+)?(?:\./)?manage\.py\s+\w+|(?:django-admin|flask|rails|celery|uvicorn|gunicorn|graphmem)\b|ls|cd|grep|rg|find|cat\s+(?!\S*\.env))"
)
_FETCHES = (
    r"(?:\b(?:download|fetch|install|clone|execute|run|load|import|pull|open|visit|follow|get|retrieve|browse|read|navigate|add|configure|point|set|switch|use)\b"
    r"|다운로드|내려 ?받|받아|설치|클론|실행|열어|접속|방문|읽고|따르|추가|설정|변경)"
)
_PROTECTION = (
    r"(?:(?:tls|ssl|https?|certificates?|cert|host[ -]?key|signatures?|checksums?|hash|gpg|code[ -]signing|package)\s+(?:certificate )?(?:verification|validation|checks?|checking|verify|pinning|enforcement)"
    r"|(?:tls|ssl) (?:certificate )?(?:errors|warnings)|2fa|mfa|two-factor|branch protections?|firewall|selinux|apparmor|(?:the )?sandbox(?:ing)?|anti-?virus|secret scanning|permission (?:prompts?|checks?)|gatekeeper|defender"
    r"|(?:TLS|SSL|인증서|서명|체크섬|호스트 ?키|해시|보안)\s*(?:인증서 ?)?(?:검증|검사|확인|경고|설정)|방화벽|샌드박스|이중 ?인증|백신)"
)
_DISABLES = r"(?:\b(?:disable|turn(?:ing)? off|switch(?:ing)? off|skip|bypass|ignore|deactivate|suppress|remove|relax|drop)\b|끄|꺼|비활성|해제|무시|건너뛰|우회|제거)"
_GRANTS = (
    r"\b(?:add|grant|give|invite|register|install|append|create|allow|approve|accept|trust|whitelist|allowlist)\b[^.\n]{0,60}?\b(?:(?:ssh|deploy|public|gpg|signing)[ -]keys?"
    r"|admin(?:istrator)? (?:access|rights|role|permissions?)|(?:write|full|root|unrestricted) (?:access|permissions?)|as (?:an? )?(?:admin\w*|collaborator|maintainer|owner)|all (?:tool calls?|commands|permissions?|requests))\b"
    r"|\bauto-?(?:approve|accept)\b|(?:SSH|배포|공개)\s?키[^.\n]{0,30}(?:추가|등록)|(?:관리자|모든|쓰기|전체) ?(?:권한|접근)[^.\n]{0,20}(?:부여|추가|허용|주)"
)
_INSTRUCTS = re.compile(
    r"\b(?:must|should|shall|needs? to|have to|has to|always|please|kindly|make sure|be sure|ensure|remember to|don'?t forget|decided|decide|decision|agreed|agree|chose|let'?s|let us|we(?:'ll| will)"
    r"|going to|rule|policy|convention|required|requires?|recommended|mandatory|important|before (?:you|each|every|any|editing|committing|running|changing|continuing|merging|the next)|after (?:each|every)|first|whenever|every time|when(?:ever)? you|if you|agents?|assistants?|llms?|claude"
    r"|you (?:can|may|will|want)|hint|tip|try|to (?:fix|solve|resolve|continue|proceed|install|set up|reproduce|build|enable|test|verify|apply|finish|unblock)|from now on|henceforth|todo|action item|next step|workaround|instead)\b"
    r"|(?:하세요|하십시오|해야|해\s?주(?:세요|십시오)|할 것|하라|하시오|합시다|하기로|기로|결정|바랍니다|하자|하도록|규칙|반드시|항상|먼저|필수|주세요|십시오|세요|시오|할게요|힌트|합니다)",
    re.IGNORECASE,
)
_LEADS = re.compile(  # an imperative: it starts with the base form of a verb
    r"^[\s>*\-+\d.)#\]\[|(\"'“]*(?:(?:[\w-]+(?:\([^)]*\))?!?|note|todo|fix|then|and|also|now|next|so|first|finally|just|step \d+|[^:\n]{1,40})[:,]\s*)?(?:(?:then|and|also|now|next|so|first|finally|just|please)[ ,]+)*[`\"']?"
    r"(?:run|execute|invoke|launch|call|type|enter|install|download|fetch|clone|pull|open|visit|follow|get|load|import|send|post|paste|upload|share|e-?mail|forward|print|reveal|show|disclose|attach|publish"
    r"|dump|copy|submit|include|put|append|echo|cat|disable|turn|switch|skip|bypass|ignore|remove|relax|add|grant|give|invite|register|set|configure|point|use|write|export|create|allow|approve|accept|trust|change|make|start|source|sudo|curl|wget|chmod|git|pip|npm|npx|try|do|report|tell|display|output|drop|deactivate|suppress)\b(?!\s*(?:of|is|was|are)\b)",
    re.IGNORECASE,
)
_REJECTS = re.compile(
    r"(?:\b(?:don'?t|do not|never|avoid|stop(?:ped|s)?|no longer|without|instead of|rather than|not|cannot|can'?t|removed?|removes|dropp?e?d?|drops|reject(?:s|ed)?|forbid\w*|refus\w*|prevent\w*|block(?:s|ed)?"
    r"|deprecat\w*|revert(?:s|ed)?|replac\w*|fix(?:es|ed)?|handl\w*|warn(?:s|ed)? (?:about|on|against)|against|disallow\w*|ban(?:s|ned)?|detect(?:s|ed)?)"
    r"\s+(?:(?:to|the|a|an|any|our|your|all|using|use|uses|run|running|calling|call|setting|set|passing|pass|adding|add|with|on|of|in|from|by|for|send(?:ing)?|print(?:ing)?|log(?:ging)?|commit(?:ting)?|shar(?:e|ing)"
    r"|show(?:ing)?|writ(?:e|ing)|expos(?:e|ing)|includ(?:e|ing)|upload(?:ing)?|post(?:ing)?|past(?:e|ing)|e?mail(?:ing)?|disabl(?:e|ing)|install(?:ing)?|leak(?:s|ing)?|secrets?|tokens?|command|contents?)\s+){0,4}[`\"'(*]*)$",
    re.IGNORECASE,
)
_REJECTS_AFTER = re.compile(
    r"^[^.!?\n]{0,40}?(?:하지 ?(?:마|않|말)|지 ?(?:마세요|마십시오|않|말)|금지|안 ?(?:됩|돼|된)|막(?:는|았|습)|\b(?:is|are|was|were) (?:not allowed|forbidden|rejected|blocked|removed|refused|banned|unsafe|insecure|dangerous|a (?:mistake|bug)|wrong|deprecated)\b)"
)


class _Class(NamedTuple):
    """A class of requests: its pattern, and whether only an instruction makes it a request."""

    pattern: str
    instructed: bool = True


_CLASSES = (
    _Class(rf"\b{_INSTALLER}\b[^\n;|]{{0,160}}?{_REMOTE}", instructed=False),
    _Class(_OBEYED, instructed=False),
    _Class(_NEVER_MEANT, instructed=False),
    _Class(rf"\b{_INSTALLER}(?![\w-]){_OWN.replace('(?=', '(?!', 1)}\s+\S"),
    _Class(_WEAKENS),
    _Class(rf"{_REVEALS}[^\n]{{0,80}}?{_SECRET_FILE}(?!\s*(?:to|in|into)\s+[`\"']?\.gitignore)"),
    _Class(rf"{_SECRET_FILE}[^\n]{{0,60}}?{_REVEALS}"),
    _Class(rf"{_REVEALS}[^\n]{{0,60}}?{_SECRET}[^\n]{{0,60}}?{_OUTSIDE}"),
    _Class(rf"{_SECRET}[^\n]{{0,60}}?{_OUTSIDE}[^\n]{{0,40}}?{_REVEALS}"),
    _Class(rf"{_OUTSIDE}[^\n]{{0,60}}?{_SECRET}[^\n]{{0,40}}?{_REVEALS}"),
    _Class(rf"{_RUN_VERB}\s+(?:the\s+)?(?:(?:following|command|script|installer)\s*:?\s+)?[`\"'$ ]{{0,3}}{_RISKY}"),
    _Class(rf"{_RUN_VERB}[^\n`]{{0,60}}?{_SPAN}"),
    _Class(rf"{_SPAN}[^\n`]{{0,20}}?(?:실행|돌려|돌리|입력|설치)"),
    _Class(rf"(?<![\w/.-]){_RISKY}[^\n]{{0,120}}?(?:실행|돌려|돌리|입력|설치)"),
    _Class(rf"{_FETCHES}[^\n]{{0,80}}?{_URL}"),
    _Class(rf"{_URL}\S*[^\n]{{0,40}}?(?:다운로드|내려 ?받|받아|설치|클론|실행|열어|접속|방문|읽고|따르|보내|전송|올려|올리|업로드)"),
    _Class(rf"\b(?:send|post|upload|forward|submit|report|transmit|mirror|sync|push|e-?mail)\b[^\n]{{0,80}}?(?:{_URL}|\S+@\S+\.\w{{2,}})"),
    _Class(rf"{_DISABLES}[^\n]{{0,40}}?{_PROTECTION}"),
    _Class(rf"{_PROTECTION}[^\n]{{0,20}}?(?:끄|꺼|비활성|해제|무시|건너뛰|우회|제거)"),
    _Class(_GRANTS),
    _Class(r"(?:^|[\s`\"'])(?:\$\s+)?(?:sudo|curl|wget|scp|rsync|nc|ncat|crontab|osascript|eval|chmod|chown)\s+[-/~\w\"'$@:.]*[-/~$@:.]"),
)  # fmt: skip


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def requests_action(text: str) -> bool:
    """Return whether a text asks its reader to run, install, fetch, send or reveal something, or to weaken a protection."""
    return any(_requests(sentence, instructed) for sentence, instructed in _sentences(text[:_LONGEST]))


def without_requests(text: str) -> str:
    """Return the text without the sentences that ask for an action."""
    if not requests_action(text):
        return text
    kept = [sentence for sentence, instructed in _sentences(text[:_LONGEST]) if not _requests(sentence, instructed)]
    return "\n".join(kept)


def _sentences(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each sentence, and whether the one before announces it ("Run this first:")."""
    announced = False
    for sentence in _SENTENCE.split(text):
        if sentence and not sentence.isspace():
            yield sentence, announced
            announced = bool(_LEADER.search(sentence))


def _requests(sentence: str, announced: bool) -> bool:
    instructs = announced or bool(_INSTRUCTS.search(sentence) or _LEADS.search(sentence))
    for one in _CLASSES:
        if one.instructed and not instructs:
            continue
        for match in _compiled(one.pattern).finditer(sentence):
            span = match.groupdict().get("span")
            if span is not None and not _is_command(span):
                continue
            if not (_REJECTS.search(sentence[: match.start()]) or _REJECTS_AFTER.search(sentence[match.end() :])):
                return True
    return False


def _is_command(span: str) -> bool:
    """Return whether quoted text is a command line other than one of a project's own build and test programs."""
    words = span.split()
    if _compiled(_RUNNERS).match(span) and not _compiled(rf"{_URL}|[|;&<>`]|\$\(").search(span):
        return False
    if _compiled(_RISKY).match(span):
        return True
    return len(words) > 1 and bool(_COMMAND.match(span))


_COMMAND = re.compile(r"[a-z][\w./+-]*(?:\s+(?:--?[\w-]|[\w./~$@:=\"'-])+)+", re.ASCII)
