"""The shared server: several users and their agents on one host. Each project has one team store and, for each user, a private
one; a request is authenticated and then opens only stores that its grants name, so no query can reach anything else."""
