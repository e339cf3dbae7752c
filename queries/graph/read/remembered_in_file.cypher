// Purpose: gotchas, facts and tasks that are about a symbol of a file, with the line of the symbol
// Parameters: path
// Columns: line, symbol, id, label, title, content, at
MATCH (n:Gotcha)-[:ABOUT]->(s:Symbol) WHERE s.file = $path RETURN s.line AS line, s.qualified_name AS symbol, n.id AS id, 'Gotcha' AS label, n.title AS title, n.content AS content, n.at AS at
UNION ALL MATCH (n:Fact)-[:ABOUT]->(s:Symbol) WHERE s.file = $path RETURN s.line AS line, s.qualified_name AS symbol, n.id AS id, 'Fact' AS label, n.title AS title, n.content AS content, n.at AS at
UNION ALL MATCH (n:Task)-[:ABOUT]->(s:Symbol) WHERE s.file = $path RETURN s.line AS line, s.qualified_name AS symbol, n.id AS id, 'Task' AS label, n.title AS title, n.description AS content, n.created_at AS at
