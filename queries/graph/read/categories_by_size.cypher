// Purpose: categories, the largest first
// Parameters: limit=200
// Columns: id, name, terms, members
MATCH (c:Category) OPTIONAL MATCH (c)<-[m:MEMBER_OF]-(n) RETURN c.id AS id, c.name AS name, c.terms AS terms, count(n.id) AS members ORDER BY members DESC, id LIMIT $limit
