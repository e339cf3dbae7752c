// Purpose: one session by its id, or by the id that the agent gave it
// Parameters: ref
// Columns: id, ref, title, project, branch, source, summary, first, last
MATCH (s:Session) WHERE s.id = $ref OR s.ref = $ref RETURN s.id AS id, s.ref AS ref, s.title AS title, s.project AS project, s.branch AS branch, s.source AS source, s.summary AS summary, s.started_at AS first, s.ended_at AS last
ORDER BY id LIMIT 1
