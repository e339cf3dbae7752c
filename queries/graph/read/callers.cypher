// Purpose: who calls a function or method, surest first; `override` and `candidate`: what may run in place of what is called; `overload`: one of several that suit as well
// Parameters: name
// Columns: caller, file, line, strategy, confidence
MATCH (a:Symbol)-[c:CALLS|REFERS_TO]->(b:Symbol) WHERE (b.qualified_name = $name OR b.name = $name) AND (label(c) = 'CALLS' OR c.strategy IN ['override', 'candidate']) RETURN DISTINCT a.qualified_name AS caller, a.file AS file, c.line AS line, c.strategy AS strategy, c.confidence AS confidence ORDER BY confidence DESC, caller
