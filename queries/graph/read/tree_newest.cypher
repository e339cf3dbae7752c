// Purpose: the newest memories of the tree, newest first
// Parameters: project="", limit=50
// Columns: id, summary, trigger, tags, links, recall_mode, session, at, turns, content_key
MATCH (m:Memory) WHERE $project = '' OR m.project = $project RETURN m.id AS id, m.summary AS summary, m.trigger AS trigger, m.tags AS tags, m.links AS links, m.recall_mode AS recall_mode, m.session AS session, m.at AS at, m.turns AS turns, m.content_key AS content_key ORDER BY m.at DESC, id DESC LIMIT $limit
