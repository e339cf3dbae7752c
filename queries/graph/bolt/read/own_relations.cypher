// Differs: `type(r)`, `toLower`.
MATCH (a:Entity)-[r:RELATES]->(b:Entity) WHERE $kind = '' OR toLower(type(r)) = $kind RETURN a.name AS source, a.type AS source_type, toLower(type(r)) AS relation, b.name AS target, b.type AS target_type ORDER BY relation, source, target LIMIT $limit
