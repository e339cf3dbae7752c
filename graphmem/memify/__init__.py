"""Memory that evolves: what is used and proven rises, what is stale sinks, categories follow the content. Everything here is
derived from the log, so nothing original is ever lost and a rebuild gives the same state; it observes nothing itself."""
