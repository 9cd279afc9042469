"""Turn a piece of a LaTeX draft into text, with what the draft itself defines."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recsys.formats.latex.latex_acronyms import Term, spelt_out, terms
from recsys.formats.latex.latex_citations import without_citations
from recsys.formats.latex.latex_definitions import Definition, definitions, expand
from recsys.formats.latex.latex_text import plain


@dataclass(frozen=True, slots=True)
class Words:
    """What a draft's own commands and acronyms stand for."""

    macros: Mapping[str, Definition] = field(default_factory=dict)
    terms: Mapping[str, Term] = field(default_factory=dict)

    def expanded(self, latex: str) -> str:
        """Put what they stand for in place of commands and acronyms."""
        return expand(spelt_out(expand(latex, self.macros), self.terms), self.macros)

    def text(self, latex: str) -> str:
        """Return the text of a piece, without its citations."""
        return plain(without_citations(self.expanded(latex)))


def words_of(source: str) -> Words:
    """Collect what a source defines."""
    return Words(definitions(source), terms(source))
