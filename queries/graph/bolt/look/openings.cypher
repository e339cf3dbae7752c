// Differs: `IN`, `substring` counts from 0.
MATCH (s:Session)<-[:PART_OF]-(t:Turn) WHERE s.id IN $ids AND t.role = 'user' AND NOT coalesce(t.metadata, '') CONTAINS '"agent":'
WITH s, min(t.at) AS first
MATCH (s)<-[:PART_OF]-(o:Turn) WHERE o.at = first AND o.role = 'user' RETURN s.id AS id, substring(o.content, 0, 400) AS text
