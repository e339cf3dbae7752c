// Purpose: remove a part of all nodes, with their relations; repeated until none is left. Parameters: $most.
MATCH (n) WITH n LIMIT $$most DETACH DELETE n RETURN count(*) AS removed
