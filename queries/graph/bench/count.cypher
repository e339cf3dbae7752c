// Purpose: how many turns and relations there are
MATCH (t:Turn) WITH count(*) AS turns MATCH (:Turn)-[n:NEXT]->(:Turn) RETURN turns, count(n)
