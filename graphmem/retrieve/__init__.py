"""From a question to ranked, calibrated hits. `retriever.Retriever.search` runs the stages in `STAGES`: each reads and
writes one `state.State`. A stage finds candidates (`seed`, `expand`), ranks them (`rank`, `rescoring`), merges families
of kinds (`families`), estimates probabilities (`calibrate`) or packs the result (`pack`). Reads ports only."""
