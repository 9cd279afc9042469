"""Read works alone: what a draft cites, without the draft."""

from pathlib import Path

from recsys.formats.files import decode_or_guess, display_name
from recsys.formats.references.reference_formats import parse_bibliography
from recsys.records import Manuscript


def read(raw: bytes, path: Path) -> Manuscript:
    """Read a bibliography of any format as the references of a draft without text."""
    name = display_name(path)
    text, note = decode_or_guess(raw, name)
    found = parse_bibliography(text, name)
    notes = (note, *found.problems) if note else found.problems
    return Manuscript(references=found.references, notes=notes, details=found.details)
