"""What the hooks of a coding agent mean for a store: what is captured, what is recalled. The processes that the agent
starts are in `interfaces/hooks`; this runs in the owner of the store, or in them where there is none."""
