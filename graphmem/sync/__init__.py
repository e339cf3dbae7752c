"""Keep projections up to the log: process, flush, rebuild, merge logs of other machines, and report health."""
