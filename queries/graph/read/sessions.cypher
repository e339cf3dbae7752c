// Purpose: sessions, those with the newest turns first
// Parameters: limit=20, offset=0
// Columns: id, ref, title, project, branch, summary, turns, first, last
MATCH (s:Session) OPTIONAL MATCH (s)<-[:PART_OF]-(t:Turn)
WITH s, count(t.id) AS turns, min(t.at) AS first, max(t.at) AS last
RETURN s.id AS id, s.ref AS ref, s.title AS title, s.project AS project, s.branch AS branch, s.summary AS summary, turns, coalesce(first, s.started_at) AS first, coalesce(last, s.ended_at, s.started_at) AS last
ORDER BY last DESC, id SKIP $offset LIMIT $limit
