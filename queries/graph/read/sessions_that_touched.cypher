// Purpose: the sessions of agents that wrote to a file, and what they ran
// Parameters: path
// Columns: session, turns, first, last
MATCH (t:Turn)-[:TOUCHES]->(f:File {path: $path}), (t)-[:PART_OF]->(s:Session) RETURN s.ref AS session, count(*) AS turns, min(t.at) AS first, max(t.at) AS last ORDER BY last DESC
