"""Who said something, and whether it tries to give orders: the origin of events, and the detector of instructions that are
aimed at the agent."""

from graphmem.trust.detector import assess, is_suspicious
from graphmem.trust.origin import ORIGINS, TRUSTED, least_trusted, may_bind, origin_of

__all__ = ["ORIGINS", "TRUSTED", "assess", "is_suspicious", "least_trusted", "may_bind", "origin_of"]
