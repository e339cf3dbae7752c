"""More places of labelled secrets for `graphmem bench redaction`: names and values apart from each other, sentences, and
secrets that are kept for later or printed whole. The signs are those of `labelled_texts`; `MADE` has further ones."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from string import ascii_uppercase

APART: dict[str, tuple[str, ...]] = {
    "fields": (
        '{"name":"$NAME","value":"$v"}',
        '{\n  "key": "$NAME",\n  "value": "$v"\n}',
        '{"value":"$v","name":"$NAME"}',
        '{"Name":"/prod/$name","Type":"SecureString","Value":"$v","Version":1}',
        '{"ParameterKey":"$Pascal","ParameterValue":"$v"}',
        '{"id":"$camel","type":"secret","data":"$v"}',
        '- name: $NAME\n  value: "$v"\n',
        "- value: $v\n  name: $NAME\n",
        "<key>$Pascal</key><value>$v</value>",
        '<add key="$Pascal" value="$v" />',
        "<env><name>$NAME</name><scope>a</scope><value>$v</value></env>",
        '[{\\"name\\":\\"$NAME\\",\\"value\\":\\"$v\\"}]',
    ),
    "in strings": (
        '{"source": ["$name = \'$v\'\\n", "x = 1\\n"]}',
        "+    \"$name = '$v'\\n\",\n",
        '"{\\"$camel\\": \\"$v\\"}"',
        '{"text": ["$name: $v\\n"]}',
        '+ "$NAME=$v\\n",\n',
    ),
    "blank columns": (
        "USER   $NAME   HOST\nbob    $v   db1\n",
        "Host   User   $Words\ndb1    bob    $v\ndb2    ann    $v\n",
        "$NAME  ENV\n$v  prod\n",
        "USER $NAME HOST\nbob $v db1\n",
    ),
    "sentence": (
        "set the $words on db1 to $v",
        "changed the $words yesterday, it is now $v.",
        "$words for staging = $v",
        "the $words for the DB is $v",
        "we rotated the $words this morning. The new one is $v",
        "please update the $words of the staging server to `$v`",
        "the $words (for bob) was reset to $v",
        "$ㅎ 바꿨어: $v",
        "$ㅎ 변경했습니다: $v",
        "$ㅎ는 어제부터 $v로 바꿨습니다",
        "$l db1: $v",
        "$l (db1) → $v",
    ),
}
KEPT: dict[str, tuple[str, ...]] = {  # without a label
    "kept": (
        "Recovery codes:\n$q\n1b2c3-9d8e7\n",
        "Your backup codes are:\n1. $q\n2. 4f5a6-7b8c9\n",
        "복구 코드: $q",
        "scratch codes: $q, a1b2c-3d4e5",
        "seed phrase: $z",
        "My wallet recovery phrase is:\n$z\n",
        'mnemonic = "$z"',
        "TOTP secret $b",
        "Enter this setup key: $b",
        "2FA key for bob is $b",
        ".host.io\tTRUE\t/\tTRUE\t0\tsessionid\t$v",
        "host.io\tFALSE\t/app\tFALSE\t1799999999\tsid\t$v",
        "https://host.io/reset-password/$h",
        "https://host.io/login?token=$v",
        "https://host.io/invite/$h",
    ),
    "printed": (
        "$ pass show prod/db\n$v\n",
        "$ op read op://v/i/password\n$v\n",
        "$ vault kv get -field=password secret/db\n$v\n",
        "$ cat config/master.key\n$h\n",
        "$ gh auth token\n$v\n",
        "$ aws ssm get-parameter --name /prod/db --query Parameter.Value\n$v\n",
        "$ cat ~/.ssh/id_rsa\n$v\n",
    ),
}
_SEED_WORDS = (
    "ripple castle velvet oxygen marble tunnel goose anchor lunar fabric pepper wisdom hobby ladder narrow orbit punch quiz rabbit "
    "saddle talent unveil vacuum walnut zebra"
).split()


def _code(random: Random) -> str:
    return f"{random.randbytes(3).hex()[:5]}-{random.randint(0, 9)}{random.randbytes(2).hex()}"


def _phrase(random: Random) -> str:
    return " ".join(random.sample(_SEED_WORDS, 12))


def _base32(random: Random) -> str:
    return "".join(random.choice(ascii_uppercase + "234567") for _ in range(31)) + "7"


MADE: dict[str, Callable[[Random], str]] = {"$q": _code, "$z": _phrase, "$b": _base32}  # further signs and their values
