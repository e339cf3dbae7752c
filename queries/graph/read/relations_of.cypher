// Purpose: the relations of one node, both ways
// Parameters: id
// Columns: type, direction, label, id, title
MATCH (n {id: $id})-[r]->(o) RETURN label(r) AS type, 'out' AS direction, label(o) AS label, o.id AS id, coalesce(CASE WHEN o.title <> '' THEN o.title END, o.content, o.subject, o.qualified_name, o.path, o.name) AS title
UNION ALL MATCH (n {id: $id})<-[r]-(o) RETURN label(r) AS type, 'in' AS direction, label(o) AS label, o.id AS id, coalesce(CASE WHEN o.title <> '' THEN o.title END, o.content, o.subject, o.qualified_name, o.path, o.name) AS title
