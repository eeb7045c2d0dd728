"""A record map proposed for an unknown database."""

from wardround.ehr.records.proposal.map_text import map_text
from wardround.ehr.records.proposal.model import Proposal, shares_of
from wardround.ehr.records.proposal.proposal import propose
from wardround.ehr.records.proposal.suggestions import Suggest

__all__ = ["Proposal", "Suggest", "map_text", "propose", "shares_of"]
