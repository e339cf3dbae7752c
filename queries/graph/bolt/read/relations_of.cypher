// Differs: `labels(n)[0]` and `type(r)`.
MATCH (n {id: $id})-[r]->(o) RETURN type(r) AS type, 'out' AS direction, labels(o)[0] AS label, o.id AS id, coalesce(CASE WHEN o.title <> '' THEN o.title END, o.content, o.subject, o.qualified_name, o.path, o.name) AS title
UNION ALL MATCH (n {id: $id})<-[r]-(o) RETURN type(r) AS type, 'in' AS direction, labels(o)[0] AS label, o.id AS id, coalesce(CASE WHEN o.title <> '' THEN o.title END, o.content, o.subject, o.qualified_name, o.path, o.name) AS title
