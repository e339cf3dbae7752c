// Purpose: one node of a label ($label is put in) whole
// Parameters: id
// Columns: node
MATCH (n:`$label` {id: $$id}) RETURN n AS node
