"""The columns in which papers are stored, and travel until then."""

import pyarrow as pa

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("title", pa.string()),
        ("abstract", pa.string()),
        ("year", pa.int16()),
        ("authors", pa.list_(pa.string())),
        ("venue", pa.string()),
        ("references", pa.list_(pa.string())),
        ("keyphrases", pa.list_(pa.string())),
        ("doi", pa.string()),
        ("url", pa.string()),
        ("labels", pa.string()),  # a JSON object
        ("aliases", pa.list_(pa.string())),
    ]
)
