"""What Datasette does not bring: links to the reports, and a refusal of requests that other web pages provoke."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from datasette import hookimpl
from datasette.utils.asgi import AsgiFileDownload, NotFound, Response
from markupsafe import Markup

LINKED = "report"
"""A column of this name holds the number of a run's entry, and is shown as a link to its report."""

_Scope = MutableMapping[str, Any]
_App = Callable[[_Scope, Any, Any], Awaitable[None]]


@hookimpl
def register_routes() -> list[tuple[str, Callable[..., Awaitable[Any]]]]:
    """Serve the PDF of a recorded run, and no other file."""
    return [(r"^/-/report/(?P<entry>[0-9]{1,9})[.]pdf$", _report)]


async def _report(datasette: Any, request: Any) -> Any:
    query = "SELECT output FROM entries WHERE seq = ? AND kind = 'run'"
    found = (await datasette.get_database().execute(query, [int(request.url_vars["entry"])])).first()
    if found is None or not found[0]:
        raise NotFound("the ledger has no such run")
    file = _file(found[0])
    if file is None:
        raise NotFound("the report of this run is not here")
    return AsgiFileDownload(str(file), content_type="application/pdf")


def _file(output: str) -> Path | None:
    """The report of a run, as long as it lies in the folder of the finished runs."""
    home = Path(os.environ["DICJ_AUDIT_OUTPUTS"]).resolve()
    file = (home / output / "report.pdf").resolve()
    return file if file.is_relative_to(home) and file.is_file() else None


@hookimpl
def render_cell(value: Any, column: str) -> Markup | None:
    """Link a run's number in the column `report` to its PDF."""
    if column != LINKED or not isinstance(value, int):
        return None
    return Markup('<a href="/-/report/{0}.pdf">report {0}</a>').format(value)


@hookimpl
def canned_queries(datasette: Any, database: str) -> Mapping[str, Any]:
    """Offer the ledger's queries whatever its file is called."""
    databases = datasette.metadata().get("databases", {})
    return {} if database in databases else dict(databases.get("ledger", {}).get("queries", {}))


@hookimpl
def asgi_wrapper() -> Callable[[_App], _App]:
    """Answer reading requests only, of those who ask for this machine: a foreign page pointed here gets nothing."""

    def wrap(app: _App) -> _App:
        async def guarded(scope: _Scope, receive: Any, send: Any) -> None:
            if scope["type"] == "http":
                host = dict(scope["headers"]).get(b"host", b"").rpartition(b":")[0]
                if host not in {b"127.0.0.1", b"localhost"}:
                    await Response.text("the view is for this machine only", status=403).asgi_send(send)
                    return
                if scope["method"] not in {"GET", "HEAD"}:
                    await Response.text("the view is read-only", status=405).asgi_send(send)
                    return
            await app(scope, receive, send)

        return guarded

    return wrap
