// Purpose: merge nodes of one label. Parameters: $rows (maps: id, set). Template: ${label}.
UNWIND $$rows AS row MERGE (n:`${label}` {id: row.id}) SET n += row.set
