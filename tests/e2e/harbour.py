"""A small store to look at: a repository that books berths in a harbour, what was said about it over a fortnight in English
and Korean, and the work that is left. The viewer's tests and its pictures are taken from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from graphmem import Memory

FILES = {
    "harbour/__init__.py": '"""Berths, boats and bookings."""\n',
    "harbour/ledger.py": '''"""Keeps who owes what. Amounts are whole cents."""


class Ledger:
    """Entries in the order in which they were made."""

    def __init__(self):
        self.entries = []

    def charge(self, boat, cents):
        """Add what a boat owes."""
        self.entries.append((boat, checked(cents)))

    def owed(self, boat):
        """The sum that a boat owes."""
        return sum(cents for name, cents in self.entries if name == boat)


def checked(cents):
    """Whole cents, or ValueError."""
    if cents != int(cents):
        raise ValueError("amounts are whole cents")
    return int(cents)
''',
    "harbour/booking.py": '''"""Books a berth for some nights."""

from harbour.berths import Berth, free
from harbour.ledger import Ledger

PRICE = 1200


def book(ledger: Ledger, boat, nights, berths):
    """Take the first free berth and charge for it."""
    berth = free(berths)
    berth.take(boat)
    ledger.charge(boat, PRICE * nights)
    return berth


def cancel(berth: Berth):
    """Give a berth back."""
    berth.leave()
''',
    "harbour/berths.py": '''"""Where a boat can lie."""


class Berth:
    """One place at a pier."""

    def __init__(self, number):
        self.number = number
        self.boat = None

    def take(self, boat):
        """Let a boat lie here."""
        if self.boat is not None:
            raise RuntimeError("taken")
        self.boat = boat

    def leave(self):
        """The boat is gone."""
        self.boat = None


def free(berths):
    """The first berth without a boat."""
    return next(berth for berth in berths if berth.boat is None)
''',
    "tests/test_booking.py": """from harbour.berths import Berth
from harbour.booking import book
from harbour.ledger import Ledger


def test_a_night_is_charged():
    ledger = Ledger()
    book(ledger, "Ada", 2, [Berth(1)])
    assert ledger.owed("Ada") == 2400
""",
    "README.md": "# Harbour\n\nBooks berths. Amounts are whole cents, because floats lost a cent a week.\n",
}
PATHS = ("harbour/ledger.py", "harbour/booking.py", "harbour/berths.py")
START = datetime(2026, 11, 2, 9, 0, tzinfo=UTC)

Turn = tuple[str, str, list[str], list[str]]  # role, text, files written, files read


def _sessions(a: str, b: str, c: str) -> dict[str, list[Turn]]:
    return {
        "monday-cents": [
            ("user", f"Amounts in {a} drift by a cent a week. Find out why.", [], []),
            ("tool", f"Read {a}", [], [a]),
            ("assistant", f"The sum in {a} is taken over floats. We decided to keep whole cents everywhere, because rounding"
             " once a night is what drifts.", [], []),
            ("tool", f"Edit {a}", [a], []),
            ("assistant", "Amounts are whole cents now; the suite passes with 214 tests.", [], []),
            ("user", "Good. Remember that we never accept floats at the border again.", [], []),
        ],
        "wednesday-race": [
            ("user", f"Two boats got the same berth last night. Look at {c}.", [], []),
            ("tool", f"Read {c}", [], [c]),
            ("assistant", f"`free` and `take` in {c} are two steps: another request can come between them. The fix is one"
             " atomic update of the berth's row.", [], []),
            ("tool", f"Edit {c}", [c], []),
            ("tool", f"Edit {b}", [b], []),
            ("assistant", "The booking now takes the berth in one statement; a second taker gets a clear refusal.", [], []),
        ],
        "friday-korean": [
            ("user", f"예약 취소가 왜 느린지 {b} 를 확인해 주세요.", [], []),
            ("tool", f"Read {b}", [], [b]),
            ("assistant", "취소할 때마다 모든 선석을 다시 읽고 있습니다. 선석 번호로 바로 찾도록 바꾸기로 결정했습니다.", [], []),
            ("tool", f"Edit {b}", [b], []),
            ("assistant", "이제 취소는 3 밀리초가 걸립니다. 이전에는 420 밀리초였습니다.", [], []),
        ],
    }  # fmt: skip


def fill(mem: Memory, paths: Sequence[str] = PATHS, start: datetime = START) -> None:
    """Say it all, and remember what matters. `paths` are three files of the repository that it is about."""
    a, b, c = paths
    turns = []
    for day, (session, said) in enumerate(_sessions(a, b, c).items()):
        for minute, (role, text, writes, reads) in enumerate(said):
            at = start + timedelta(days=2 * day, minutes=4 * minute)
            metadata = (
                {"writes": writes, "reads": reads, "tool": text.split()[0], "input": {"file_path": text.split()[1]}}
                if role == "tool"
                else {}
            )
            turns.append({"content": text, "role": role, "session": session, "at": at, "ref": f"{session}-{minute}",
                          "metadata": metadata})  # fmt: skip
    mem.observe_many(turns)
    mem.remember("Amounts are whole cents; floats are refused at the border.", title="Whole cents", files=[a],
                 tags=["money"], ref="whole-cents")  # fmt: skip
    mem.remember("A berth is taken in one atomic statement: look and take were a race.", kind="gotcha",
                 title="Two boats in one berth", files=[c], tags=["concurrency"])  # fmt: skip
    mem.remember(
        "선석은 번호로 찾는다. 전체 목록을 다시 읽지 않는다.", title="취소는 번호로", files=[b], tags=["performance"]
    )
    _work(mem, a, b)
    mem.process()


def _work(mem: Memory, a: str, b: str) -> None:
    release = mem.tasks.create("Publish harbour 2.0", priority="high", description="Tag, build and announce.")
    invoices = mem.tasks.create("Send invoices by mail", priority="high", description=f"Uses the sums of {a}.")
    template = mem.tasks.create("Write the invoice template", priority="medium")
    mem.tasks.create("Move bookings to the new table", priority="critical", description=f"See {b}.")
    legal = mem.tasks.create("Translate the terms into Korean", priority="low")
    mem.tasks.block(invoices.id, template.id)
    mem.tasks.block(release.id, invoices.id)
    mem.tasks.block(release.id, legal.id)
    mem.tasks.block(template.id, "the designer's answer")
    done = mem.tasks.create("Refuse floats in the ledger", priority="high")
    mem.tasks.claim(done.id, "ada")
    mem.tasks.update(done.id, status="done", outcome="whole cents everywhere")
