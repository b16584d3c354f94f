"""What a source calls a payout, turned into the canonical one: winnings paid, net of commission, without the stake."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from audit.base.columns import Mask, as_mask, is_textual
from audit.source.cells import SourceColumn, as_strings
from audit.source.raw_rows import as_text

FORMS: Final = ("winnings", "with_stake", "result")
"""`winnings`: the canonical payout; `with_stake`: what was handed over with the stake; `result`: won minus lost."""

PUSHES: Final = ("stake", "zero", "absent")
"""How a source shows a wager that was neither won nor lost: the stake, a payout of 0 like a loss, or no payout."""

_DIGITS: Final = r"^-?[0-9]{1,14}$"


@dataclass(frozen=True, slots=True)
class PayoutMeaning:
    """The form of a source's payouts, whether its commission is still in them, and the decimals of whole-number money.

    `minor_units` is None where amounts are in the currency's unit, else the decimals that whole numbers stand for;
    `decimal` and `grouping` are the marks in an amount; `push` is one of `PUSHES`.
    """

    form: str = "winnings"
    before_commission: bool = False
    minor_units: int | None = None
    push: str = "stake"
    decimal: str = "."
    grouping: str = ""

    @property
    def canonical(self) -> bool:
        """Whether payouts need no translation."""
        return self.form == "winnings" and not self.before_commission

    def marked(self, raw: pa.Array, place: SourceColumn) -> pa.Array:
        """Amounts with the source's marks as plain decimal text; one with other marks is left to be rejected.

        >>> marks = PayoutMeaning(decimal=",", grouping=".")
        >>> marks.marked(pa.array(["1.234,50", "7", "1,2,3"]), SourceColumn("a", "x")).to_pylist()
        ['1234.50', '7', '?1,2,3']
        """
        if (self.decimal == "." and not self.grouping) or not is_textual(raw.type):
            return raw
        texts = as_strings(raw, place)
        decimal, grouping = re.escape(self.decimal), re.escape(self.grouping)
        whole = rf"[0-9]{{1,3}}(?:{grouping}[0-9]{{3}})+|[0-9]+" if self.grouping else "[0-9]+"
        good = pc.match_substring_regex(texts, rf"^-?(?:{whole})(?:{decimal}[0-9]+)?$")
        plain = pc.replace_substring(texts, self.grouping, "") if self.grouping else texts
        plain = pc.replace_substring(plain, self.decimal, ".")
        return pc.if_else(good, plain, pc.binary_join_element_wise(pa.scalar("?"), texts, ""))

    def present(self, raw: pa.Array) -> pa.Array:
        """Payouts with 0 where the source writes nothing for a push."""
        if self.push != "absent" or not is_textual(raw.type):
            return raw
        texts = raw.cast(pa.string())
        blank = pc.equal(pc.utf8_trim_whitespace(pc.fill_null(texts, "")), "")
        return pc.if_else(blank, pa.scalar("0"), texts)

    def major(self, raw: pa.Array, place: SourceColumn) -> pa.Array:
        """Money of minor units (whole numbers of any kind) as decimal text; another text is left to be rejected.

        >>> PayoutMeaning(minor_units=2).major(pa.array(["1950", "-5", "1.5"]), SourceColumn("a.csv", "x")).to_pylist()
        ['00019.50', '-00.05', '?1.5']
        """
        if self.minor_units is None:
            return raw
        if is_textual(raw.type):
            texts = as_strings(raw, place)
        elif pa.types.is_integer(raw.type):
            texts = as_text(raw, np.arange(len(raw)))
        else:
            raise place.refuse(f"is {raw.type}, where the profile promises whole numbers of minor units")
        if self.minor_units == 0:
            return texts
        padded = pc.replace_substring_regex(texts, "^(-?)", r"\1" + "0" * (self.minor_units + 1))
        shifted = pc.replace_substring_regex(padded, rf"([0-9]{{{self.minor_units}}})$", r".\1")
        whole = pc.match_substring_regex(texts, _DIGITS)
        return pc.if_else(whole, shifted, pc.binary_join_element_wise(pa.scalar("?"), texts, ""))

    def settle(self, rows: pa.RecordBatch) -> tuple[pa.RecordBatch, Mask]:
        """Typed wagers with canonical payouts and returned stakes; the mask marks those that lost more than the stake.

        A stake that came back is told from winnings by the amount: what was handed over goes to the stake first. A
        returned stake that the source records itself is kept.
        """
        stake, payout = rows["stake"], rows["payout"]
        nothing = pa.scalar(0, pa.int64())
        lost = np.zeros(rows.num_rows, np.bool_)
        returned: pa.Array = rows["stake_returned"]
        if self.form != "winnings":
            handed = payout if self.form == "with_stake" else pc.add(payout, stake)
            lost = as_mask(pc.less(handed, nothing))
            payout = pc.max_element_wise(pc.subtract(handed, stake), nothing, skip_nulls=False)
            kept = pc.min_element_wise(handed, stake, skip_nulls=False)
            if self.push != "stake":
                # Nothing handed over may be a loss or a push: what became of the stake is not recorded.
                kept = pc.if_else(pc.equal(handed, nothing), pa.scalar(None, pa.int64()), kept)
            returned = pc.coalesce(returned, kept)
        if self.before_commission:
            payout = pc.subtract(payout, pc.fill_null(rows["commission"], nothing))
            lost |= as_mask(pc.less(payout, nothing))
        changed = {"payout": payout, "stake_returned": returned}
        columns = [changed.get(name, rows[name]) for name in rows.schema.names]
        return pa.RecordBatch.from_arrays(columns, schema=rows.schema), lost
