"""Write the feature table of stage two."""

from docs.made.tables import code, table, words
from recsys.ranking.features import ANY_CORPUS, AUTHORS, FEATURES, NNSELECT, Feature


def features() -> str:
    """Write a row for each feature, in order."""
    rows = [
        (code(each.name), words(each.meaning), words(each.unit), _reads(each)) for each in FEATURES
    ]
    header = ("name", "meaning", "unit", "reads")
    return f"{len(FEATURES)} features, in the order of the columns:\n\n{table(header, rows)}"


def _reads(feature: Feature) -> str:
    read = {
        "NNSelect": feature.group == NNSELECT,
        "metadata": feature.group == AUTHORS,
        "links": feature.reads_links,
        "any corpus": feature.group == ANY_CORPUS,
    }
    return ", ".join(name for name, reads in read.items() if reads)
