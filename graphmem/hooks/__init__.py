"""Hook logic: what is recorded and what is recalled. It runs in the owner of the store, or in the hook process
(`interfaces/hooks`) if there is no owner."""
