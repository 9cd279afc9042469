"""What people see of places: in a passage that they paste, and in the sentences of a draft."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from recsys.app.web.pages import page_contents, page_writing
from recsys.app.web.pages.asked_forms import Asked, refused, sent_form
from recsys.app.web.pages.form_fields import FormFields
from recsys.app.web.pages.page_contents import FoundHere, Item, PlaceShown
from recsys.app.web.put_question import WebPassage, answered_here
from recsys.app.web.service import Service, service_of
from recsys.app.web.shelf import Opened
from recsys.errors import DraftError, RecsysError
from recsys.formats.local_answers.shown_gaps import (
    GapKeys,
    around,
    headline,
    keys_of,
    looked_at,
    nothing_found,
    place_of,
)
from recsys.formats.references.shown_facts import one_line
from recsys.passages import Gap, LocalAnswer
from recsys.query.filters import Filters
from recsys.records import PaperId

FOR_PASSAGE, FOR_PLACE = 10, 3
"""Papers for the place of a passage, and for each of a draft."""
_UNFILTERED = "The filters do not count here."


async def cite(request: Request) -> Response:
    """Answer for the place of a passage, or for those of a draft that lack a citation."""
    service, sent = service_of(request), await sent_form(request)
    fields = FormFields.read(sent.pairs)
    try:
        asked = await Asked.of(sent, service)
        _check(asked)
        return HTMLResponse(await service.ask(fields.index, partial(_cite, service, asked)))
    except RecsysError as error:
        return refused(service, fields, error)


def _check(asked: Asked) -> None:
    """Refuse what has no sentence.

    Raises:
        RecsysError: saying what to give.
    """
    if asked.text is None and not asked.fields.passage:
        if asked.given is not None and asked.given.why is not None:
            raise asked.given.why
        raise DraftError(
            "There is no sentence to look at.",
            "Give the file of a draft with running text, or paste a passage.",
        )


def _cite(service: Service, asked: Asked, opened: Opened) -> str:
    web, _, fields = asked.understood(opened)
    passage = fields.passage or None
    answer = answered_here(
        opened,
        WebPassage(
            draft=web.draft,
            passage=passage,
            text=asked.text,
            k=FOR_PLACE if passage is None else FOR_PASSAGE,
            as_of=web.as_of,
        ),
    )
    notes = [*asked.notes(fields)]
    notes += [] if web.filters == Filters() else [_UNFILTERED]
    found = _found(opened, fields, answer, notes)
    return page_writing.here(page_contents.site_of(service, opened.name), found)


def _found(
    opened: Opened, fields: FormFields, answer: LocalAnswer, notes: Sequence[str]
) -> FoundHere:
    keys, shown = keys_of(answer), set[PaperId]()
    looked = f"Looked at: {looked_at(answer)}." if answer.gaps else nothing_found(answer)
    return FoundHere(
        form=page_contents.form_of(fields, opened),
        draft=one_line(answer.draft or ""),
        understood=answer.understood,
        counted="" if answer.draft is None else looked,
        notes=(*notes, *answer.notes),
        missing=answer.missing,
        places=tuple(_place(opened, answer, gap, keys, shown) for gap in answer.gaps),
        share="" if answer.draft is not None else fields.address("/cite"),
    )


def _place(
    opened: Opened, answer: LocalAnswer, gap: Gap, keys: GapKeys, shown: set[PaperId]
) -> PlaceShown:
    before, after = around(gap)
    return PlaceShown(
        name=place_of(answer, gap),
        before=before,
        after=after,
        kind=headline(gap),
        section=one_line(gap.sentence.section),
        items=tuple(_items(opened, gap, keys, shown)),
    )


def _items(opened: Opened, gap: Gap, keys: GapKeys, shown: set[PaperId]) -> Iterator[Item]:
    """Show the papers of a place; programs that save papers are told of each only once."""
    for each in gap.recommendations:
        item = page_contents.item_of(opened, each, keys.names[each.paper.id])
        yield replace(item, coins="") if item.id in shown else item
        shown.add(item.id)
