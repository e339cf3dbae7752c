// Purpose: failures that came up at least twice, the most frequent first, with how they were resolved
// Parameters: least=2, limit=50
// Columns: id, title, trigger, resolution, recurrence, resolved, first, last
MATCH (g:Gotcha) WHERE g.recurrence >= $least RETURN g.id AS id, g.title AS title, g.trigger AS trigger, g.resolution AS resolution, g.recurrence AS recurrence, g.resolved AS resolved, g.at AS first, g.last_at AS last ORDER BY recurrence DESC, last DESC, id LIMIT $limit
