// Differs: `toLower`, `CONTAINS`.
MATCH (e:Entity)<-[:MENTIONS]-(n) WHERE $text = '' OR toLower(e.name) CONTAINS toLower($text) RETURN e.id AS id, e.name AS name, e.type AS type, count(DISTINCT n.id) AS mentions ORDER BY mentions DESC, id LIMIT $limit
