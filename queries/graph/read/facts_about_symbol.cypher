// Purpose: facts that are about a symbol, newest first
// Parameters: name, limit=50
// Columns: content, kind, outcome, at
MATCH (f:Fact)-[:ABOUT]->(s:Symbol) WHERE s.qualified_name = $name RETURN f.content AS content, f.kind AS kind, f.outcome AS outcome, f.at AS at ORDER BY at DESC LIMIT $limit
