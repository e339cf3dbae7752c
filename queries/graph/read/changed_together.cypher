// Purpose: which files changed together with a file, and how often in commits of at most 30 files; renames of both are followed
// Parameters: path
// Columns: path, commits, small_commits
// A path that came back after its file was moved away is a file of its own.
MATCH (f:File {path: $path})-[:SUPERSEDES*0..8]->(past:File) WHERE past.path = $path OR past.gone = true
WITH collect(DISTINCT past.path) AS own
MATCH (past:File)<-[:TOUCHES]-(c:Commit) WHERE past.path IN own WITH DISTINCT own, c
MATCH (c)-[t:TOUCHES]->(o:File) WHERE t.change <> 'D' AND NOT o.path IN own
OPTIONAL MATCH (now:File)-[:SUPERSEDES*1..8]->(o) WHERE o.gone = true AND (now.gone = false OR NOT EXISTS { MATCH (:File)-[:SUPERSEDES]->(now) })
WITH c.id AS id, CASE WHEN c.files <= 30 THEN 1 ELSE 0 END AS small, o.path AS there, min(now.path) AS now
WITH DISTINCT id, small, CASE WHEN now IS NULL THEN there ELSE now END AS path
RETURN path, count(*) AS commits, sum(small) AS small_commits
ORDER BY commits DESC, small_commits DESC, path LIMIT 50
