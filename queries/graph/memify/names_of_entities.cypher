// Purpose: what these entities are called
// Parameters: ids
// Columns: id, name, label
UNWIND $ids AS x MATCH (e:Entity {id: x}) RETURN e.id AS id, e.name AS name, label(e) AS label
