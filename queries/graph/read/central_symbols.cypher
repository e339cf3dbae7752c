// Purpose: the symbols of the project that the most other symbols call, extend or refer to
// Parameters: none
// Columns: symbol, kind, file, line, users
MATCH (a:Symbol)-[:CALLS|EXTENDS|IMPLEMENTS|USES]->(b:Symbol) WHERE NOT b.external AND a.id <> b.id AND b.kind <> 'module' AND NOT b.name IN ['__init__', 'constructor'] RETURN b.qualified_name AS symbol, b.kind AS kind, b.file AS file, b.line AS line, count(DISTINCT a.id) AS users ORDER BY users DESC, symbol LIMIT 50
