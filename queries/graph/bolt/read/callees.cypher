// Differs: `type(r)`.
MATCH (a:Symbol)-[c:CALLS|REFERS_TO]->(b:Symbol) WHERE (a.qualified_name = $name OR a.name = $name) AND (type(c) = 'CALLS' OR c.strategy IN ['override', 'candidate']) RETURN b.qualified_name AS callee, b.external AS external, c.line AS line, c.strategy AS strategy, c.confidence AS confidence ORDER BY line
