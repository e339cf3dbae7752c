"""How code of the indexed languages reads the environment of its process: in calls, through variables that hold it, and with
defaults."""

from __future__ import annotations

import re

from graphmem.patterns import compile_later

# A variable of the environment is read by one of these; its name follows.
READS_ENVIRONMENT = (
    r"\b(?:[gG]etenv|LookupEnv|(?:(?<!\.)|(?<=\bos\.))environ(?:\.get|\.pop|\.setdefault)?|process\.env|import\.meta\.env|env::var(?:_os)?|ENV(?:\.fetch)?"
    r"|GetEnvironmentVariable|secure_getenv|ProcessInfo\.processInfo\.environment|\$_ENV|Deno\.env\.get)\b"
)
READS = compile_later(READS_ENVIRONMENT)
BEHIND = compile_later(rf"{READS_ENVIRONMENT}[\s.(\[:]*")
_BUNDLERS = r"(?!(?<=import\.meta\.env\.)(?:DEV|PROD|SSR|MODE|BASE_URL)\b)"  # which Vite itself defines
OF_BUNDLERS = compile_later(r"\bimport\.meta\.env\.(?:DEV|PROD|SSR|MODE|BASE_URL)\b")
NAME = compile_later(rf"{READS_ENVIRONMENT}[\s.(\[:]*[\"'`]?{_BUNDLERS}([A-Za-z_]\w*)")
MEMBER = compile_later(r"[\"'](\w+)[\"']\s+(?:not\s+)?in\s+(?:os\.)?environ\b")
SETS = compile_later(r"[\"'`]?\s*\]?\s*=(?![=>~])")  # a variable is only written
PLUS = compile_later(r"\s*\+")  # behind the name of a constant: only a part of the variable's
OF_OS = compile_later(r"\bos\.environ|[gG]etenv")
IMPORTS_ENVIRON = r"from os import .*\benviron\b"
# What reads one variable, in languages where `environ` is no name of the library.
CALLED = compile_later(
    r"(?i:getenv|lookupenv|getenvironmentvariable|env::var|deno\.env)|process\.env|import\.meta\.env|\bENV\b|\$_ENV"
)
# What reads all variables, to hand them on.
WHOLE = (
    r"\bos\.Environ\(\)|\.\.\.\s?process\.env\b(?!\.)|\bos\.environ\.copy\(\)|\bdict\(\s?os\.environ\b|\*\*\s?os\.environ\b"
    r"|\benv\s?[=:]\s?(?:os\.environ|process\.env)\b(?!\s?[.\[])|\benv::vars(?:_os)?\(\)|\bENV\.to_h(?:ash)?\b|\bSystem\.getenv\(\)"
)
LISTS = compile_later(WHOLE)
_ALL = r"(?:process\.env|import\.meta\.env|Bun\.env|os\.environ(?:\.copy\(\))?|dict\(\s?os\.environ\s?\))"
_VALUE = rf"(?:[^=;{{}}]{{0,80}}?(?:\?\?|\|\||\bor\b)\s?)?{_ALL}\s{{0,4}}(?:[;,)]|as\b|//|#|$)"
# A variable, or a parameter with that default or of that type, that holds the environment.
HOLDS = compile_later(
    rf"(?<![\w.$])([A-Za-z_$][\w$]*)\s{{0,4}}(?::[^=;(){{}}]{{1,60}})?:?=(?!=)\s{{0,4}}{_VALUE}"
    r"|(?<![\w.$])([A-Za-z_$][\w$]*)\??\s{0,4}:\s{0,4}(?:NodeJS\.ProcessEnv|os\._Environ)\b"
)
HOLDER = rf"{_ALL}|NodeJS\.ProcessEnv|os\._Environ"
UNPACKS = compile_later(rf"\}}\s{{0,4}}(?::[^=;]{{1,60}})?=\s{{0,4}}{_VALUE}")
UNPACKED = compile_later(r"([A-Za-z_]\w*)\s*(?::\s*[A-Za-z_$][\w$]*\s*)?(=[^,]*)?")
HANDED = compile_later(rf"([A-Za-z_$][\w$]*)\(([^()]{{0,200}}?)(?<![\w.$])({_ALL})\s{{0,4}}[,)]")
# A default behind the name, as a further argument, behind an operator or in a call.
_LITERAL = (
    r"(\"[^\"]{0,80}\"|'[^']{0,80}'|`[^`]{0,80}`|-?\d[\w.]{0,20}(?:\s?[*+]\s?\d[\w.]{0,20}){0,3}|(?:[Tt]rue|[Ff]alse|None|null|nil)\b"
    r"|(?:[A-Za-z_]\w{0,40}\.){0,2}[A-Z][A-Z0-9_]{2,60}\b)"
)
DEFAULT = compile_later(
    rf"[\"'`]?\s?[\])]{{0,2}}!?\s{{0,4}}(?:\?\?|\|\||\?:|\bor\b|\.unwrap_or(?:_else)?\(\s?(?:\|_?\|\s?)?|\.getOrElse\(|\.orElse\()\s{{0,4}}{_LITERAL}"
)
ARGUMENT = compile_later(rf"[\"'`]?\s{{0,4}},\s{{0,4}}(?:(?:default|fallback|def)\s?=\s?)?{_LITERAL}\s{{0,4}}[),]")
PARSES = compile_later(r"(?i)(?:parse(?!int|float)|env|get|str|bool|num|default)\w*\(\s{0,4}[\w.$?]{1,60}$")
# What libraries of settings put before the name of each field or option: as it stands before the names, then as a word that they
# begin with.
PREFIX = re.compile(
    r"(?:\b(?:(?:auto_)?env_?(?:var_)?prefix|environ_prefix|environment_prefix)[\"']?\s*[=:]\s*"
    r"|\benv(?:\.provider|y?::prefixed|\.prefixed)\(\s*)[\"'](\w+)[\"']"
    r"|(?:SetEnvPrefix|\bEnvironment::with_prefix|\benvconfig\.Process)\(\s*[\"](\w+)[\"]",
    re.I,
)
COMMENT = compile_later(r"\s*(?://|/?\*|--|;|%|<!--|\"\"\"|'''|#(?!\s*(?:if|el|define|undef|pragma)))")
IMPORT = compile_later(r"\s*(?:import|from|using|use|require|include|#\s*include)\b")
# How libraries name a variable: tags of Go's structs, options of command lines, readers of settings.
LIBRARIES = (
    r"\benv(?:config)?:\"([A-Z][A-Z0-9_]*)\b"
    r"|\benvvar\s?=\s?[\[(]?[\"'](\w+)[\"']"
    r"|\benv\s?=\s?\"([A-Z]\w+)\""
    r"|\bEnvVars?(?::\s?\[\]string\{|\()\s?\"(\w+)\""
    r"|\bBindEnv\((?:\"[^\"]*\"\s?,\s?)?\"([A-Z]\w*)\""
    r"|(?<![\w.$>:])env\(\s?[\"']([A-Z]\w*)[\"']"
    r"|(?<![\w.$>:])env\.(?:str|int|bool|float|list|dict|url|db|json|path|cache|tuple|decimal|date|datetime|timedelta|enum|log_level|uuid|get)\(\s?[\"']([A-Z]\w*)[\"']"
)
NAMED_BY_LIBRARIES = compile_later(LIBRARIES)
TAG_DEFAULT = compile_later(r"\benvDefault:(\"[^\"]*\")|\bdefault:(\"[^\"]*\")")
