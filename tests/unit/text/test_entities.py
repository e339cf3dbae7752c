"""What is found in ordinary developer text, English and Korean, by rules alone."""

import pytest

from graphmem.text.entities import TYPES, extract_all, extract_entities


def found(text: str, **options: object) -> list[tuple[str, str]]:
    return [(m.text, m.type) for m in extract_entities(text, linguistic=False, **options)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cache lives in src/store/cache.py:12 now.", ("src/store/cache.py", "file")),
        ("Edit ~/.bashrc and the Makefile.", ("~/.bashrc", "file")),
        ("See C:\\Temp\\out.log for details", ("C:\\Temp\\out.log", "file")),
        ("Broken since a1b2c3d4.", ("a1b2c3d4", "commit")),
        ("Closes #12, please review.", ("#12", "issue")),
        ("As in acme/rocket#34.", ("acme/rocket#34", "issue")),
        ("PROJ-56 is done", ("PROJ-56", "issue")),
        ("Docs: https://example.com/a_(b)?x=1.", ("https://example.com/a_(b)?x=1", "url")),
        ("Write to team@example.com today", ("team@example.com", "email")),
        ("Start it with --dry-run first", ("--dry-run", "flag")),
        ("It raised ValueError again", ("ValueError", "error")),
        ("rustc says E0382 here", ("E0382", "error")),
        ("tsc says TS2345 here", ("TS2345", "error")),
        ("The page answers with HTTP 404", ("404", "error")),
        ("Released v1.2.3-rc1 yesterday", ("v1.2.3-rc1", "version")),
        ("It needs Python 3.11 or newer", ("3.11", "version")),
        ("It needs Python 3.11 or newer", ("Python", "language")),
        ("We moved to PostgreSQL last week", ("PostgreSQL", "application")),
        ("Parsing uses pandas for that", ("pandas", "library")),
        ("Call load_user() twice", ("load_user()", "function")),
        ("The fetchUser method is slow", ("fetchUser", "function")),
        ("The retry_limit is wrong", ("retry_limit", "variable")),
        ("Set MAX_SIZE higher", ("MAX_SIZE", "variable")),
        ("A UserRepository is created", ("UserRepository", "class")),
        ("It returns List<String> here", ("List<String>", "class")),
        ("Released on March 5, 2024.", ("March 5, 2024", "date")),
        ("due 2024-03-05", ("2024-03-05", "date")),
        ("Alice Johnson wrote it", ("Alice Johnson", "person")),
        ("Zigmund said that it works", ("Zigmund", "person")),
        ("Runs on Ubuntu only", ("Ubuntu", "operating_system")),
        ("Microsoft bought it", ("Microsoft", "org")),
        ("We met Microsoft Outlook users", ("Microsoft Outlook", "application")),
        ("The Waffle library is old", ("Waffle", "library")),
        ("Install @types/node first", ("@types/node", "library")),
        ("a <div> inside", ("<div>", "tag")),
        ("reads csv files quickly", ("csv", "file_type")),
        ("use quicksort here", ("quicksort", "algorithm")),
        ("press the button", ("button", "ui_element")),
        ("stored in a linked list", ("linked list", "data_structure")),
        ("returns a string", ("string", "data_type")),
        ("See Stack Overflow for it", ("Stack Overflow", "website")),
        ("under the Apache License", ("Apache License", "license")),
    ],
)
def test_finds_in_prose(text: str, expected: tuple[str, str]) -> None:
    assert expected in found(text)


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("Encoded as UTF-8, hashed with SHA-256.", "issue"),
        ("GPT-4 wrote it", "issue"),
        ("The list is deadbeef or 1234567", "commit"),  # letters only, digits only
        ("Don't do that; it's fine, e.g. here", "variable"),
        ("Go to the next page", "language"),
        ("the spring of last year", "library"),
        ("server 192.168.1.10 is down", "version"),
        ("and/or either/or", "file"),
        ("file(s) and method(s)", "function"),
        ("The approach failed.It was wrong", "function"),
        ("I want to list all of them", "data_structure"),
    ],
)
def test_leaves_ordinary_words_alone(text: str, absent: str) -> None:
    assert absent not in {kind for _, kind in found(text)}


def test_a_word_of_two_meanings_needs_its_capital_or_a_sign() -> None:
    assert ("Go", "language") in found("The service is written in Go.")
    assert ("go", "language") in found("written in go")
    assert ("Go", "language") in found("Go is fast.")
    assert ("spring", "library") in found("an app using spring")


class TestMarkup:
    def test_code_between_backticks_is_what_it_looks_like(self) -> None:
        assert found("the `foo` function, `bar`, `Baz` and `load()`") == [
            ("foo", "function"),
            ("bar", "variable"),
            ("Baz", "class"),
            ("load()", "function"),
        ]

    def test_commands_hold_other_entities(self) -> None:
        mentions = found("Run `pytest -q tests/unit` now")
        assert mentions[0] == ("pytest -q tests/unit", "command")
        assert {("-q", "flag"), ("tests/unit", "file")} <= set(mentions)

    def test_commands_in_prose_and_what_they_install(self) -> None:
        mentions = found("I ran pip install frobnicate and then git rebase --continue.")
        assert ("pip install frobnicate", "command") in mentions
        assert ("frobnicate", "library") in mentions
        assert ("git rebase --continue", "command") in mentions

    def test_shell_prompt(self) -> None:
        assert ("npm test --silent", "command") in found("$ npm test --silent\nok")
        assert not any(kind == "command" for _, kind in found("$ 5 were paid"))

    def test_fenced_code_speaks_of_files_and_errors_only(self) -> None:
        text = "Look:\n```\nserver = Server(button)\nraise KeyError\n```\nThe server broke."
        assert found(text) == [("KeyError", "error"), ("server", "application")]

    def test_stack_traces(self) -> None:
        python = found('  File "src/app/run.py", line 12, in start_all\nRuntimeError: no')
        assert python == [("src/app/run.py", "file"), ("start_all", "function"), ("RuntimeError", "error")]
        node = found("    at Pool.take (lib/pool.js:10:5)")
        assert {("Pool.take", "function"), ("lib/pool.js", "file")} <= set(node)
        java = found("    at org.acme.Pool.take(Pool.java:42)")
        assert {("org.acme.Pool.take", "function"), ("Pool.java", "file")} <= set(java)


class TestKorean:
    def test_particles_are_no_part_of_a_name(self) -> None:
        mentions = found("어제 김철수가 Docker를 v1.2.3으로 올리고 kuzu에서 auth.py의 load_user()를 고쳤다.")
        assert mentions == [
            ("김철수", "person"),
            ("Docker", "application"),
            ("v1.2.3", "version"),
            ("kuzu", "application"),
            ("auth.py", "file"),
            ("load_user()", "function"),
        ]

    def test_url_issue_and_date(self) -> None:
        mentions = found("2024년 3월 5일에 https://example.com/a를 보고 #12를 닫았다")
        assert mentions == [("2024년 3월 5일", "date"), ("https://example.com/a", "url"), ("#12", "issue")]

    def test_titles_and_korean_words_for_software(self) -> None:
        assert ("이영희", "person") in found("이영희 팀장님이 확인했다")
        assert ("쿠버네티스", "application") in found("쿠버네티스를 쓴다")
        assert ("버튼", "ui_element") in found("버튼을 눌렀다")

    def test_ordinary_words_are_no_persons(self) -> None:
        assert not any(
            kind == "person" for _, kind in found("이미지가 크고 서비스는 느리고 최적화가 필요하다. 문자열을 바꿨다.")
        )

    def test_the_noun_after_a_name_tells_its_kind(self) -> None:
        assert ("retry_count", "function") in found("retry_count 함수를 고쳤다")


class TestOptions:
    def test_names_of_the_caller_win(self) -> None:
        known = {"button": "class", "Acme Rocket": "product", "Go": "product"}
        mentions = found("The button of Acme Rocket needs Go", known=known)
        assert mentions == [("button", "class"), ("Acme Rocket", "product"), ("Go", "product")]

    def test_names_of_the_caller_are_taken_in_their_own_spelling(self) -> None:
        assert found("we go there", known={"Go": "product"}) == []

    def test_common_nouns_can_be_left_out(self) -> None:
        assert found("The button calls Docker", generic=False) == [("Docker", "application")]

    def test_many_texts_give_what_each_gives_alone(self) -> None:
        texts = ["Docker fails", "", "see src/a.py"]
        assert extract_all(texts, linguistic=False) == [extract_entities(t, linguistic=False) for t in texts]


def test_mentions_are_in_order_and_of_documented_types() -> None:
    text = "Run `git add src/a.py`; Alice uses React 18 with MAX_SIZE, see #1 and https://example.com."
    mentions = extract_entities(text, linguistic=False)
    assert [m.start for m in mentions] == sorted(m.start for m in mentions)
    assert {m.type for m in mentions} <= TYPES
