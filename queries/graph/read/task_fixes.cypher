// Purpose: closed tasks with the commits that did it
// Parameters: none
// Columns: task, title, outcome, hash, subject
MATCH (t:Task)-[:FIXED_BY]->(c:Commit) RETURN t.id AS task, t.title AS title, t.outcome AS outcome, c.hash AS hash, c.subject AS subject ORDER BY task, hash
