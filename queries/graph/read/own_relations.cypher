// Purpose: relations of the project's own types (`[types]` in the settings)
// Parameters: kind='', limit=100
// Columns: source, source_type, relation, target, target_type
MATCH (a:Entity)-[r:RELATES]->(b:Entity) WHERE $kind = '' OR r.kind = $kind RETURN a.name AS source, a.type AS source_type, r.kind AS relation, b.name AS target, b.type AS target_type ORDER BY relation, source, target LIMIT $limit
