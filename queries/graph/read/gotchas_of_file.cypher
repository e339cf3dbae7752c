// Purpose: failures that ended with a change to a file
// Parameters: path
// Columns: title, resolution, recurrence
MATCH (g:Gotcha)-[:ABOUT]->(f:File) WHERE f.path = $path RETURN g.title AS title, g.resolution AS resolution, g.recurrence AS recurrence ORDER BY recurrence DESC
