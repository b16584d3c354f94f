from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from pydantic import ValidationError

from audit.config.service import ServiceSettings


def test_schedule_is_one_time_or_several() -> None:
    """One time of day needs no list."""
    assert ServiceSettings(schedule="04:30").schedule == (dt.time(4, 30),)
    assert ServiceSettings(schedule=["04:30", "16:30"]).schedule == (dt.time(4, 30), dt.time(16, 30))


@pytest.mark.parametrize(
    "wrong",
    [
        {"schedule": "4:30"},
        {"schedule": "24:00"},
        {"schedule": 270},
        {"schedule": []},
        {"schedule": ["04:30", "04:30"]},
        {"timezone": "Europe/Lisbon"},
        {"inbx": "x"},
        {"notify": {"webhook": "file:///etc/passwd"}},
        {"notify": {"smtp": {"host": "h", "from": "a@b", "to": []}}},
        {"notify": {"smtp": {"host": "h", "from": "a@b", "to": "x@y\nBcc: z@y"}}},
        {"notify": {"threshold": "grave"}},
        {"deadline_hours": 0},
    ],
)
def test_malformed_section_is_refused(wrong: dict[str, object]) -> None:
    """A mistyped key or value is an error, never a default."""
    with pytest.raises(ValidationError):
        ServiceSettings(**wrong)


def test_paths_are_relative_to_the_configuration() -> None:
    """Relative paths are those of the configuration's folder; absolute ones and database servers stay."""
    settings = ServiceSettings(output=Path("/srv/audits"), ledger="postgresql://db/audit", approvals="register.csv")
    moved = settings.within(Path("/etc/audit"))

    assert (moved.inbox, moved.output) == (Path("/etc/audit/inbox"), Path("/srv/audits"))
    assert (moved.ledger, moved.approvals) == ("postgresql://db/audit", Path("/etc/audit/register.csv"))
