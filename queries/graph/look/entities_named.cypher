// Purpose: entities with a name
// Parameters: name
// Columns: id
MATCH (e:Entity) WHERE e.name = $name RETURN e.id AS id ORDER BY id
