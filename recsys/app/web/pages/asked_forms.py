"""A form that was sent, with its files: what it asks, in the terms of the library."""

from dataclasses import dataclass, replace
from functools import partial

from starlette.requests import Request
from starlette.responses import HTMLResponse

from recsys.app.web.door.form_reading import Sent, read_form
from recsys.app.web.given.given_files import read_given_list, read_given_text
from recsys.app.web.given.given_text import GivenDraft, GivenText, pack, unpack
from recsys.app.web.pages import page_contents, page_writing
from recsys.app.web.pages.form_fields import FormFields
from recsys.app.web.problem_details import problem_of
from recsys.app.web.put_question import WebQuestion, joined, posed
from recsys.app.web.service import Service
from recsys.app.web.shelf import Opened
from recsys.errors import RecsysError
from recsys.query.question import Question
from recsys.records import Bibliography

FILE, LIBRARY_FILE = "file", "library_file"
"""Fields of the form that hold files."""
TOO_LONG = (
    "The draft is too long for its sentences to stay with this page: give its file again for them."
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A form that was sent: its fields, and what its files say.

    text: the sentences of the draft, from a file or from the form.
    """

    fields: FormFields
    given: GivenDraft | None = None
    library: Bibliography | None = None
    text: GivenText | None = None

    @classmethod
    async def of(cls, sent: Sent, service: Service) -> "Asked":
        """Read the files that were sent.

        Raises:
            InputError: one cannot be read.
        """
        drafts, libraries = sent.files.get(FILE), sent.files.get(LIBRARY_FILE)
        fields = FormFields.read(sent.pairs)
        given = await service.read(partial(read_given_text, drafts)) if drafts else None
        return cls(
            fields,
            given,
            await service.read(partial(read_given_list, libraries)) if libraries else None,
            unpack(fields.text) if given is None else given.text,
        )

    def empty(self) -> bool:
        """Tell whether nothing is asked of whole drafts."""
        return self.fields.empty() and self.given is None

    def understood(self, opened: Opened) -> tuple[WebQuestion, Question, FormFields]:
        """Find the papers that are named, and say all of it in the fields of the form."""
        fields = self.fields
        typed, lists = fields.manuscript(), fields.lists()
        if self.library is not None:
            references = (*lists.library.references, *self.library.references)
            lists = replace(lists, library=Bibliography(references, self.library.problems))
        web = WebQuestion(
            draft=typed if self.given is None else joined(self.given.manuscript, typed),
            lists=lists,
            filters=fields.filters(),
            as_of=fields.year(),
            diversity=fields.diversity(),
        )
        question = posed(opened, web)
        text = fields.text if self.given is None else pack(self.text)
        return web, question, replace(fields, index=opened.name, text=text).understood_as(question)

    def notes(self, fields: FormFields) -> tuple[str, ...]:
        """Say what of the draft the fields of its answer could not hold."""
        return (TOO_LONG,) if self.text is not None and not fields.text else ()


async def sent_form(request: Request) -> Sent:
    """Read a form, or the fields that an address holds.

    Raises:
        RequestError: it cannot be read.
    """
    if request.method == "POST":
        return await read_form(request)
    return Sent(request.query_params.multi_items())


def refused(service: Service, fields: FormFields, error: RecsysError) -> HTMLResponse:
    """Say above the form, filled as it was, why there is no answer."""
    problem = problem_of(error)
    site = page_contents.site_of(service, fields.index)
    form = page_contents.form_of(replace(fields, library="", text=""))
    headers = {} if problem.wait is None else {"retry-after": str(problem.wait)}
    return HTMLResponse(page_writing.ask(site, form, problem), problem.status, headers)
