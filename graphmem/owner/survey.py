"""`python -m graphmem.owner.survey STORE`: brings the graph of one engine up to date and reports what it holds, for a process
that changes the engine of a store. That process has claimed the store; this one ends with it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from graphmem import settings
from graphmem.errors import GraphmemError
from graphmem.operations.pipeline import Process
from graphmem.store import Store
from graphmem.store.engine_change import SurveyPipe, survey_graph
from graphmem.store.remote_index import Failed, Step, exit_with_parent


def survey(path: Path, pipe: SurveyPipe) -> None:
    """Do the job, and send progress and finally the survey or the error."""
    project, engine = pipe.job()
    exit_with_parent()
    store = Store(path, settings.load_settings(path), project or None)
    try:
        store.access.open_for_claimant(engine)
        store.run(Process(), lambda stage, count: pipe.send(Step(stage, count)))
        pipe.send(survey_graph(store.graph))
    except GraphmemError as error:
        pipe.send(Failed(type(error).__name__, error.message, {name: str(value) for name, value in error.data.items()}))
    finally:
        store.close()


if __name__ == "__main__":
    survey(Path(sys.argv[1]), SurveyPipe(os.fdopen(0, "rb", buffering=0, closefd=False), sys.stdout.buffer))
