// Purpose: how many nodes of a label there are, and the last place that one of them has.
// Template: ${label}.
MATCH (n:`${label}`) RETURN count(*), max(offset(id(n)))
