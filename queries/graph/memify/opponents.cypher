// Purpose: what contradicts a fact
// Parameters: id
// Columns: id
MATCH (a:Fact {id: $id})-[:CONTRADICTS]-(b:Fact) RETURN b.id AS id
