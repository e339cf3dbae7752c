"""Answers questions about an indexed source tree, and keeps its index up to date. Files come in through
`indexing.index_code`, which parses them with `codegraph` and saves the result to `code.db` (`index_store`); answers go
out through `service.Code`. Start there. Call resolution itself is in `codegraph`."""
