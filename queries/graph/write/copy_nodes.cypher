// Purpose: create many nodes of one label from a table, several times faster than one by one; none of them is there. Parameters: $rows (Arrow: the columns).
// Template: ${label}, ${columns} (in the order of the table, `id` first).
COPY `${label}`(${columns}) FROM $$rows
