// Purpose: relations of the project's own types (`[types]` in the settings)
// Parameters: kind='', limit=100
// `:Entity` and `:RELATES` stand for all of them.
// Columns: source, source_type, relation, target, target_type
MATCH (a:Entity)-[r:RELATES]->(b:Entity) WHERE $kind = '' OR lower(label(r)) = $kind RETURN a.name AS source, a.type AS source_type, lower(label(r)) AS relation, b.name AS target, b.type AS target_type ORDER BY relation, source, target LIMIT $limit
