// Purpose: the files of today that the most commits touched, under this name and the names they had before
// Parameters: none
// Columns: path, commits, authors, last
// Kuzu 0.11.3 answers null for max() beside count(DISTINCT ...): so commits are made distinct first.
MATCH (f:File)<-[t:TOUCHES]-(c:Commit) WHERE f.gone IS NULL OR f.gone = false
WITH DISTINCT f
MATCH (f)-[:SUPERSEDES*0..8]->(past:File)<-[:TOUCHES]-(c:Commit) WHERE past.path = f.path OR past.gone = true
WITH DISTINCT f.path AS path, c.id AS id, c.author AS author, c.at AS at
WITH path, author, count(*) AS n, max(at) AS last
RETURN path, sum(n) AS commits, count(*) AS authors, max(last) AS last ORDER BY commits DESC, path LIMIT 50
