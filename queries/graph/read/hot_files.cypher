// Purpose: the files of today that the most commits touched, under this name and the names they had before
// Parameters: none
// Columns: path, commits, authors, last
// A file is of today where its last change is no removal and no file that took its place changed later (on another branch).
// Kuzu 0.11.3 answers null for max() beside count(DISTINCT ...): so commits are made distinct first.
MATCH (f:File)<-[t:TOUCHES]-(c:Commit)
WITH f, max(CASE WHEN t.change = 'D' THEN c.sequence ELSE 0 END) AS gone, max(CASE WHEN t.change = 'D' THEN 0 ELSE c.sequence END) AS there
WHERE there > gone
OPTIONAL MATCH (n:File)-[:SUPERSEDES]->(f)
OPTIONAL MATCH (n)<-[t:TOUCHES]-(c:Commit) WHERE t.change <> 'D'
WITH f, there, max(c.sequence) AS later WHERE later IS NULL OR later < there
MATCH (f)-[:SUPERSEDES*0..8]->(:File)<-[:TOUCHES]-(c:Commit)
WITH DISTINCT f.path AS path, c.id AS id, c.author AS author, c.at AS at
WITH path, author, count(*) AS n, max(at) AS last
RETURN path, sum(n) AS commits, count(*) AS authors, max(last) AS last ORDER BY commits DESC, path LIMIT 50
