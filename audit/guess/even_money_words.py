"""Words for the two places that pay even money, as many sources write them."""

from __future__ import annotations

from typing import Final

EVEN_WORDS: Final = frozenset({"player", "p", "閒", "闲", "jogador", "bac_player", "bc_player", "1002"})
BANKER_WORDS: Final = frozenset({"banker", "b", "莊", "庄", "banca", "bac_banker", "bc_banker", "1001"})
