"""The regulations as dated data: which text of which provision is in force on a day."""

from audit.rulebook.gamefile import Version
from audit.rulebook.instruments import Instrument
from audit.rulebook.loader import Rulebook
from audit.rulebook.rules import Citation, GameRules, NotInForce, Provision, TextUnknown

__all__ = ["Citation", "GameRules", "Instrument", "NotInForce", "Provision", "Rulebook", "TextUnknown", "Version"]
