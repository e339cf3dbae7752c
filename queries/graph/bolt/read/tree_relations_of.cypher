// Differs: `type(r)`.
UNWIND $ids AS wanted
MATCH (m:Memory {id: wanted})-[r:PART_OF|DERIVED_FROM|NEXT|TAGGED|SHARES_TAG|SIMILAR_TO]->(other)
RETURN m.id AS id, type(r) AS type, other.id AS target
