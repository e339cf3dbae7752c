// Purpose: these memories of the tree
// Parameters: ids
// Columns: id, summary, trigger, tags, links, recall_mode, session, at, turns, content_key
UNWIND $ids AS wanted MATCH (m:Memory {id: wanted}) RETURN m.id AS id, m.summary AS summary, m.trigger AS trigger, m.tags AS tags, m.links AS links, m.recall_mode AS recall_mode, m.session AS session, m.at AS at, m.turns AS turns, m.content_key AS content_key
