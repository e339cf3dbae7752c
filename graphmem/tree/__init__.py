"""The memory tree (CoMeT): turns are analysed one by one, collected in a short buffer and compacted into memory nodes,
whose summary is an index and whose original turns are kept. Pure functions of the log; `services/tree.py`, `window` and
`projection` connect it to the store."""
