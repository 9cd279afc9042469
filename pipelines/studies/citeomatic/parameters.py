"""The parameters that tuning chooses: the table of what is tried, and the file that holds a choice.

The values are those of the paper's tables 6 and 7, but for the pretrained vectors, which need a
file, and NNRank's usual rate, which is added.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from recsys.errors import InputError, near_miss
from recsys.models.nnrank import RankShape
from recsys.pipelines.studies.citeomatic.network_training import LoopOptions
from recsys.pipelines.studies.citeomatic.rank_task import RankOptions
from recsys.pipelines.studies.citeomatic.towers import Penalty
from recsys.pipelines.studies.citeomatic.train_nnrank import NNRankOptions
from recsys.pipelines.studies.citeomatic.train_nnselect import NNSelectOptions
from recsys.store.artifacts import write_json

SCHEMA = "recsys.parameters/1"
Parameters = Mapping[str, float]


class Model(StrEnum):
    """What is tuned."""

    NNSELECT = "nnselect"
    NNRANK = "nnrank"


@dataclass(frozen=True, slots=True)
class Choice:
    """A parameter and what is tried, in order, so that neighbours are alike."""

    name: str
    meaning: str
    values: tuple[float, ...]
    models: tuple[Model, ...] = tuple(Model)


_PENALTIES = (0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)

SPACE: tuple[Choice, ...] = (
    Choice("rate", "learning rate", (1e-5, 1e-4, 5e-4, 1e-3, 1e-2, 1e-1)),
    Choice("l1", "penalty of magnitudes and of shared words", _PENALTIES),
    Choice("l2", "penalty of directions", _PENALTIES),
    Choice("dropout", "share of words left out", tuple(step / 20 for step in range(16))),
    Choice("gamma", "what margins are multiplied with", (0.5, 0.75, 1, 1.25, 1.5)),
    Choice("dim", "length of the vectors of words", tuple(range(25, 326, 25))),
    Choice(
        "metadata_dim",
        "length of the vectors of authors, venues and keyphrases",
        tuple(range(5, 56, 5)),
        (Model.NNRANK,),
    ),
)


def space_of(model: Model, *, metadata: bool = True) -> tuple[Choice, ...]:
    """Choose what is tried for a model."""
    chosen = (choice for choice in SPACE if model in choice.models)
    return tuple(each for each in chosen if metadata or each.name != "metadata_dim")


def usual(model: Model, *, metadata: bool = True) -> Parameters:
    """Return what a model is trained with where nothing is tuned; all of it is in the space."""
    values: dict[str, float]
    if model is Model.NNSELECT:
        select = NNSelectOptions()
        penalty, loop, own = select.model.penalty, select.loop, select.model
        values = {"dim": own.dim, "dropout": own.dropout, "gamma": own.margins.gamma}
    else:
        rank = NNRankOptions()
        size, loop, chosen = rank.model.size, rank.loop, rank.model
        penalty = size.penalty
        values = {"dim": size.words, "dropout": chosen.dropout, "gamma": chosen.margins.gamma}
        values["metadata_dim"] = size.metadata
    values |= {"rate": loop.rate, "l1": penalty.l1, "l2": penalty.l2}
    return {choice.name: values[choice.name] for choice in space_of(model, metadata=metadata)}


def rank_options(loop: LoopOptions, *, separate: bool, metadata: bool) -> NNRankOptions:
    """Put together what is chosen beside the parameters."""
    model = RankOptions(shape=RankShape(separate=separate))
    return NNRankOptions(model, loop, metadata=metadata)


def with_select(options: NNSelectOptions, values: Parameters) -> NNSelectOptions:
    """Replace what the parameters name."""
    model = options.model
    if "dim" in values:
        model = replace(model, dim=int(values["dim"]))
    model = replace(
        model,
        dropout=values.get("dropout", model.dropout),
        penalty=_penalty(model.penalty, values),
        margins=replace(model.margins, gamma=values.get("gamma", model.margins.gamma)),
    )
    loop = replace(options.loop, rate=values.get("rate", options.loop.rate))
    return replace(options, model=model, loop=loop)


def with_rank(options: NNRankOptions, values: Parameters) -> NNRankOptions:
    """Replace what the parameters name."""
    model = options.model
    size = replace(
        model.size,
        words=int(values.get("dim", model.size.words)),
        metadata=int(values.get("metadata_dim", model.size.metadata)),
        penalty=_penalty(model.size.penalty, values),
    )
    model = replace(
        model,
        size=size,
        dropout=values.get("dropout", model.dropout),
        margins=replace(model.margins, gamma=values.get("gamma", model.margins.gamma)),
    )
    loop = replace(options.loop, rate=values.get("rate", options.loop.rate))
    return replace(options, model=model, loop=loop)


def _penalty(penalty: Penalty, values: Parameters) -> Penalty:
    return Penalty(values.get("l1", penalty.l1), values.get("l2", penalty.l2))


def write_parameters(path: Path, model: Model, values: Parameters, facts: object) -> None:
    """Write a choice; facts: what it was chosen by."""
    value = {"schema": SCHEMA, "model": model.value, "parameters": dict(values), "chosen": facts}
    write_json(path, value)


def read_parameters(path: Path | None, model: Model) -> Parameters:
    """Read what a search chose for a model; None: nothing.

    Raises:
        InputError: missing, not JSON, of another shape, for the other model, or with a parameter
            that the model does not have.
    """
    if path is None:
        return {}
    value = _load(path)
    found = value.get("parameters")
    if value.get("schema") != SCHEMA or not isinstance(found, dict):
        raise InputError(f"{path} holds no parameters of {SCHEMA!r}.", _AGAIN.format(model))
    if value.get("model") != model:
        raise InputError(
            f"{path} holds parameters of {value.get('model')!r}, not {model.value!r}.",
            _AGAIN.format(model),
        )
    names = [choice.name for choice in space_of(model)]
    for name, each in found.items():
        if name not in names:
            raise InputError(
                f"{path}: {model.value} has no parameter {name!r}.{near_miss(name, names)}",
                f"The parameters are {', '.join(names)}.",
            )
        if isinstance(each, bool) or not isinstance(each, int | float) or each < 0:
            raise InputError(f"{path}: {name} is {each!r}.", "Give a number that is not negative.")
    return {name: float(each) for name, each in found.items()}


_AGAIN = "Give the parameters.json that `recsys study tune-{}` wrote."


def _load(path: Path) -> Mapping[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}).", "Give a file.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON ({error}).", "Give a JSON file.") from error
    return value if isinstance(value, dict) else {}
