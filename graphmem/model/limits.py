"""Limits of what graphmem takes in, in one table. What is longer is cut where people can see it, or refused with a sentence;
nothing is dropped silently. Hooks import this module, so it imports nothing."""

from __future__ import annotations

# -- what the log records
MAX_TEXT_CHARS = 1_000_000  # characters of a text: of a longer one the beginning and the end, with a mark between them
MAX_VALUES = 5_000_000  # values of a payload
MAX_DEPTH = 60  # maximum nesting depth of a payload
TEXT_READ = 8_000_000  # characters of a text in a log, because older versions recorded as many

# -- what arrives at once
HOOK_BYTES = 64 << 20  # input of a hook
HTTP_BYTES = 16 << 20  # body of a request: a text of the maximum length, escaped, fits
HTTP_DRAINED_BYTES = 256 << 20  # of a larger body what is read and thrown away, so that its client gets the answer
MCP_BYTES = 64 << 20  # message of an MCP client

# -- what is imported
LINE_BYTES = 64 << 20  # one line, or the text of one record
WHOLE_FILE_BYTES = 1 << 30  # file that must be read as a whole
