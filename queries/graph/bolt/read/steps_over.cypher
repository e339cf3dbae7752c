// Differs: `type(r)`, `IN`.
UNWIND $ids AS id MATCH (n {id: id})-[r]-(o) WITH DISTINCT n.id AS source, type(r) AS relation, o.id AS target
WHERE relation IN $types RETURN source, relation, target
