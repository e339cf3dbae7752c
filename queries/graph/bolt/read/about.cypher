// Differs: `labels(n)[0]`.
UNWIND $ids AS id MATCH (a)-[:ABOUT]->(b {id: id}) WHERE a.retired_at IS NULL RETURN DISTINCT labels(a)[0] AS label, CASE WHEN coalesce(a.title, '') <> '' THEN a.title ELSE coalesce(a.content, '') END AS title ORDER BY label, title
