"""The only write path to the log. Drafts of events come in; `append.Recorder` limits their size, redacts them and appends
them. `spool` keeps the input of hooks until it is recorded; `upcast` converts events of earlier versions at reading."""
