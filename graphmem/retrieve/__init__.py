"""From a question to ranked, calibrated hits. `retriever.run_search` composes the stages: functions that take and return the
records of `records`. Reads the ports of `ports` only."""
