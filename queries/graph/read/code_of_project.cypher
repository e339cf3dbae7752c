// Purpose: every symbol and unresolved call of a project
// Parameters: project
// Columns: id, label
MATCH (s:Symbol) WHERE s.project = $project RETURN s.id AS id, label(s) AS label
UNION ALL MATCH (c:CallSite) WHERE c.project = $project RETURN c.id AS id, label(c) AS label
