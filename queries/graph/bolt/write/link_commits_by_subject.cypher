// Differs: `duration`.
MATCH (t:Turn)-[:PRODUCED]->(short:Commit) WHERE size(short.hash) < 40 AND NOT EXISTS { MATCH (short)-[:RESOLVES_TO]->(:Commit) }
MATCH (full:Commit) WHERE full.subject = short.subject AND size(full.hash) = 40
  AND full.at > t.at - duration('PT10M') AND full.at < t.at + duration('PT10M')
MERGE (short)-[r:RESOLVES_TO]->(full) SET r.resolution = 'auto_resolved', r.confidence = 0.9
MERGE (t)-[p:PRODUCED]->(full) SET p.at = t.at
