// Purpose: nodes of one label by their ids ($label is put in). Kuzu 0.11.3 mixes nodes up if those of all labels are filtered by a list
// Parameters: ids
// Columns: the node with its properties
MATCH (n:`$label`) WHERE list_contains($$ids, n.id) RETURN n
