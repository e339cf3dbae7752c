// Purpose: what a function or method calls
// Parameters: name
// Columns: callee, external, line, strategy, confidence
MATCH (a:Symbol)-[c:CALLS]->(b:Symbol) WHERE a.qualified_name = $name OR a.name = $name RETURN b.qualified_name AS callee, b.external AS external, c.line AS line, c.strategy AS strategy, c.confidence AS confidence ORDER BY line
