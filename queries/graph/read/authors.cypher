// Purpose: who made how many commits, and when last
// Parameters: none
// Columns: author, commits, first, last
MATCH (p:Person)-[:AUTHORED]->(c:Commit) RETURN p.name AS author, count(*) AS commits, min(c.at) AS first, max(c.at) AS last ORDER BY commits DESC, author LIMIT 50
