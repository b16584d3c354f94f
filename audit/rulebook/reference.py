"""Turn the compact form of an article (``9(3)(2)``, ``9(2) method_1 (3)(1)``) into each language's own form."""

from __future__ import annotations

import re
from typing import Final

from audit.base.model import Text

_COMPACT: Final = re.compile(
    r"(?P<article>[0-9]+)(?P<levels>(\([0-9]+\))*)( (?P<method>method_[12])(?P<below>( ?\([0-9]+\))*))?",
)
_DIGITS: Final = "零一二三四五六七八九十"


def chinese_number(number: int) -> str:
    """A number from 1 to 99 in Chinese numerals.

    >>> [chinese_number(n) for n in (9, 10, 18, 20, 34)]
    ['九', '十', '十八', '二十', '三十四']
    """
    tens, units = divmod(number, 10)
    head = "" if tens == 0 else ("" if tens == 1 else _DIGITS[tens]) + "十"
    return head + (_DIGITS[units] if units or not tens else "")


def article_text(article: str, item_articles: frozenset[int]) -> Text:
    """The reference to an article in the form of each language.

    `item_articles` are the articles that go straight to items, without numbered paragraphs.

    >>> article_text("9(3)(2)", frozenset({9})).zh
    '第九條（三）（2）'
    >>> article_text("9(3)(2)", frozenset({9})).pt
    'art. 9.º, alínea 3), subalínea (2)'
    >>> article_text("9(2) method_1 (3)(1)", frozenset()).zh
    '第九條第二款方法一（三）（1）'
    >>> article_text("17(2)", frozenset()).pt
    'art. 17.º, n.º 2'

    Raises ValueError for anything that is not such a form.
    """
    match = _COMPACT.fullmatch(article)
    if match is None:
        message = f"{article!r} is not a reference to an article"
        raise ValueError(message)
    number = int(match["article"])
    zh, pt = [f"第{chinese_number(number)}條"], [f"art. {number}.º"]
    levels = _numbers(match["levels"])
    if levels and number not in item_articles:
        paragraph, *levels = levels
        zh.append(f"第{chinese_number(paragraph)}款")
        pt.append(f"n.º {paragraph}")
    if match["method"]:
        method = int(match["method"][-1])
        zh.append(f"方法{chinese_number(method)}")
        pt.append(f"método {method}")
        levels = [*levels, *_numbers(match["below"])]
    for depth, level in enumerate(levels):
        zh.append(f"（{chinese_number(level)}）" if depth == 0 else f"（{level}）")
        pt.append(f"alínea {level})" if depth == 0 else f"subalínea ({level})")
    return Text("".join(zh), ", ".join(pt), f"art. {article.replace('_', ' ')}")


def _numbers(levels: str) -> list[int]:
    return [int(number) for number in re.findall(r"[0-9]+", levels)]
