"""Go through an answer page by page, each naming the next; begin anew where the name expired."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from recsys.pipelines.online.http_exchange import Reply
from recsys.pipelines.online.polite_client import Client, Question

MOST_BEGINNINGS = 3
_EXPIRED = frozenset({400, 404, 410})
_GOOD = 200


def _never(_reply: Reply) -> bool:
    return False


def token_pages(
    client: Client,
    first: str,
    question: Callable[[str], Question],
    following: Callable[[Reply], str | None],
    expired: Callable[[Reply], bool] = _never,
) -> Iterator[Reply]:
    """Yield the pages of an answer until there is no further one, or nobody takes them.

    A page that came from the store may name one that the source forgot since: then all are asked
    for anew, so that works come twice.

    Args:
        first: what names the first page.
        question: that asks for the page of a name.
        following: what names the page after an answer, None for the last.
        expired: whether an answer says that its name is known no more; refusing it (400, 404, 410)
            says so in any case.
    """
    token: str | None = first
    beginnings = 0
    while token is not None:
        asked = replace(question(token), fresh=beginnings > 0)
        again = token != first and beginnings < MOST_BEGINNINGS
        reply = client.ask(replace(asked, passing=_EXPIRED) if again else asked)
        if again and (reply.status != _GOOD or expired(reply)):
            token, beginnings = first, beginnings + 1
            continue
        yield reply
        token = following(reply)
