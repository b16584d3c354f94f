"""What a log records beside its cards proves the order in which a profile reads them, or refutes it.

The drawing rules cannot: a hand read in alternating order and one read side by side can both be lawful. Recorded
totals, the winner's total or the winner can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from audit.base.errors import InputRefused
from audit.base.model import LANGUAGES, Text, parse_hand, total

ENOUGH: Final = 10
"""Rounds from which on records tell a wrong order from rounds that were wrongly recorded."""

SMALL_SHARE: Final = 20
"""One in so many rounds may contradict the cards before another order is looked for."""

_UNKNOWN: Final = -1
SIGNS: Final = {"player": 1, "banker": -1, "tie": 0}
"""The sign of the player's total less the banker's, by result."""

NO_SIGN: Final = 9
"""Stands for a result that is not recorded."""

Hands = tuple[pa.Array, pa.Array]


@dataclass(frozen=True, slots=True)
class Records:
    """What a batch of rounds records beside the cards, as int64 per round: totals (-1 unknown) and winners."""

    player: NDArray[np.int64]
    banker: NDArray[np.int64]
    winning: NDArray[np.int64]
    winner: NDArray[np.int64]

    @classmethod
    def of(cls, rows: pa.RecordBatch, winning: pa.Array | None) -> Records:
        """The records of typed rounds; `winning` is the winner's total where the source has it."""
        player, banker = (rows[f"{side}_points"].fill_null(_UNKNOWN).to_numpy() for side in ("player", "banker"))
        nothing = np.full(rows.num_rows, _UNKNOWN, np.int64)
        outcome = rows["outcome"]
        signs = np.array([*(SIGNS.get(word, NO_SIGN) for word in outcome.dictionary.to_pylist()), NO_SIGN], np.int64)
        return cls(
            player,
            banker,
            nothing if winning is None else winning.fill_null(_UNKNOWN).to_numpy(),
            signs[outcome.indices.fill_null(len(signs) - 1).to_numpy()],
        )

    def judge(self, hands: Hands) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which rounds say anything about the hands as read, and which of these agree with them."""
        player, banker = (points_of(hand) for hand in hands)
        there = (player != _UNKNOWN) & (banker != _UNKNOWN)
        totals = there & (self.player != _UNKNOWN) & (self.banker != _UNKNOWN)
        winning = there & (self.winning != _UNKNOWN)
        winner = there & (self.winner != NO_SIGN)
        agree = there.copy()
        agree &= ~totals | ((player == self.player) & (banker == self.banker))
        agree &= ~winning | (np.maximum(player, banker) == self.winning)
        agree &= ~winner | (np.sign(player - banker) == self.winner)
        telling = totals | winning | winner
        return telling, agree & telling

    @property
    def basis(self) -> str:
        """The strongest kind of record that any round has."""
        if ((self.player != _UNKNOWN) & (self.banker != _UNKNOWN)).any():
            return "totals"
        if (self.winning != _UNKNOWN).any():
            return "winning_total"
        return "winner" if (self.winner != NO_SIGN).any() else "nothing"


_BASES: Final = ("nothing", "winner", "winning_total", "totals")

_TEXTS: Final = {
    "proved": Text(
        zh="讀取牌張的次序已由 {agree} 局的記錄（{basis}）證明；"
        "該次序所讀的 {rounds} 局中，{contradict} 局與記錄不符。",
        pt="A ordem das cartas ficou provada por {agree} jogadas ({basis}); de {rounds} jogadas lidas nessa ordem, "
        "{contradict} não concordam com o registo.",
        en="The order of the cards is proved on {agree} rounds ({basis}); of {rounds} rounds read in that order, "
        "{contradict} do not agree with the record.",
    ),
    "few": Text(
        zh="只有 {rounds} 局的記錄可與牌張核對，不足以證明讀取牌張的次序；該次序按來源設定採信。",
        pt="Só {rounds} jogadas têm registo que se possa confrontar com as cartas, o que não prova a ordem destas; "
        "a ordem é aceite como o perfil a declara.",
        en="Only {rounds} rounds have a record to compare with the cards, too few to prove their order; the order is "
        "taken on trust.",
    ),
    "trust": Text(
        zh="日誌沒有可與牌張核對的記錄；讀取牌張的次序按來源設定採信，未經證明。",
        pt="O registo nada contém com que confrontar as cartas; a ordem destas é aceite como o perfil a declara, "
        "sem prova.",
        en="Nothing is recorded that the cards could be compared with; their order is taken on trust.",
    ),
    "columns": Text(
        zh="牌張所屬的一家由欄位名稱標明，無須證明次序；記錄的點數逐局核對（RES-001）。",
        pt="As colunas dizem a que lado pertence cada carta, pelo que não há ordem a provar; os pontos registados são "
        "confrontados jogada a jogada (RES-001).",
        en="The columns say whose cards they hold, so that no order needs proof; recorded totals are compared round by "
        "round (RES-001).",
    ),
    "doubtful": Text(
        zh="{rounds} 局中有 {contradict} 局的記錄（{basis}）與所讀牌張不符，其他次序亦不相符；讀取牌張的次序存疑。",
        pt="Em {contradict} de {rounds} jogadas o registo ({basis}) contradiz as cartas, e nenhuma outra ordem "
        "concorda melhor; a ordem das cartas é duvidosa.",
        en="In {contradict} of {rounds} rounds the record ({basis}) contradicts the cards, and no other order agrees "
        "better; the order of the cards is in doubt.",
    ),
}

_BASIS_WORDS: Final = {
    "totals": Text(zh="兩家點數", pt="pontos de ambos os lados", en="totals of both sides"),
    "winning_total": Text(zh="勝方點數", pt="pontos do vencedor", en="total of the winner"),
    "winner": Text(zh="勝負結果", pt="vencedor", en="winner"),
    "nothing": Text(zh="無", pt="nada", en="nothing"),
}


_RECORDED: Final = {"totals": "totals", "winning_total": "totals of the winner", "winner": "winners"}


@dataclass(slots=True)
class OrderProof:
    """Counts, over all batches of a run, what the records say about the order of the cards.

    `left` are counts of joined cards; a `lenient` proof counts and refuses nothing.
    """

    rounds: int = 0
    agree: int = 0
    basis: str = "nothing"
    by_columns: bool = True
    left: dict[str, int] = field(default_factory=dict)
    lenient: bool = False

    @property
    def contradict(self) -> int:
        """Rounds whose record contradicts the cards as read."""
        return self.rounds - self.agree

    @property
    def state(self) -> str:
        """`proved`, `few`, `trust`, `doubtful`, or `columns` where the canonical columns leave no doubt."""
        if self.by_columns:
            return "columns"
        if not self.rounds:
            return "trust"
        if self.rounds < ENOUGH:
            return "few"
        return "proved" if self.contradict * SMALL_SHARE <= self.rounds else "doubtful"

    def text(self) -> Text:
        """The sentence for the report's chapter on the population."""
        words = _BASIS_WORDS[self.basis]
        numbers = {"rounds": self.rounds, "agree": self.agree, "contradict": self.contradict}
        return Text(
            **{
                language: _TEXTS[self.state].in_language(language).format(**numbers, basis=words.in_language(language))
                for language in LANGUAGES
            }
        )

    def as_json(self) -> dict[str, Any]:
        """The proof as plain data, for the manifest."""
        text = self.text()
        return {
            "state": self.state,
            "basis": self.basis,
            "rounds": self.rounds,
            "agree": self.agree,
            "contradict": self.contradict,
            "text": {language: text.in_language(language) for language in LANGUAGES},
        }

    def absorb(self, other: OrderProof) -> None:
        """Add the counts over other rounds of the run."""
        self.rounds += other.rounds
        self.agree += other.agree
        self.basis = max(self.basis, other.basis, key=_BASES.index)
        self.by_columns &= other.by_columns
        for name, count in other.left.items():
            self.left[name] = self.left.get(name, 0) + count

    def add(
        self,
        rows: pa.RecordBatch,
        winning: pa.Array | None,
        others: Callable[[], Mapping[str, Hands]],
        where: tuple[str, str],
    ) -> None:
        """Compare a batch of typed rounds with their records; `where` is the file and the profile.

        `others` reads the cards in each other order there could be; it is asked only when more than a small share of
        the rounds contradict this one. Raises InputRefused where another order agrees instead, or where none does and
        most rounds contradict.
        """
        self.by_columns = False
        records = Records.of(rows, winning)
        telling, agree = records.judge((rows["player_cards"], rows["banker_cards"]))
        count, good = int(telling.sum()), int(agree.sum())
        self.rounds += count
        self.agree += good
        self.basis = max(self.basis, records.basis, key=_BASES.index)
        if not self.lenient and count >= ENOUGH and (count - good) * SMALL_SHARE > count:
            self._look_elsewhere(records, others(), (count, good), where)

    def _look_elsewhere(
        self, records: Records, others: Mapping[str, Hands], found: tuple[int, int], where: tuple[str, str]
    ) -> None:
        count, good = found
        file, profile = where
        fits = []
        for name, hands in others.items():
            telling, agree = records.judge(hands)
            if agree.sum() > good and (telling.sum() - agree.sum()) * SMALL_SHARE <= telling.sum():
                fits.append(f"{name} (agrees in {int(agree.sum())} of {int(telling.sum())})")
        if not fits and 2 * (count - good) <= count:
            return
        kind = _RECORDED[records.basis]
        hint = f"; the order that would fit: {', '.join(fits)}" if fits else "; no other order fits either"
        raise InputRefused(
            f"{file}: the recorded {kind} contradict the order in which the profile {profile} reads the cards, "
            f"in {count - good} of {count} rounds{hint}"
        )


def points_of(hands: pa.Array) -> NDArray[np.int64]:
    """Points of each hand by its cards, each distinct hand counted once; -1 where there is none or it is no hand."""
    if not pa.types.is_dictionary(hands.type):
        hands = hands.dictionary_encode()
    distinct = hands.dictionary.to_pylist()
    points = np.array([*(_points(hand) for hand in distinct), _UNKNOWN], np.int64)
    chosen: NDArray[np.int64] = points[hands.indices.fill_null(len(distinct)).to_numpy()]
    return chosen


def _points(hand: str | None) -> int:
    try:
        cards = parse_hand(hand or "")
    except ValueError:
        return _UNKNOWN
    return total(cards) if cards else _UNKNOWN
