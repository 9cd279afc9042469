"""The command `serve`: the page and the API."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from recsys.app.cli.declarations import Argument, IndexPlace, Option, bad_value
from recsys.app.cli.options import Quiet

if TYPE_CHECKING:
    from recsys.app.web.service import ServeSettings
    from recsys.app.web.shelf import Shelf


@dataclass(frozen=True, slots=True, kw_only=True)
class WhereChoices:
    """Where the page is, and who may see it."""

    host: Annotated[
        str, Option("--host", metavar="ADDRESS", help="Address of this machine to listen on.")
    ] = "127.0.0.1"
    port: Annotated[
        int, Option("--port", min=0, max=65535, help="Port; 0 takes any that is free.")
    ] = 8000
    open_page: Annotated[bool, Option("--open", help="Open the page in the browser.")] = False
    token: Annotated[
        str | None,
        Option(
            "--token",
            metavar="TEXT",
            show_default="none",
            help="Answer only who shows this token, of 16 characters or more; `new` makes one.",
        ),
    ] = None
    i_know: Annotated[
        bool,
        Option("--i-know", help="Let other machines ask without a token: everybody may then."),
    ] = False
    allow_host: Annotated[
        list[str] | None,
        Option(
            "--allow-host",
            metavar="NAME",
            show_default="the address itself",
            help="Answer under this name, too, such as that of a proxy; may be repeated.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadChoices:
    """How much is done at once, and for how long."""

    workers: Annotated[
        int, Option("--workers", min=1, max=64, help="Processes; they share the memory.")
    ] = 1
    threads: Annotated[
        int, Option("--threads", min=1, max=64, help="Questions that a process works on.")
    ] = 2
    queue: Annotated[
        int, Option("--queue", min=0, help="Questions that wait; more are refused (503).")
    ] = 32
    timeout: Annotated[
        float, Option("--timeout", min=1, help="Seconds that a question may take.")
    ] = 30.0
    max_body: Annotated[
        int, Option("--max-body", min=1, max=64, help="Megabytes that a request may have.")
    ] = 16
    metrics: Annotated[
        bool, Option("--metrics", help="Count requests at /metrics, for Prometheus.")
    ] = False


def serve(
    where: WhereChoices,
    load: LoadChoices,
    indexes: Annotated[
        list[Path] | None,
        IndexPlace(followed=True),
        Argument(
            metavar="INDEX",
            show_default="the starter corpus",
            help="Directories that `recsys build` wrote, or s3://BUCKET/PATH of some; the first is "
            "asked unless another is chosen.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Serve a page where one drops a draft and sees what to cite, and an API for programs.

    Nothing leaves the machine, and nothing that is asked is kept or logged. An index that is
    replaced or updated meanwhile is picked up. Ctrl-C stops.
    """
    from recsys.extras import need
    from recsys.processors import start_on_one_thread

    start_on_one_thread()
    for module in ("starlette", "uvicorn", "python_multipart", "jinja2"):
        need(module, "recsys serve")
    from recsys.app.answer_writing import note
    from recsys.app.web.listening import bind, listen

    token = _token(where)
    paths = _paths(indexes or (), quiet=quiet)
    listening = bind(where.host, where.port)
    port = listening.getsockname()[1]
    settings = _settings(where, load, port, token, paths)
    address = _address(where.host, port, token)

    def ready(shelf: "Shelf") -> None:
        note(f"Serving {', '.join(paths)} on {address} - Ctrl-C stops.", quiet=quiet)
        for place in shelf:
            for said in place.opened.remarks:
                note(f"{place.name}: {said}", quiet=quiet)
        _open(address, wanted=where.open_page)

    listen(settings, listening, workers=load.workers, ready=ready)


def _token(where: WhereChoices) -> str | None:
    """Check who may ask.

    Raises:
        UsageError: other machines could ask without a token, or it is easily guessed.
    """
    from recsys.app.web.listening import is_loopback, new_token

    if where.token is None:
        if not (is_loopback(where.host) or where.i_know):
            raise bad_value(
                f"Other machines can reach {where.host}. Give --token new, or --i-know.",
                option="--host",
            )
        return None
    if where.token == "new":
        return new_token()
    if len(where.token) < 16 or not where.token.isascii() or not where.token.isprintable():
        raise bad_value("A token has 16 or more ASCII characters.", option="--token")
    return where.token


def _paths(indexes: "list[Path] | tuple[()]", *, quiet: bool) -> dict[str, Path]:
    from recsys.app.bars import shown_progress
    from recsys.app.web.shelf import check_given, named
    from recsys.app.wiring import starter_index

    if indexes:
        check_given(indexes)
        return named(indexes)
    with shown_progress(quiet=quiet) as progress:
        return {"starter": starter_index(progress)}


def _settings(
    where: WhereChoices, load: LoadChoices, port: int, token: str | None, paths: dict[str, Path]
) -> "ServeSettings":
    from recsys.app.web.listening import answered_hosts, is_wildcard
    from recsys.app.web.service import MEGABYTE, ServeSettings

    return ServeSettings(
        indexes=tuple((name, str(path.resolve())) for name, path in paths.items()),
        hosts=answered_hosts(where.host, port, tuple(where.allow_host or ())),
        any_address=is_wildcard(where.host),
        token=token,
        metrics=load.metrics,
        starter=list(paths) == ["starter"],
        threads=load.threads,
        queue=load.queue,
        seconds=load.timeout,
        body=load.max_body * MEGABYTE,
    )


def _address(host: str, port: int, token: str | None) -> str:
    from recsys.app.web.listening import is_wildcard

    shown = "127.0.0.1" if is_wildcard(host) else host
    shown = f"[{shown}]" if ":" in shown and not shown.startswith("[") else shown
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


def _open(address: str, *, wanted: bool) -> None:
    if wanted:
        import webbrowser

        from recsys.app.web.listening import when_listening

        when_listening(lambda: webbrowser.open(address))
