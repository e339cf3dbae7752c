// Differs: `type(r)`.
MATCH (a:Symbol)-[c:CALLS|REFERS_TO]->(b:Symbol) WHERE (b.qualified_name = $name OR b.name = $name) AND (type(c) = 'CALLS' OR c.strategy IN ['override', 'candidate']) RETURN DISTINCT a.qualified_name AS caller, a.file AS file, c.line AS line, c.strategy AS strategy, c.confidence AS confidence ORDER BY confidence DESC, caller
