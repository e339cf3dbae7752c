"""The cognitive memory tree (CoMeT): turns are sensed one by one, gathered in a short buffer and compacted into memory
nodes whose summary is an index and whose originals stay. Everything here is a pure function of the log; what runs on
short notice (hooks, verbs) and what is written to graph and index is in `service`, `window` and `grow`."""
