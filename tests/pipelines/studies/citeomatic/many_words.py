"""Papers whose words must be learned: those of a topic share few of them, yet cite each other."""

import numpy as np

from tests.pipelines.small_index import TOPICS, YEARS

WORDS_OF_A_TOPIC = 12


def papers_of_many_words() -> list[dict[str, object]]:
    """Ids, years and citations as `invented_papers`; words drawn from a dozen of the topic."""
    rng = np.random.default_rng(0)
    letters = "abcdefghijkl"
    papers: list[dict[str, object]] = []
    for age in range(YEARS):
        for topic in TOPICS:
            words = [f"{topic[:4]}{letters[i]}" for i in rng.integers(0, WORDS_OF_A_TOPIC, 7)]
            papers.append(
                {
                    "id": f"{topic}-{age:02}",
                    "title": " ".join(words[:2]),
                    "abstract": " ".join(["study", *words[2:]]),
                    "year": 2000 + age,
                    "references": [f"{topic}-{age - back:02}" for back in (1, 2, 3) if age >= back],
                }
            )
    return papers
