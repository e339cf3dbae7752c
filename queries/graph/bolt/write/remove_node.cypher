// Purpose: remove nodes of one label with all their relations. Parameters: $rows (ids). Template: ${label}.
UNWIND $$rows AS id MATCH (n:`${label}` {id: id}) DETACH DELETE n
