// Differs: `labels(n)[0]`.
UNWIND $ids AS x MATCH (e:Entity {id: x}) RETURN e.id AS id, e.name AS name, labels(e)[0] AS label
