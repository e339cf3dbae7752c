// Differs: `labels(n)[0]`, `IN`, the least length of all paths.
MATCH p = (n {id: $id})-[*1..2]-(o) WHERE o.id <> $id AND ($kinds = [''] OR labels(o)[0] IN $kinds) WITH o, min(length(p)) AS distance RETURN o.id AS id, labels(o)[0] AS label, coalesce(CASE WHEN o.title <> '' THEN o.title END, o.content, o.subject, o.qualified_name, o.path, o.name) AS title, distance ORDER BY distance, id
