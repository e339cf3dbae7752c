// Purpose: a commit that was rewritten after the transcript (rebased, amended) has another hash, but its subject and its
// author's time are those of the turn that made it: within ten minutes. Run after new turns or commits were projected.
MATCH (t:Turn)-[:PRODUCED]->(short:Commit) WHERE size(short.hash) < 40 AND NOT EXISTS { MATCH (short)-[:RESOLVES_TO]->(:Commit) }
MATCH (full:Commit) WHERE full.subject = short.subject AND size(full.hash) = 40
  AND full.at > t.at - INTERVAL('10 minutes') AND full.at < t.at + INTERVAL('10 minutes')
MERGE (short)-[r:RESOLVES_TO]->(full) SET r.resolution = 'auto_resolved', r.confidence = 0.9
MERGE (t)-[p:PRODUCED]->(full) SET p.at = t.at
