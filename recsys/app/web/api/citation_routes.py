"""What programs ask about places of a draft, and how they are answered."""

from collections.abc import Mapping, Sequence
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from recsys.app.web.api.api_models import CitationsBody
from recsys.app.web.api.json_replies import Reply, respond
from recsys.app.web.api.question_reading import question_of
from recsys.app.web.given.given_files import GivenFile, read_given_text
from recsys.app.web.given.given_text import GivenDraft
from recsys.app.web.page_tokens import digest_of
from recsys.app.web.put_question import WebPassage, answered_here, joined
from recsys.app.web.service import Service, service_of
from recsys.app.web.shelf import Opened
from recsys.errors import DraftError
from recsys.formats.drafts.objects import manuscript_of
from recsys.formats.local_answers.gap_json import local_record
from recsys.formats.local_answers.shown_gaps import keys_of


async def citations(request: Request) -> Response:
    """Answer for the place of a passage, or for those of a draft that lack a citation."""
    service, sent = service_of(request), await question_of(request, CitationsBody)
    given = await _read(service, sent.files)
    work = partial(_cite, _asked(sent.body, given), sent.told())
    return respond(request, await service.ask(sent.body.index, work))


async def _read(service: Service, files: Sequence[GivenFile]) -> GivenDraft | None:
    """Read the files of a draft.

    Raises:
        RecsysError: they cannot be read, or have no running text.
    """
    if not files:
        return None
    given = await service.read(partial(read_given_text, files))
    if given.text is None:
        raise given.why or DraftError("The draft has no running text.", "Give a passage.")
    return given


def _asked(body: CitationsBody, given: GivenDraft | None) -> WebPassage:
    told = body.model_dump(include={"title", "abstract", "references"}, exclude_none=True)
    typed = manuscript_of(told, "body")
    return WebPassage(
        draft=typed if given is None else joined(given.manuscript, typed),
        passage=body.text,
        offset=body.offset,
        text=None if given is None else given.text,
        line=body.line,
        most=body.most,
        k=body.k,
        as_of=body.as_of,
    )


def _cite(asked: WebPassage, told: Mapping[str, object], opened: Opened) -> Reply:
    answer = answered_here(opened, asked)
    record = local_record(answer, keys_of(answer)) | {"index": opened.name}
    return Reply(record, digest_of(opened.fingerprint, {"citations": told}))
