"""References that are checked: the list that somebody sends, and the page of what was found."""

import json
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from recsys.app.web.form_fields import FormFields
from recsys.app.web.index_registry import OpenIndex
from recsys.app.web.kept_questions import KeptQuestion
from recsys.app.web.page_routes import KeptAnswer, home, see
from recsys.app.web.page_writing import AnswerAddress, form_of, render, site_of
from recsys.app.web.questions import MOST_CHECKED, checked_in
from recsys.app.web.replies import problem_of
from recsys.app.web.service import Service, service_of
from recsys.app.web.uploads import SentForm, UploadedFile, read_form
from recsys.errors import InputError, RecsysError
from recsys.formats.check_formats import by_gravity
from recsys.formats.references.bibliography import record_of, work_of
from recsys.records import Bibliography

DRAFTS = (
    ".tex", ".pdf", ".zip", ".md", ".qmd", ".rmd", ".rnw", ".typ", ".org", ".docx", ".odt",
    ".ipynb",
)  # fmt: skip
"""How the names of drafts end, whose references are checked."""


async def ask_check(request: Request) -> Response:
    """Read the references of a bibliography or a draft, keep them, and lead to what was found."""
    service, sent = service_of(request), await read_form(request)
    fields = FormFields.read(sent.pairs)
    if request.method == "GET" and not fields.pasted:
        return await home(request, tab="/check")
    try:
        listed = await _listed(sent, fields, service)
        records = json.dumps([record_of(each) for each in listed.references], ensure_ascii=False)
        kept = KeptQuestion(
            fields=FormFields(index=fields.index), notes=listed.problems, listed=records
        )
    except RecsysError as error:
        kept = KeptQuestion(fields=replace(fields, text=""), problem=problem_of(error))
    return see(AnswerAddress(service.keep(kept)).to("/check"))


async def _listed(sent: SentForm, fields: FormFields, service: Service) -> Bibliography:
    """Read what was sent as a list of references, else as a draft that has some.

    Raises:
        InputError: there are none, or more than the page takes.
    """
    files = list(sent.files.get("file", []))
    if fields.pasted.strip():
        files.append(UploadedFile("references.bib", fields.pasted.encode("utf-8", "replace")))
    if not files:
        raise InputError("No references were given.", "Drop a bibliography, or paste it.")
    drafts = any(file.name.lower().endswith(DRAFTS) for file in files)
    if drafts:
        upload = await service.read_draft(files, sentences=False)
        listed = Bibliography(upload.manuscript.references, upload.manuscript.notes)
    else:
        listed = await service.read_lists(files)
    if not listed.references:
        raise InputError("No references were found in it.", "Give a bibliography, such as a .bib.")
    if len(listed.references) > MOST_CHECKED:
        what = f"It holds {len(listed.references):,} references."
        hint = f"The page checks {MOST_CHECKED:,} at most; `recsys check` has no limit."
        raise InputError(what, hint)
    return listed


def check(service: Service, answered: KeptAnswer, opened: OpenIndex) -> str:
    """Show what was found out about the references of a list."""
    references = list(map(work_of, json.loads(answered.kept.listed or "[]")))
    report = checked_in(opened, references, answered.kept.notes)
    return render(
        "checked",
        site_of(service, opened.name),
        report=report,
        items=by_gravity(report),
        at=answered.address,
        form=form_of(answered.fields, opened),
    )
