// Purpose: which facts mention which entities, for communities
// Parameters: none
// Columns: fact, entity
MATCH (f:Fact)-[:MENTIONS]->(e:Entity) WHERE e.type <> 'date' AND e.type <> 'value' RETURN f.id AS fact, e.id AS entity
