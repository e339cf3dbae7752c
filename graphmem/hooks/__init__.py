"""What a hook of a coding agent records, and what it adds to the agent's context. `respond.respond` takes the input of a
hook and returns the text for the agent: `capture` records the input first, then `selection`, `briefing`, `places` or
`warnings` choose memories. It runs in the owner of the store, or in the hook process (`interfaces/hooks`) without one."""
