// Purpose: the files that the most commits touched
// Parameters: none
// Columns: path, commits, authors, last
// Kuzu 0.11.3 answers null for max() beside count(DISTINCT ...): so two steps.
MATCH (c:Commit)-[:TOUCHES]->(f:File) WITH f.path AS path, c.author AS author, count(*) AS n, max(c.at) AS last RETURN path, sum(n) AS commits, count(*) AS authors, max(last) AS last ORDER BY commits DESC, path LIMIT 50
