// Differs: `type(r)`.
MATCH ()-[r]->() RETURN type(r) AS type, count(*) AS count
