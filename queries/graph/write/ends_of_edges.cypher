// Purpose: which pairs of a table have both ends in the graph. Parameters: $rows (Arrow: source_id, target_id).
// Template: ${type} (unused), ${source}, ${target}.
LOAD FROM $$rows MATCH (a:`${source}`) WHERE a.id = ${source_id} MATCH (b:`${target}`) WHERE b.id = ${target_id} RETURN source_id, target_id
