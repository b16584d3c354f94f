"""The catalogue of checks: complete, strict, and able to say every finding in three languages."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
import yaml

from audit.base.errors import ConfigurationError, UsageError
from audit.base.model import LANGUAGES, Severity, Text
from audit.catalogue import catalogue as module
from audit.catalogue import check_pages
from audit.catalogue.catalogue import MISSING, PLACEHOLDERS, Catalogue, load, message

SOURCE = Path(module.__file__).with_name("catalogue.yaml")

# Code, slug and severity as the public contract lists them.
CONTRACT = """
DRW-001 draw-missing high | DRW-002 draw-forbidden high | DRW-003 draw-order medium | DRW-004 card-count high
RES-001 points-recorded medium | RES-002 outcome-recorded high | RES-003 pair-recorded medium
RES-004 void-unfounded low | PAY-001 overpaid high | PAY-002 underpaid high | PAY-003 commission medium
PAY-004 stake-return high | PAY-005 unplayed-round-settled high | OPT-001 option-unauthorised critical
OPT-002 option-early high | OPT-003 option-expired high | OPT-004 option-mismatch high
APR-001 short-notice high | APR-002 application-missing medium | APR-003 notice-in-doubt info
SHO-001 deck-count high | SHO-002 card-surplus critical | SHO-003 demonstration-rounds medium
SHO-004 past-cut-card medium | SHO-005 burn-count medium | SHO-006 cut-card-position info
SHO-007 shoe-changed-in-round medium | LIM-001 stake-limits medium | LOG-001 duplicate-round medium
LOG-002 round-gap medium | LOG-003 overlapping-rounds low | LOG-004 orphan-wager medium
LOG-005 duplicate-wager medium
"""
PROMISED = {tuple(entry.split()) for entry in CONTRACT.replace("\n", "|").split("|") if entry.strip()}

CHINESE = re.compile(r"[\u4e00-\u9fff]")
SIMPLIFIED = set("这为于无见规闭庄闲时个与应录额预发对关应并")


@pytest.fixture
def catalogue() -> Catalogue:
    """The shipped catalogue."""
    return load()


def altered(tmp_path: Path, old: str, new: str) -> Path:
    """A copy of the catalogue with one change."""
    text = SOURCE.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "catalogue.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def every_text(value: object) -> list[dict[str, str]]:
    """All trilingual texts anywhere in a YAML value."""
    if isinstance(value, dict):
        if set(value) == set(LANGUAGES):
            return [value]
        return [text for item in value.values() for text in every_text(item)]
    return []


def test_every_promised_code_exists(catalogue: Catalogue) -> None:
    """Every code of the public contract is in the catalogue with its slug and severity."""
    found = {(check.code, check.slug, check.severity.value) for check in catalogue.checks.values()}

    assert PROMISED <= found
    assert len(PROMISED) == 33


def test_slugs_are_unique(catalogue: Catalogue) -> None:
    """No two checks share a slug."""
    slugs = [check.slug for check in catalogue.checks.values()]

    assert len(slugs) == len(set(slugs))


def test_articles_stand_for_both_games(catalogue: Catalogue) -> None:
    """Every check but those about the log and the house's limits cites articles of both regulations."""
    bare = {code for code, check in catalogue.checks.items() if len(check.articles) != 2}

    assert {code for code in catalogue.checks if code[:3] in {"LOG", "LIM"}} == bare


def test_messages_are_one_neutral_sentence(catalogue: Catalogue) -> None:
    """A message is one sentence that calls nobody guilty: it says apparent, or that it is an observation."""
    for check in catalogue.checks.values():
        for text in (check.message, *check.variants.values()):
            assert text.zh.count("。") == 1, check.code
            assert text.zh.endswith("。")
            assert text.pt.endswith(".")
            assert text.en.endswith(".")
            assert not re.search(r"[.!?] [A-Z]", text.en), check.code
            assert "表面上" in text.zh or "觀察事項" in text.zh, check.code
            assert "aparente" in text.pt or "observação" in text.pt, check.code
            assert "apparent" in text.en or "observation" in text.en, check.code
            assert not re.search("fine|penalt|fraud|cheat|guilt", text.en), check.code


def test_chinese_is_traditional() -> None:
    """Every Chinese text has Chinese characters and none of the commonest simplified ones."""
    for text in every_text(yaml.safe_load(SOURCE.read_text(encoding="utf-8"))):
        assert CHINESE.search(text["zh"]) or text["zh"] == "dragon_seven"
        assert not SIMPLIFIED & set(text["zh"]), text["zh"]


def test_portuguese_keeps_macau_spelling() -> None:
    """The Portuguese keeps the spelling of Macau's Boletim Oficial."""
    text = SOURCE.read_text(encoding="utf-8")

    assert not re.search(r"\b(ação|ações|direção|inspeção|adoção|exceto|atual|correto|efetuad\w+|direta?)\b", text)


@pytest.mark.parametrize("code", sorted(load().checks))
def test_message_without_values_prints_dashes(code: str) -> None:
    """A message whose values are all null prints a dash for each and leaves no placeholder."""
    said = message(code, {})
    for sentence in (said.zh, said.pt, said.en):
        assert MISSING in sentence
        assert "{" not in sentence
        assert "%s" not in sentence


def test_message_translates_machine_words() -> None:
    """Words of the engine appear in each language's own terms, ids and cards as they are."""
    values = {"round_id": "R1", "side": "banker", "expected": "draw", "observed": "stand", "player_cards": "9H KD"}

    said = message("DRW-001", values)
    zh, pt, en = said.zh, said.pt, said.en

    assert "莊家應增牌，紀錄顯示不增牌" in zh
    assert "o grupo banqueiro devia tirar carta" in pt
    assert "the banker side was required to draw" in en
    for sentence in (zh, pt, en):
        assert "R1" in sentence
        assert "9H KD" in sentence


def test_message_keeps_what_is_no_word() -> None:
    """Amounts, unknown bet codes and percent signs go through untouched."""
    values = {"bet": "small_six", "expected": "950.00", "observed": "100%", "amount": "-50.00", "currency": "HKD"}

    en = message("PAY-002", values).en

    assert "small_six" in en
    assert "due 950.00, recorded 100%, difference -50.00 HKD" in en


def test_message_takes_several_words_and_texts() -> None:
    """A value of several machine words is translated word by word, and a Text goes in by language."""
    assert "申請日期、預定採用日期" in message("APR-002", {"expected": "applied_at planned_from"}).zh
    assert "três dias completos, sem contar encerramentos" in message("APR-003", {"hinges": "clear_days, closures"}).pt
    assert "(as we read it)" in message("APR-003", {"hinges": Text("甲", "a", "as we read it")}).en


@pytest.mark.parametrize(
    ("value", "zh", "en"),
    [
        ("missing 3-5,9", "欠缺 3-5,9", "missing 3-5,9"),
        ("payout 0.00, returned 50.00", "彩金 0.00、退回 50.00", "payout 0.00, returned 50.00"),
        ("decks,first_card", "等於副數、首張牌之牌面點數", "number of decks, face value of the first card"),
        ("9H KD 10S", "9H KD 10S", "9H KD 10S"),
        ("banker of R1", "banker of R1", "banker of R1"),
        (">= 2024-03-01T21:04:05+08:00", ">= 2024-03-01T21:04:05+08:00", ">= 2024-03-01T21:04:05+08:00"),
        ("6,8", "6,8", "6,8"),
    ],
)
def test_phrases_of_words_and_numbers(catalogue: Catalogue, value: str, zh: str, en: str) -> None:
    """Words with numbers between are translated, and what holds any other word is left alone."""
    assert (zh, en) == (catalogue.word(value, "zh"), catalogue.word(value, "en"))


def test_message_of_truth_values_and_nan() -> None:
    """Booleans read yes and no; a not-a-number reads as missing."""
    said = message("RES-003", {"expected": True, "observed": False, "side": float("nan")})
    zh, pt, en = said.zh, said.pt, said.en

    assert "應為「是」，紀錄為「否」" in zh
    assert "«sim» e consta «não»" in pt
    assert f"the {MISSING} pair should read yes and reads no" in en


@pytest.mark.parametrize(
    ("code", "variant", "habit"),
    [
        ("PAY-001", "mak_banker_only_commission", "baccarat habit"),
        ("PAY-002", "mak_banker_only_commission", "baccarat habit"),
        ("PAY-001", "mak_method_odds_14", "method 1's 14 to 1"),
        ("PAY-002", "mak_method_odds_9", "method 2's 9 to 1"),
        ("PAY-002", "half_pay_in_standard", "half pay of tables without commission"),
        ("PAY-001", "half_pay_missing", "paid in full"),
        ("PAY-002", "both_forms", "at once"),
    ],
)
def test_variants_name_the_habit(catalogue: Catalogue, code: str, variant: str, habit: str) -> None:
    """A payment that follows a known habit says which one, and still what was due and paid."""
    sentence = catalogue.message(code, {"expected": "1.00", "observed": "2.00"}, variant).en

    assert catalogue.has_variant(code, variant)
    assert habit in sentence
    assert "due 1.00, recorded 2.00" in sentence


def test_unknown_variant_raises(catalogue: Catalogue) -> None:
    """A variant that a code does not have is an error of the caller, not a silent ordinary message."""
    assert not catalogue.has_variant("PAY-001", "both_forms")
    with pytest.raises(KeyError):
        catalogue.message("PAY-001", {}, "both_forms")


def test_words_cover_the_options(catalogue: Catalogue) -> None:
    """Every option, value, bet, verdict and severity that the contract names has a word in each language."""
    needed = (
        "burn demonstration dealing last_round draw_method tie commission bet prize decks first_card allowed "
        "auto_shuffler at_cut_card one_more method_1 method_2 cancelled kept changed standard none player banker "
        "player_pair banker_pair lucky_six jackpot dragon_seven conforming violation not_evaluated draw stand"
    ).split()
    needed += [f"fixed_{number}" for number in range(1, 9)] + [severity.value for severity in Severity]

    assert [] == [token for token in needed if token not in catalogue.words]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "    slug: draw-missing\n",
            "    slug: draw-missing\n    sluggish: x\n",
            "DRW-001: unknown key 'sluggish'",
        ),
        (
            "    slug: draw-missing\n",
            "    slug: draw-missing\n    slug: again\n",
            "DRW-001: the key 'slug' stands",
        ),
        ("    slug: draw-missing\n", "", "checks.DRW-001: the key 'slug' is missing"),
        ("    severity: high\n", "    severity: grave\n", "checks.DRW-001.severity: 'grave' is not one of"),
        ("    family: DRW\n", "    family: RES\n", "checks.DRW-001.family: DRW-001 does not belong to RES"),
        ("    subject: round\n", "    subject: moon\n", "checks.DRW-001.subject: 'moon' is not one of"),
        ('{zh: "閒家", pt: "grupo jogador", en: "player"}', '{zh: "閒家", en: "player"}', "words.player: the key 'pt'"),
        ("o {side} devia {expected} e", "o grupo devia {expected} e", "checks.DRW-001.message.pt: {side} is named in"),
        ("Round {round_id} (table", "Round {rnd} (table", "checks.DRW-001.message.en: unknown placeholder {rnd}"),
        ("Round {round_id} (table", "Round {round_id!r} (table", "a placeholder is its name only"),
        ("Round {round_id} (table", "Round {round_id (table", "checks.DRW-001.message.en: not a template"),
        ("articles:\n      baccarat:", "articles:\n      poker:", "checks.DRW-001.articles: 'poker' is not one of"),
    ],
)
def test_broken_catalogue_is_refused(tmp_path: Path, old: str, new: str, told: str) -> None:
    """Each fault of the file is refused in words that name the file and the path in it."""
    with pytest.raises(ConfigurationError) as caught:
        load(altered(tmp_path, old, new))

    assert "catalogue.yaml" in str(caught.value)
    assert told in str(caught.value)


def test_placeholders_are_all_used(catalogue: Catalogue) -> None:
    """The shipped messages use only the declared placeholders."""
    used = {
        name
        for check in catalogue.checks.values()
        for text in (check.message, *check.variants.values())
        for language in LANGUAGES
        for _, name, _, _ in string.Formatter().parse(text.in_language(language))
        if name
    }

    assert used <= PLACEHOLDERS


@pytest.mark.parametrize("language", LANGUAGES)
def test_showing_is_complete(language: str) -> None:
    """`checks list` and `checks show` print every check with its criterion and citation in each language."""
    listed = check_pages.table(language)
    text = check_pages.table_text(language)

    assert list(load().checks) == [row["code"] for row in listed]
    for row in listed:
        code = str(row["code"])
        shown = check_pages.show(code, language)
        assert code in text
        assert row["criterion"] == shown["criterion"]
        assert str(row["criterion"]) in check_pages.show_text(code.lower(), language)


def test_showing_unknown_code_is_a_wrong_usage() -> None:
    """Asking for a code that does not exist is answered in words."""
    with pytest.raises(UsageError, match="there is no check 'DRW-999'"):
        check_pages.show("DRW-999", "en")


def test_show_is_json_ready() -> None:
    """What `checks show` hands out holds plain types only and cites both instruments."""
    shown = check_pages.show("PAY-003", "pt")

    assert {"instrument": "67/2007", "articles": ["17"]} == shown["articles"]["makccarat"]
    assert isinstance(shown["example"]["data"], dict)
