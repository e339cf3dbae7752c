// Purpose: create nodes of one label from a table; none of them is there. Parameters: $rows (Arrow: id and the named properties).
// Template: ${label}, ${properties} (`, name: column` for each, or nothing).
LOAD FROM $$rows CREATE (n:`${label}` {id: id${properties}})
