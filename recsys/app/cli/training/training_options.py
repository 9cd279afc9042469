"""Options that mean the same in every command that trains."""

from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from recsys.app.cli.declarations import Option
from recsys.app.cli.options import Device

if TYPE_CHECKING:
    from recsys.pipelines.studies.encoders.tower import LoraOptions

Numbers: TypeAlias = Literal["auto", "f32", "bf16"]
"""In which numbers products are computed."""
From: TypeAlias = Annotated[
    str,
    Option(
        "--from",
        metavar="NAME",
        help="`minilm`, `random`, a Hugging Face name, or a local directory to start from.",
    ),
]
Adapter: TypeAlias = Annotated[
    int,
    Option(
        "--adapter",
        metavar="RANK",
        min=0,
        help="Train a low-rank adapter and leave the encoder's own weights; 0 trains all weights.",
    ),
]
Dropout: TypeAlias = Annotated[
    float, Option("--dropout", min=0.0, max=0.99, help="Share of values left out.")
]
MaxLength: TypeAlias = Annotated[
    int | None,
    Option(
        "--max-length",
        metavar="TOKENS",
        show_default="the encoder's own",
        help="Training cuts texts to so many tokens; shorter ones train faster.",
    ),
]
StepsAtMost: TypeAlias = Annotated[
    int | None, Option("--steps", min=1, help="Steps at most.", show_default="all")
]
MaxMinutes: TypeAlias = Annotated[
    float | None,
    Option(
        "--max-minutes",
        min=0.0,
        show_default="none",
        help="Stop after so many minutes; the same command continues.",
    ),
]
InNumbers: TypeAlias = Annotated[
    Numbers,
    Option("--precision", help="Numbers to compute in; auto is bf16 on a GPU, else f32."),
]
OnDevice: TypeAlias = Annotated[
    Device, Option("--device", help="Where to compute; auto takes a GPU if there is one.")
]


def half(numbers: Numbers) -> bool | None:
    """Whether to compute in bf16; None lets the device decide."""
    return None if numbers == "auto" else numbers == "bf16"


def lora(rank: int) -> "LoraOptions | None":
    """Describe an adapter of this rank; 0: there is none."""
    from recsys.pipelines.studies.encoders.tower import LoraOptions

    return LoraOptions(rank, 2.0 * rank) if rank else None
