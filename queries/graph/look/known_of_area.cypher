MATCH (n)-[:ABOUT]->(f:File)
WHERE f.path STARTS WITH "AREA"
RETURN f.path AS path, n
ORDER BY path LIMIT 200
