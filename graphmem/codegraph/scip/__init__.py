"""SCIP, the index format of compiler-based indexers such as scip-python, scip-typescript, scip-go and rust-analyzer: read one
and lay its call sites over the code graph (`reading`, `overlay`). `scip_export` next to this package writes one."""
