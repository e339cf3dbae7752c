// Purpose: entities that a person has merged because they are one thing
// Parameters: none
// Columns: merged, merged_name, kept, kept_name, at
MATCH (e:Entity)-[r:RESOLVES_TO]->(k:Entity) RETURN e.id AS merged, e.name AS merged_name, k.id AS kept, k.name AS kept_name, r.at AS at ORDER BY at DESC, merged LIMIT 1000
