// Purpose: failures that came up, the most frequent first, with what resolved them
// Parameters: limit=20
// Columns: title, recurrence, resolved, trigger, resolution, last_at
MATCH (g:Gotcha) RETURN g.title AS title, g.recurrence AS recurrence, g.resolved AS resolved, g.trigger AS trigger, g.resolution AS resolution, g.last_at AS last_at ORDER BY recurrence DESC, last_at DESC LIMIT $limit
