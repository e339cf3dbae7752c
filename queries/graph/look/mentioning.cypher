// Purpose: what mentions an entity
// Parameters: id
// Columns: id
MATCH (n)-[:MENTIONS]->(e:Entity {id: $id}) RETURN n.id AS id
