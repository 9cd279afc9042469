"""A draft that was written to be read: its files, and what a reader must find in them."""

from collections.abc import Mapping
from dataclasses import dataclass

BIB = """
@article{lichen2001, author={Moss, Ivy and Fern, Otto}, title={Lichen clocks on city walls},
  journal={Journal of Slow Growth}, year={2001}}
@inproceedings{tide2010, author={Strand, Mia}, title={Reading tide tables backwards},
  booktitle={Proceedings of Shores}, year={2010}}
@book{bell1999, author={Tower, Hal}, title={Bells without ropes}, year={1999}}
@misc{rope2015, author={Knot, Lea}, title={A rope is a rumour}, year={2015}}
"""
KEYS = ("lichen2001", "tide2010", "bell1999", "rope2015")


@dataclass(frozen=True, slots=True)
class WrittenDraft:
    """A draft, and what it says; what is None is not judged.

    part: of the drafts in the wild. name: in what way it is written. files: by name; what is given
    to the reader is `draft`. keys, cited: the keys and the titles of the works that it cites, in any
    order. told: what the notes must hold, each in some line.
    """

    part: str
    name: str
    files: Mapping[str, str | bytes]
    draft: str = "paper.tex"
    title: str | None = None
    abstract: str | None = None
    authors: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    cited: tuple[str, ...] | None = None
    told: tuple[str, ...] = ()
