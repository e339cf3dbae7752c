// Purpose: a fact that names a file by its path is ABOUT it.
// Run after new facts or files were projected. Parameters: none.
MATCH (f:Fact)-[:MENTIONS]->(e:Entity), (file:File) WHERE e.type = 'file' AND file.path = e.name
MERGE (f)-[a:ABOUT]->(file) SET a.confidence = 1.0
