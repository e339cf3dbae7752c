"""The verbs over HTTP on this machine, with live updates. It holds no page; those are in `web`."""
