"""Candidates by the draft's authors: what they wrote before, and what they cited there."""

from recsys.stage_one.options import Asked
from recsys.stage_one.voters import Voters
from recsys.store.arrays import Mask


def find(asked: Asked, allowed: Mask) -> Voters:
    """Return the papers of the draft's authors, equal in weight."""
    return Voters.equal(asked.query.own_papers[allowed[asked.query.own_papers]])
