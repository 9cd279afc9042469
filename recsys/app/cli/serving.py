"""The commands that serve: `serve`, the page and the API, and `mcp`, the tools of agents."""

import re
import secrets
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from recsys.app.cli.options import IndexPlace, bad_value
from recsys.app.terminal import note, shown_progress

if TYPE_CHECKING:
    from recsys.app.web.index_registry import IndexRegistry

LOOPBACK = "127.0.0.1"


def serve(
    *,
    host: Annotated[str, Option(metavar="ADDRESS")] = LOOPBACK,
    port: Annotated[int, Option(min=0, max=65535)] = 8000,
    open_page: Annotated[bool, Option("--open")] = False,
    token: Annotated[str | None, Option(metavar="TEXT")] = None,
    i_know: bool = False,
    allow_host: Annotated[list[str] | None, Option(metavar="NAME")] = None,
    workers: Annotated[int, Option(min=1, max=64)] = 1,
    threads: Annotated[int, Option(min=1, max=64)] = 2,
    queue: Annotated[int, Option(min=0)] = 32,
    timeout: Annotated[float, Option(min=1)] = 30.0,
    max_body: Annotated[int, Option(min=1, max=64)] = 16,
    metrics: bool = False,
    indexes: Annotated[
        list[Path] | None, IndexPlace(followed=True), Argument(metavar="INDEX")
    ] = None,
    quiet: bool = False,
) -> None:
    """Serve a web page and an API that answer drafts.

    Drop a draft on the page to see what to cite. Nothing leaves this machine. Drafts are kept in
    memory only, and never logged. If an index is rebuilt or updated meanwhile, the new one is used.
    Press Ctrl-C to stop.

    Args:
        host: Address to listen on.
        port: Port to listen on; 0 picks a free one.
        open_page: Open the page in the browser.
        token: Require this token, of at least 16 characters; `new` generates one. Default: none.
        i_know: Allow access from other machines without a token.
        allow_host: Also answer under this host name, such as that of a proxy; may be repeated.
            Default: the address itself.
        workers: Number of processes; they share memory.
        threads: Questions that each process answers at once.
        queue: Questions that may wait; further ones are refused (503).
        timeout: Time limit per question, in seconds.
        max_body: Size limit of a request, in megabytes.
        metrics: Serve request counts at /metrics, for Prometheus.
        indexes: Indexes to serve: directories written by `recsys build`, or s3://BUCKET/PATH. The
            first one is the default. Default: the starter corpus.
    """
    from recsys.errors import need
    from recsys.machine import start_on_one_thread

    start_on_one_thread()
    for module in ("starlette", "uvicorn", "python_multipart", "jinja2"):
        need(module, "recsys serve")
    from recsys.app.web.index_registry import named
    from recsys.app.web.listening import answered_hosts, bind, is_wildcard, listen
    from recsys.app.web.service import MEGABYTE, ServeSettings
    from recsys.app.wiring import starter_index

    token = _checked_token(host, token, i_know=i_know)
    if indexes:
        paths = named(indexes)
    else:
        with shown_progress(quiet=quiet) as progress:
            paths = {"starter": starter_index(progress)}
    listening = bind(host, port)
    port = listening.getsockname()[1]
    settings = ServeSettings(
        indexes=tuple((name, str(path.resolve())) for name, path in paths.items()),
        hosts=answered_hosts(host, port, tuple(allow_host or ())),
        any_address=is_wildcard(host),
        token=token,
        metrics=metrics,
        starter=list(paths) == ["starter"],
        threads=threads,
        queue=queue,
        seconds=timeout,
        body=max_body * MEGABYTE,
    )
    shown = "127.0.0.1" if is_wildcard(host) else host.strip("[]")
    shown = f"[{shown}]" if ":" in shown else shown
    address = f"http://{shown}:{port}/" + (f"?token={token}" if token else "")

    def ready(served: "IndexRegistry") -> None:
        note(f"Serving {', '.join(paths)} on {address} (Ctrl-C to stop).", quiet=quiet)
        for index in served:
            for remark in index.opened.remarks:
                note(f"{index.name}: {remark}", quiet=quiet)
        if open_page:
            import threading
            import webbrowser

            # Beside the server: connections wait until it answers.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    listen(settings, listening, workers=workers, ready=ready)


def serve_agents(
    *,
    index: Annotated[
        Path | None,
        IndexPlace(followed=True),
        Option(metavar="DIR", show_default="the starter corpus"),
    ] = None,
    folders: Annotated[list[Path] | None, Option("--root", metavar="DIR")] = None,
    http: bool = False,
    port: Annotated[int, Option(min=0, max=65535)] = 8000,
    token: Annotated[str | None, Option(metavar="TEXT")] = None,
    quiet: bool = False,
) -> None:
    """Serve an index to agents and assistants, by MCP.

    An assistant starts this command by itself and talks to it by standard input and output; see
    docs/guide/mcp.md for how to enter it in each. With --http it is started by hand, and answers
    this machine alone. Agents can search the index, ask what to cite, check references and export
    papers, and change nothing.

    Args:
        folders: Folder below which agents may name drafts and bibliographies to read; may be
            repeated. Default: none.
        http: Listen for HTTP on the loopback instead.
        port: With --http: port to listen on; 0 picks a free one.
        token: With --http: token that clients must send, of at least 16 characters. Default: a new
            one.
    """
    from recsys.errors import InputError, need
    from recsys.machine import start_on_one_thread

    start_on_one_thread()
    if token is not None and not http:
        raise bad_value("it goes with --http.", option="--token")
    if quiet and http and token is None:
        raise bad_value("with --quiet, a new one is not shown: give one.", option="--token")
    for folder in folders or ():
        if not folder.is_dir():
            raise InputError(f"There is no folder {folder}.", "Give --root a folder.")
    need("mcp", "recsys mcp")
    from recsys.app.agents.server import PATH, make_application, make_server, serve_stdio
    from recsys.app.web.index_registry import named
    from recsys.app.web.listening import answered_hosts, bind, run_application
    from recsys.app.web.service import ServeSettings, Service
    from recsys.app.wiring import starter_index

    with shown_progress(quiet=quiet) as progress:
        ((name, path),) = (
            named([index]) if index else {"starter": starter_index(progress)}
        ).items()
    settings = ServeSettings(indexes=((name, str(path.resolve())),), hosts=())
    if not http:
        service = Service(settings)
        serve_stdio(make_server(service, folders or ()))
        service.close()
        return
    token, listening = _checked_token(LOOPBACK, token or "new", i_know=False), bind(LOOPBACK, port)
    port = listening.getsockname()[1]
    service = Service(replace(settings, hosts=answered_hosts(LOOPBACK, port, ()), token=token))
    application = make_application(make_server(service, folders or ()), service)
    note(
        f"Serving {name} on http://{LOOPBACK}:{port}{PATH} (Ctrl-C to stop).\n"
        f"Clients must send the header Authorization: Bearer {token}",
        quiet=quiet,
    )
    run_application(application, service, listening)


def _checked_token(host: str, token: str | None, *, i_know: bool) -> str | None:
    """Return the token that those who ask must show, a new one if that is said.

    Raises:
        UsageError: other machines could ask without a token, or it is easily guessed.
    """
    from recsys.pipelines.online.sites import is_loopback

    if token is None and not (is_loopback(host) or i_know):
        raise bad_value(
            f"Other machines can reach {host}. Add --token new, or --i-know.", option="--host"
        )
    if token is None or token == "new":
        return token and secrets.token_urlsafe(24)
    if not re.fullmatch(r"[!-~]{16,}", token):
        what = "A token needs at least 16 ASCII characters and no spaces."
        raise bad_value(what, option="--token")
    return token
