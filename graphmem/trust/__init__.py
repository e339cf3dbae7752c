"""Trust: the origin of events, and detection of instructions aimed at the agent (prompt injection)."""

from graphmem.trust.detector import assess, is_suspicious
from graphmem.trust.origin import ORIGINS, TRUSTED, least_trusted, may_bind, origin_of

__all__ = ["ORIGINS", "TRUSTED", "assess", "is_suspicious", "least_trusted", "may_bind", "origin_of"]
