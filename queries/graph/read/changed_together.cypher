// Purpose: which files changed together with a file, in commits of at most 30 files
// Parameters: path
// Columns: path, commits
MATCH (f:File {path: $path})<-[:TOUCHES]-(c:Commit)-[:TOUCHES]->(o:File) WHERE o.path <> $path AND c.files <= 30 RETURN o.path AS path, count(*) AS commits ORDER BY commits DESC, path LIMIT 50
