// Purpose: what each of some sessions began with: the first that a person said in it, not what a subagent was asked
// Parameters: ids (of sessions)
// Columns: id, text
MATCH (s:Session)<-[:PART_OF]-(t:Turn) WHERE list_contains($ids, s.id) AND t.role = 'user' AND NOT coalesce(t.metadata, '') CONTAINS '"agent":'
WITH s, min(t.at) AS first
MATCH (s)<-[:PART_OF]-(o:Turn) WHERE o.at = first AND o.role = 'user' RETURN s.id AS id, substring(o.content, 1, 400) AS text
