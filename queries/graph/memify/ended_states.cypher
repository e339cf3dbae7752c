// Purpose: gotchas that were resolved and tasks that were closed, with the time from which they age
// Parameters: none
// Columns: id, at
MATCH (g:Gotcha) WHERE g.resolved = true RETURN g.id AS id, g.last_at AS at
UNION ALL MATCH (t:Task) WHERE t.closed_at IS NOT NULL RETURN t.id AS id, t.closed_at AS at
