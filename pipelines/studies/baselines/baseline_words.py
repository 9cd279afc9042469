"""How baselines read a text, and what is said where there is too little to read."""

from collections import Counter
from collections.abc import Sequence

from recsys.errors import InputError
from recsys.models.encoder import Text
from recsys.store.words import tokens


def words(text: Text) -> list[str]:
    """Split title and abstract into words, folded and singular, stop words left out, in order."""
    title, abstract = text
    return [*tokens(title), *tokens(abstract)]


def check_words(texts: Sequence[Sequence[str]], least: int) -> None:
    """Raise InputError where no word is in the texts so many times."""
    if max(Counter(word for text in texts for word in text).values(), default=0) < least:
        raise too_few_words(len(texts))


def too_few_words(papers: int) -> InputError:
    """Make the error for papers whose words tell nothing."""
    return InputError(
        f"The {papers:,} papers that may be learned from have too few words in common.",
        "Give more papers, or papers with abstracts.",
    )
