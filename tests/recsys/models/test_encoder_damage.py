"""Encoders whose files were changed are refused when they are loaded."""

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, processors

from recsys.errors import ArtifactCorrupt
from recsys.models.encoder import load_tokenizer


def test_a_tokenizer_that_panics_is_refused(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1, "[SEP]": 2}, unk_token="[UNK]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A [SEP]", pair="$A [SEP] $B [SEP]", special_tokens=[("[SEP]", 2)]
    )
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer.to_str())
    load_tokenizer(path, 16)
    value = json.loads(tokenizer.to_str())
    value["post_processor"]["special_tokens"]["[SEQ]"] = value["post_processor"][
        "special_tokens"
    ].pop("[SEP]")
    path.write_text(json.dumps(value))
    with pytest.raises(ArtifactCorrupt, match="is not a tokenizer"):
        load_tokenizer(path, 16)
