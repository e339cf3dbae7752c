// Purpose: who calls a function or method, surest first
// Parameters: name
// Columns: caller, file, line, strategy, confidence
MATCH (a:Symbol)-[c:CALLS]->(b:Symbol) WHERE b.qualified_name = $name OR b.name = $name RETURN DISTINCT a.qualified_name AS caller, a.file AS file, c.line AS line, c.strategy AS strategy, c.confidence AS confidence ORDER BY confidence DESC, caller
