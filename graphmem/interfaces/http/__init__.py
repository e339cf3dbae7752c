"""The HTTP API of all verbs, with live updates. The pages are in `web`."""
