// Purpose: merge nodes of one label from a table. Parameters: $rows (Arrow: id and the named properties).
// Template: ${label}, ${set} (assignments, or nothing).
LOAD FROM $$rows MERGE (n:`${label}` {id: ${id}}) ${set}
