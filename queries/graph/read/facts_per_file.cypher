// Purpose: how many facts that hold are about each file
// Parameters: none
// Columns: path, facts
MATCH (f:Fact)-[:ABOUT]->(file:File) WHERE f.status = 'active' RETURN file.path AS path, count(DISTINCT f.id) AS facts ORDER BY facts DESC, path LIMIT 20000
