// Purpose: named things that texts mention, those with the most mentions first
// Parameters: text='', limit=200
// Columns: id, name, type, mentions
MATCH (e:Entity)<-[:MENTIONS]-(n) WHERE $text = '' OR contains(lower(e.name), lower($text)) RETURN e.id AS id, e.name AS name, e.type AS type, count(DISTINCT n.id) AS mentions ORDER BY mentions DESC, id LIMIT $limit
