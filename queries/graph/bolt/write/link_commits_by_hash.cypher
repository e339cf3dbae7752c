// Differs: `STARTS WITH`.
MATCH (t:Turn)-[:PRODUCED]->(short:Commit) WHERE size(short.hash) < 40 AND NOT EXISTS { MATCH (short)-[:RESOLVES_TO]->(:Commit) }
MATCH (full:Commit) WHERE size(full.hash) = 40 AND full.hash STARTS WITH short.hash
MERGE (short)-[r:RESOLVES_TO]->(full) SET r.resolution = 'exact_match', r.confidence = 1.0
MERGE (t)-[p:PRODUCED]->(full) SET p.at = t.at
