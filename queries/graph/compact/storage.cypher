// Purpose: the pieces in which the engine stores the columns of a table, and the number of values of each.
// Template: ${table}.
CALL storage_info('${table}') RETURN node_group_id, node_chunk_id, column_name, num_values
