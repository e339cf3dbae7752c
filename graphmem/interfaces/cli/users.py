"""Commands for the accounts of a shared server, on its host: who may write to its folder is its administrator."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmem import settings
from graphmem.errors import GraphmemError, UsageError
from graphmem.interfaces.cli.grouped import CommandLine
from graphmem.interfaces.tenancy.rights import EVERY, HOST, Right, right_named
from graphmem.plurals import counted
from graphmem.ports.callers import refuse_agents

if TYPE_CHECKING:
    from graphmem.interfaces.tenancy.accounts import Accounts

_HOME = typer.Option(
    "--home",
    help="folder of the shared server (default: `server` in the data folder)",
    envvar="GRAPHMEM_SHARED",
    show_default=False,
)
_JSON = typer.Option("--json", help="print JSON")
_RIGHT = typer.Option(help="read, write or admin")
_DAYS = typer.Option(help="days until the token expires (default: never)")
_FILES = Path(__file__).parent.parent / "tenancy" / "deployment"
_DEPLOYMENT = ("Containerfile", "compose.yaml", "graphmem.service")
AsJson = Annotated[bool, _JSON]
AnyName = Annotated[str | None, typer.Argument(help="account name (default: all)")]
OneProject = Annotated[str | None, typer.Option("--project", help="only this project")]
Limit = Annotated[int, typer.Option(help="maximum number of entries", min=1)]
Confirm = Annotated[bool, typer.Option("--confirm", help="required: this cannot be undone")]
Key = Annotated[str | None, typer.Argument(help="such as server.url")]
Value = Annotated[str | None, typer.Argument(help='"" restores the default')]
Home = Annotated[Path | None, _HOME]
Name = Annotated[str, typer.Argument(help="account name")]
Label = Annotated[str, typer.Argument(help="token name")]
Projects = Annotated[list[str] | None, typer.Option("--project", help="project name, `*` for all; repeatable")]


def home_of(chosen: Path | None) -> Path:
    """Return the folder of the shared server."""
    return chosen or settings.stores_home() / "server"


def register(app: typer.Typer, fail: Callable[..., None]) -> None:
    """Add the commands. `fail` prints an error and exits."""
    group = CommandLine(help="Manage the accounts of a shared server, on its host.")
    app.add_typer(group, name="users")
    _register_accounts(group, _Attempt(fail))
    _register_states(group, _Attempt(fail))
    _register_tokens(group, _Attempt(fail))
    _register_records(group, _Attempt(fail))
    _register_deployment(group, _Attempt(fail))


class _Attempt:
    """Opens the accounts for a command, and prints errors. Agents manage no accounts."""

    def __init__(self, fail: Callable[..., None]) -> None:
        self._fail = fail

    def fail(self, error: BaseException) -> None:
        """Print an error and exit."""
        self._fail(error, as_json=False)

    @contextmanager
    def __call__(self, home: Path | None, as_json: bool = False, *, create: bool = False) -> Iterator[Accounts]:
        try:
            refuse_agents("manage accounts")
            with _opened(home_of(home), create) as accounts:
                yield accounts
        except typer.Exit:
            raise
        except (GraphmemError, OSError) as error:
            self._fail(error, as_json=as_json)


@contextmanager
def _opened(home: Path, create: bool) -> Iterator[Accounts]:
    """Context manager: the accounts in a folder. Raises NotFound if it is not that of a server, unless it shall be created."""
    from graphmem.interfaces.tenancy.accounts import Accounts

    accounts = Accounts(home, create=create)
    try:
        yield accounts
    finally:
        accounts.close()


def _note(accounts: Accounts, action: str, account: str, detail: str = "", project: str = "") -> None:
    """Note what the host did: it is no account, and none of those that it concerns did it."""
    who = f"{HOST}{os.environ.get('USER') or os.getuid()}"
    accounts.ledger.note(action, account=who, project=project, detail=f"{account} {detail}".strip())


def _register_accounts(app: typer.Typer, attempt: _Attempt) -> None:
    @app.command("add", help="Create an account, and print a token for it. The token is shown only once.")
    def add(
        name: Name,
        project: Projects = None,
        right: Annotated[str, _RIGHT] = "write",
        days: Annotated[float | None, _DAYS] = None,
        home: Home = None,
    ) -> None:
        with attempt(home, create=bool(project)) as accounts:
            chosen, projects = right_named(right), _named(project)
            accounts.add(name)
            for each in projects:
                accounts.grant(name, each, chosen)
            _note(accounts, "add_account", name, f"{right} {' '.join(projects)}")
            typer.echo(accounts.create_token(name, "first", right=chosen, days=days))

    @app.command("list", help="List accounts with their rights.")
    def show(home: Home = None, as_json: AsJson = False) -> None:
        with attempt(home, as_json) as accounts:
            found = accounts.list()
            if as_json:
                typer.echo(json.dumps([one._asdict() for one in found]))
                return
            for one in found:
                rights = (
                    ", ".join(f"{project}: {right}" for project, right in sorted(one.rights.items())) or "no project"
                )
                typer.echo(f"{one.name}\t{rights}{' (disabled)' if one.disabled else ''}")

    @app.command("grant", help="Give an account a right on projects: read, write or admin.")
    def grant(
        name: Name,
        right: Annotated[str, typer.Argument(help="read, write or admin")],
        project: Projects = None,
        home: Home = None,
    ) -> None:
        with attempt(home) as accounts:
            chosen = right_named(right)
            for each in _named(project):
                accounts.grant(name, each, chosen)
                _note(accounts, "grant", name, f"{right} {each}")
                for token, less in _tokens_below(accounts, name, each, chosen):
                    typer.echo(
                        f"The token {token} of {name} may {less}: a token keeps what it was made for. `graphmem users token {name}"
                        f" NAME --right {right}` makes another one.",
                        err=True,
                    )

    @app.command("withdraw", help="Take an account's right on projects away, at once.")
    def withdraw(name: Name, project: Projects = None, home: Home = None) -> None:
        with attempt(home) as accounts:
            for each in _named(project):
                accounts.grant(name, each, None)
                _note(accounts, "withdraw", name, each)


def _register_states(app: typer.Typer, attempt: _Attempt) -> None:
    @app.command("disable", help="Disable an account with its tokens and logins, at once; `enable` undoes it.")
    def disable(name: Name, home: Home = None) -> None:
        with attempt(home) as accounts:
            accounts.disable(name)
            _note(accounts, "disable", name)

    @app.command("enable", help="Enable a disabled account again.")
    def enable(name: Name, home: Home = None) -> None:
        with attempt(home) as accounts:
            accounts.disable(name, disabled=False)
            _note(accounts, "enable", name)

    @app.command(
        "link",
        help="Connect an account to the claim of the OIDC provider that stands for it, such as an e-mail address.",
    )
    def link(
        name: Name, subject: Annotated[str, typer.Argument(help='value of the claim; "" for none')], home: Home = None
    ) -> None:
        with attempt(home) as accounts:
            accounts.link(name, subject)
            _note(accounts, "link", name)

    @app.command(
        "remove", help="Remove an account with its tokens. What it wrote stays, unless it was forgotten before."
    )
    def remove(
        name: Name,
        confirm: Confirm = False,
        home: Home = None,
    ) -> None:
        with attempt(home) as accounts:
            if not confirm:
                raise UsageError("removing cannot be undone: add --confirm; `graphmem users disable` can be")
            accounts.remove(name)
            _note(accounts, "remove_account", name)


def _register_tokens(app: typer.Typer, attempt: _Attempt) -> None:
    @app.command("token", help="Create a token for an account and print it. It is shown only once.")
    def token(
        name: Name,
        label: Label,
        project: Projects = None,
        right: Annotated[str, _RIGHT] = "write",
        days: Annotated[float | None, _DAYS] = None,
        home: Home = None,
    ) -> None:
        with attempt(home) as accounts:
            value = accounts.create_token(name, label, right=right_named(right), projects=project, days=days)
            _note(accounts, "create_token", name, label)
            typer.echo(value)

    @app.command("tokens", help="List tokens: account, name, right, projects, state and last use.")
    def tokens(
        name: AnyName = None,
        home: Home = None,
        as_json: AsJson = False,
    ) -> None:
        with attempt(home, as_json) as accounts:
            found = accounts.tokens(name)
            if as_json:
                typer.echo(json.dumps([one._asdict() for one in found]))
                return
            for one in found:
                projects = "all its projects" if one.projects is None else ", ".join(one.projects)
                used = f"used {_time(one.used)}" if one.used else "not used"
                typer.echo(f"{one.account}\t{one.name}\t{one.right}\t{projects}\t{_state(one)}\t{used}")

    @app.command("revoke", help="Revoke a token, at once; `*` revokes all of the account.")
    def revoke(name: Name, label: Label, home: Home = None) -> None:
        with attempt(home) as accounts:
            accounts.revoke(name, label)
            _note(accounts, "revoke_token", name, label)

    @app.command("rotate", help="Replace a token and print the new one. The old one becomes invalid at once.")
    def rotate(name: Name, label: Label, home: Home = None) -> None:
        with attempt(home) as accounts:
            valid = [one for one in accounts.tokens(name) if one.name == label and one.revoked is None]
            accounts.revoke(name, label)
            old = valid[0]
            days = None if old.expires is None else max((old.expires - old.created) / 86_400, 0.01)
            value = accounts.create_token(name, label, right=right_named(old.right), projects=old.projects, days=days)
            _note(accounts, "rotate_token", name, label)
            typer.echo(value)


def _register_records(app: typer.Typer, attempt: _Attempt) -> None:
    @app.command("audit", help="List who did what, newest first.")
    def audit(
        name: AnyName = None,
        project: OneProject = None,
        limit: Limit = 50,
        home: Home = None,
        as_json: AsJson = False,
    ) -> None:
        with attempt(home, as_json) as accounts:
            found = accounts.ledger.audit(account=name, project=project, limit=limit)
            if as_json:
                typer.echo(json.dumps([one._asdict() for one in found]))
                return
            for one in found:
                who = f"{one.account or 'unknown'}{f' ({one.token})' if one.token else ''}"
                where = "/".join(filter(None, (one.project, one.store)))
                typer.echo("\t".join((_time(one.at), who, one.action, where, one.outcome, one.detail)).rstrip())

    @app.command("stores", help="List the stores of the server: project, whose, and where its log is.")
    def stores(home: Home = None, as_json: AsJson = False) -> None:
        with attempt(home, as_json) as accounts:
            found = _stores(home_of(home), accounts)
            if as_json:
                typer.echo(json.dumps(found))
                return
            for one in found:
                typer.echo("\t".join((one["project"], one["of"], one["log"], one["folder"])))

    @app.command("forget", help="Erase all that an account wrote, in every project and from disk. The account stays.")
    def forget(
        name: Name,
        project: Projects = None,
        confirm: Confirm = False,
        home: Home = None,
    ) -> None:
        with attempt(home) as accounts:
            if not confirm:
                raise UsageError("forgetting cannot be undone: add --confirm")
            done = _forget(home_of(home), accounts, name, project)
            for each in done["projects"]:
                _note(accounts, "forget_account", name, project=each)
            where = counted(len(done["projects"]), "project")
            typer.echo(f"Forgotten: {counted(done['events'], 'memory')} of the team, and private ones in {where}.")

    @app.command("setting", help="Show the settings of the server, or set one; the server reads them when it starts.")
    def setting(
        key: Key = None,
        value: Value = None,
        home: Home = None,
    ) -> None:
        with attempt(home) as accounts:
            folder = home_of(home)
            if key is not None and value is not None:
                settings.save_settings(folder, {key: _parsed(key, value)})
                _note(accounts, "setting", key)
            for entry in settings.list_entries(settings.load_settings(folder)):
                if entry.key.startswith("server.") and key in (None, entry.key):
                    typer.echo(f"{entry.key}\t{entry.value}")


def _register_deployment(app: typer.Typer, attempt: _Attempt) -> None:
    @app.command("deployment", help="Write files to run the server: Containerfile, compose.yaml and a systemd unit.")
    def deployment(target: Annotated[Path, typer.Argument(help="folder to write to")] = Path()) -> None:
        try:
            target.mkdir(parents=True, exist_ok=True)
            for name in _DEPLOYMENT:
                if (target / name).exists():
                    raise UsageError(f"{target / name} exists already: name another folder", path=str(target / name))
            for name in _DEPLOYMENT:
                (target / name).write_bytes((_FILES / name).read_bytes())
                typer.echo(str(target / name))
        except (GraphmemError, OSError) as error:
            attempt.fail(error)


def _parsed(key: str, value: str) -> Any:
    """Return a setting's value in its type; "" restores the default."""
    kinds = {entry.key: entry.kind for entry in settings.list_entries(settings.Settings())}
    if not value:
        return None
    return int(value) if kinds.get(key) == "whole" and value.isdecimal() else value


def _forget(home: Path, accounts: Accounts, name: str, projects: list[str] | None) -> dict[str, Any]:
    from graphmem.interfaces.tenancy.publishing import forget_account
    from graphmem.interfaces.tenancy.stores import Place, StorePool

    pool = StorePool(2)
    try:
        return forget_account(
            accounts, Place(home.resolve()), pool, accounts.get(name), list(projects or accounts.projects())
        )
    finally:
        pool.close()


def _tokens_below(accounts: Accounts, name: str, project: str, right: Right) -> Sequence[tuple[str, str]]:
    """Return the valid tokens of an account that may less in a project than a right, each with what it may. Raises NotFound."""
    found, now = [], datetime.now(UTC).timestamp()
    for one in accounts.tokens(name):
        if one.revoked is not None or (one.expires is not None and one.expires <= now):
            continue
        if one.projects is not None and project not in (*one.projects, EVERY):
            found.append((one.name, f"not reach {project}"))
        elif right_named(one.right) < right:
            found.append((one.name, f"only {one.right}"))
    return found


def _stores(home: Path, accounts: Accounts) -> list[dict[str, str]]:
    """Return the stores of a server. The schema of a log on a database server does not say whose it is."""
    from graphmem.interfaces.tenancy.stores import Place, exists, log_place

    place, names = Place(home.resolve()), {one.id: one.name for one in accounts.list()}
    found = []
    for project, id, folder in place.stores():
        of = "team" if not id else f"private store of {names.get(id, f'a removed account ({id})')}"
        if exists(folder):
            found.append({"project": project, "of": of, "log": log_place(folder), "folder": str(folder)})
    return found


def _named(projects: list[str] | None) -> list[str]:
    if not projects:
        raise UsageError("name the projects: --project NAME")
    return projects


def _state(token: Any) -> str:
    if token.revoked is not None:
        return "revoked"
    if token.expires is None:
        return "valid"
    return f"{'expired' if token.expires <= datetime.now(UTC).timestamp() else 'expires'} {_time(token.expires)}"


def _time(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC"
