// Purpose: the stored values of the nodes of a label in some places, to be copied. Parameters: $from, $until.
// Template: ${label}, ${columns}.
MATCH (n:`${label}`) WHERE offset(id(n)) >= $$from AND offset(id(n)) < $$until RETURN ${columns}
