// Purpose: what each of some sessions began with: the first that a person said in it
// Parameters: ids (of sessions)
// Columns: id, text
MATCH (s:Session)<-[:PART_OF]-(t:Turn) WHERE list_contains($ids, s.id) AND t.role = 'user'
WITH s, min(t.sequence) AS first
MATCH (s)<-[:PART_OF]-(o:Turn) WHERE o.sequence = first RETURN s.id AS id, substring(o.content, 1, 400) AS text
