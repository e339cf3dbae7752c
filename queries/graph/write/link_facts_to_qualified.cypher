// Purpose: a fact that names a symbol by its qualified name is ABOUT it.
// Run after new facts or code were projected. Parameters: none.
MATCH (f:Fact)-[:MENTIONS]->(e:Entity), (s:Symbol) WHERE s.qualified_name = e.name AND s.external = false
MERGE (f)-[a:ABOUT]->(s) SET a.confidence = 1.0
