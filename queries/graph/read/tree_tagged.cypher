// Purpose: memories of the tree with one of these tags, newest first
// Parameters: ids, limit=50
// Columns: id, summary, trigger, tags, links, recall_mode, session, at, turns, content_key
UNWIND $ids AS wanted MATCH (t:Tag {id: wanted})<-[:TAGGED]-(m:Memory) WITH DISTINCT m RETURN m.id AS id, m.summary AS summary, m.trigger AS trigger, m.tags AS tags, m.links AS links, m.recall_mode AS recall_mode, m.session AS session, m.at AS at, m.turns AS turns, m.content_key AS content_key ORDER BY m.at DESC, id DESC LIMIT $limit
