// Purpose: how many commits touched each file under its present name, and when last
// Parameters: none
// Columns: path, commits, last
MATCH (c:Commit)-[:TOUCHES]->(f:File) RETURN f.path AS path, count(*) AS commits, max(c.at) AS last ORDER BY commits DESC, path LIMIT 20000
