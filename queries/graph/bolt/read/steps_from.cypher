// Differs: `type(r)`.
UNWIND $ids AS id MATCH (n {id: id})-[r]-(o) RETURN DISTINCT n.id AS source, type(r) AS relation, o.id AS target
