"""The command `lsp`: recommendations while somebody writes, in any editor."""

from pathlib import Path
from typing import Annotated

from typer import Option

from recsys.app.cli.options import IndexOrStarter, damage_named


def lsp(
    *,
    index: IndexOrStarter = None,
    needs: Annotated[Path | None, Option(metavar="DIR")] = None,
) -> None:
    """Serve an editor by the Language Server Protocol.

    The editor starts this command itself and speaks to it over stdin and stdout. It completes
    citation keys, marks the places that lack a citation and the references that are wrong, offers
    papers for them, and explains citations under the cursor, in LaTeX, Markdown, Quarto and Typst.
    New entries go into the bibliography of the draft. Nothing leaves this machine, and no draft is
    stored or logged.

    Args:
        needs: Classifier of sentences that you trained: sentences that need a citation but have no
            mark are marked too. Default: none.
    """
    from recsys.errors import need
    from recsys.machine import start_on_one_thread

    start_on_one_thread()
    need("pygls", "recsys lsp")
    from recsys.app.check_wiring import STARTER
    from recsys.app.editors.desk import Desk
    from recsys.app.editors.server import server_of

    def open_desk() -> Desk:
        from recsys.app.wiring import open_local, said_of_index
        from recsys.checking.check import index_source

        with damage_named(index):
            recommender = open_local(index, needs=needs)
            source = index_source(recommender.collection, name)
            return Desk(recommender, source, said_of_index(recommender.recommender))

    name = STARTER if index is None else index.name
    server_of(open_desk, name).start_io()
