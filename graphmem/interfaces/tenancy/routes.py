"""The routes that only a shared server has: who I am, publish, export, forget me, the audit log, and the page on which a browser
chooses its project."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from html import escape
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import FileResponse, RedirectResponse, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.background import BackgroundTask

from graphmem.errors import AccessDenied
from graphmem.interfaces.http import login
from graphmem.interfaces.http.answers import Envelope, success
from graphmem.interfaces.languages import preferred_language
from graphmem.interfaces.tenancy.guard import SESSION
from graphmem.interfaces.tenancy.publishing import export_store, forget_own, publish
from graphmem.interfaces.tenancy.receiving import Batch, receive
from graphmem.interfaces.tenancy.rights import VISIBILITIES, Right
from graphmem.interfaces.tenancy.sessions import SharedAccess
from graphmem.interfaces.tenancy.tenant import TENANT, Tenant, current_tenant

PROJECTS = "/projects"
_STRICT = ConfigDict(extra="forbid")
Chosen = Literal["private", "team"]


class Published(BaseModel):
    """The private memory to move to the team."""

    model_config = _STRICT
    id: str = Field(max_length=500)


class Confirmed(BaseModel):
    """Forgetting cannot be undone."""

    model_config = _STRICT
    confirm: Literal[True]


def account_router(access: SharedAccess) -> APIRouter:
    """Return a router with these routes."""
    router = APIRouter(tags=["shared server"])
    _own(router, access)
    _audit(router)
    _projects(router, access)
    return router


def _own(router: APIRouter, access: SharedAccess) -> None:
    @router.get("/api/me", response_model=Envelope, summary="Return the account, its rights and the chosen project.")
    async def me() -> Response:
        tenant = _tenant()
        caller = tenant.caller
        rights = {name: right.word for name in access.projects_of(caller) if (right := caller.right(name))}
        expires = None if caller.expires is None else datetime.fromtimestamp(caller.expires, UTC)
        chosen, used = tenant.host.settings, tenant.host.accounts.ledger.usage(caller.id, tenant.project)
        quota = {"events": chosen.quota_events or None, "bytes": chosen.quota_mb << 20 or None}
        return success(
            {"account": caller.account, "token": caller.label, "expires": expires, "project": tenant.project, "rights": rights,
             "visibility": chosen.visibility, "written": used._asdict(), "quota": quota}
        )  # fmt: skip

    @router.post("/api/publish", response_model=Envelope, summary="Move a private memory to the team.")
    async def move(given: Published) -> Response:
        tenant = current_tenant()
        return success(await tenant.run(lambda: publish(tenant, given.id)))

    @router.post("/api/push", response_model=Envelope, summary="Record what a client kept while the server was away.")
    async def push(given: Batch) -> Response:
        tenant = current_tenant()
        ids = await tenant.run(lambda: receive(tenant, given.items))
        return success({"ids": ids})

    @router.get("/api/export", summary="Download the private store, or with visibility=team the team's.")
    async def export(
        format: Annotated[str, Query(description="log, graphml, jsonld or markdown")] = "log",
        visibility: Annotated[Chosen, Query(description="which store")] = "private",
    ) -> Response:
        tenant = current_tenant()
        file = await tenant.run(lambda: export_store(tenant, visibility, format))
        name = f"{tenant.project}-{visibility}.{'jsonl' if format == 'log' else format}"
        return FileResponse(file, filename=name, background=BackgroundTask(file.unlink, missing_ok=True))

    @router.post(
        "/api/forget-me", response_model=Envelope, summary="Erase all that you wrote in the project, in both stores."
    )
    async def forget(given: Confirmed) -> Response:
        tenant = current_tenant()
        return success(await tenant.run(lambda: forget_own(tenant)))


def _audit(router: APIRouter) -> None:
    @router.get("/api/audit", response_model=Envelope, summary="List who did what in the project, newest first.")
    async def audit(
        account: str | None = None,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
        before: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    ) -> Response:
        tenant = current_tenant()
        tenant.require(Right.ADMIN, "audit")
        found = tenant.host.accounts.ledger.audit(project=tenant.project, account=account, before=before, limit=limit)
        rows = [entry._asdict() | {"at": datetime.fromtimestamp(entry.at, UTC)} for entry in found]
        return success(rows, next=found[-1].id if len(found) == limit else None)


def _projects(router: APIRouter, access: SharedAccess) -> None:
    @router.get(PROJECTS, include_in_schema=False)
    async def choose(request: Request) -> Response:
        tenant = _tenant()
        language = preferred_language(request.cookies.get("gm_language"), request.headers.get("accept-language", ""))
        page = login.choice_page(language, _form(tenant, access.projects_of(tenant.caller)))
        return Response(page, headers={"content-security-policy": login.POLICY}, media_type="text/html; charset=utf-8")

    @router.post(PROJECTS, include_in_schema=False)
    async def chosen(request: Request) -> Response:
        found = access.session_of(request.scope.get(SESSION, ""), request.headers.get("host", "").lower())
        if found is None:
            raise AccessDenied("only a browser that is logged in chooses its project")
        session, caller = found
        given = await request.form()
        project, store = str(given.get("project") or ""), str(given.get("visibility") or "")
        replace(_tenant(), caller=caller, project=project).require(Right.READ, "choose_project")
        session.project = project
        session.visibility = "private" if store == "private" else "team" if store == "team" else None
        return RedirectResponse("/", 303)


def _form(tenant: Tenant, projects: list[str]) -> str:
    """Return the form with the projects of an account and the stores to show."""
    lines = []
    for name in projects:
        checked = " checked" if name == tenant.project else ""
        lines.append(
            f'<label><input type="radio" name="project" value="{escape(name)}"{checked}> {escape(name)}</label><br>'
        )
    lines.append("<p></p>")
    texts: dict[Any, str] = {
        None: "Both, where they can be shown together",
        "private": "My private memories",
        "team": "The team's",
    }
    for store in (None, *VISIBILITIES):
        checked = " checked" if store == tenant.visibility else ""
        lines.append(
            f'<label><input type="radio" name="visibility" value="{store or "both"}"{checked}> {texts[store]}</label><br>'
        )
    return f'<form method="post" action="{PROJECTS}">{"".join(lines)}<p><button>OK</button></p></form>'


def _tenant() -> Tenant:
    """Return the tenant, also one without access to a project. Raises AccessDenied outside of a request."""
    tenant = TENANT.get()
    if tenant is None:
        raise AccessDenied("this request belongs to no account")
    return tenant
