// Purpose: how many failures ended with a change to each file
// Parameters: none
// Columns: path, gotchas
MATCH (g:Gotcha)-[:ABOUT]->(f:File) RETURN f.path AS path, count(DISTINCT g.id) AS gotchas ORDER BY gotchas DESC, path LIMIT 5000
