"""Creates a scheduler entry for this machine (cron, launchd or the Windows task scheduler), so that due work also runs on
days without queries. By default it is only printed."""

from __future__ import annotations

import hashlib
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

from graphmem.errors import UsageError

SCHEDULERS = ("cron", "launchd", "schtasks")
_PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>Label</key><string>{label}</string>
  <key>ProgramArguments</key><array>{arguments}</array>
  <key>StartCalendarInterval</key><dict><key>Hour</key><integer>{hour}</integer><key>Minute</key><integer>{minute}</integer></dict>
</dict></plist>
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """The entry, its scheduler, how to install it, and the file it was written to (None if only printed)."""

    scheduler: str
    text: str
    how: str
    written: str | None = None


def schedule(store: Path, *, scheduler: str | None = None, at: str = "04:30", write: Path | None = None) -> Plan:
    """Return the entry that runs `graphmem memify` on a store daily. Raises UsageError for an unknown scheduler or time."""
    kind = scheduler or {"darwin": "launchd", "win32": "schtasks"}.get(sys.platform, "cron")
    hour, minute = _time(at)
    command = [*_program(), "memify", "--store", str(store)]
    label = f"graphmem.memify.{hashlib.sha256(str(store).encode()).hexdigest()[:8]}"
    if kind == "cron":
        text = f"{minute} {hour} * * * {shlex.join(command).replace('%', chr(92) + '%')}  # {label}\n"
        how = "add this line with `crontab -e`"
    elif kind == "launchd":
        arguments = "".join(f"<string>{escape(part)}</string>" for part in command)
        text = _PLIST.format(label=label, arguments=arguments, hour=hour, minute=minute)
        how = f"save it as ~/Library/LaunchAgents/{label}.plist and run `launchctl load` on it"
    elif kind == "schtasks":
        quoted = " ".join(f'\\"{part}\\"' if " " in part else part for part in command)
        text = f'schtasks /Create /F /SC DAILY /ST {hour:02}:{minute:02} /TN {label} /TR "{quoted}"\n'
        how = "run this command once"
    else:
        raise UsageError(f"there is no scheduler `{kind}`: choose one of {', '.join(SCHEDULERS)}", scheduler=kind)
    if write is not None:
        write.parent.mkdir(parents=True, exist_ok=True)
        write.write_text(text, "utf-8")
    return Plan(kind, text, how, str(write) if write else None)


def _time(at: str) -> tuple[int, int]:
    hour, _, minute = at.partition(":")
    if not (hour.isdigit() and minute.isdigit() and int(hour) < 24 and int(minute) < 60):
        raise UsageError(f"`{at}` is not a time of day: write it as in 04:30", at=at)
    return int(hour), int(minute)


def _program() -> list[str]:
    """Return the command that starts graphmem from any directory."""
    beside = Path(sys.executable).with_name("graphmem")
    found = str(beside) if beside.exists() else shutil.which("graphmem")
    return [found] if found else [sys.executable, "-P", "-m", "graphmem.interfaces.entry"]
