"""Operations that run where the graph is open: in this process, or in the owner of the store. A request is a record of
`reading`, `pipeline`, `keeping` or `evolution`; `registry.REQUESTS` maps it to the function in `handlers` that
returns its result. `vocabulary` lists the records that may be sent over the socket."""
