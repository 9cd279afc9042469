"""An encoder that learns to tell the classes of papers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, normalize

from recsys.pipelines.studies.finetuning.tower import Batch, Learner, Texts, Tower
from recsys.pipelines.studies.journal.journal_papers import ClassPapers
from recsys.store.arrays import Floats, Longs, Rows

TEMPERATURE = 0.1
"""What cosines are divided by before the softmax. Of 0.05, 0.1 and 0.2 it helped most with journals
that the encoder had not seen (jpl_labels, seeds 0 and 1); 0.05 told seen ones better."""
MEASURE = "accuracy"


class Classifier(Learner):
    """Gives each class the cosine of its direction and the text's vector, over TEMPERATURE.

    Unlike MIReAD's layer of inner products it looks at what an index compares, the angle alone.
    """

    def __init__(self, tower: Tower, directions: Floats) -> None:
        """Put directions, (classes, d) float32, on top of an encoder."""
        super().__init__()
        self.tower = tower
        self.directions = nn.Parameter(torch.from_numpy(directions))

    def forward(self, some: Sequence[Batch]) -> Tensor:
        """Compute the logits of the classes: (texts of all batches, classes) float32."""
        vectors = self.tower(some)
        with torch.autocast(vectors.device.type, enabled=False):
            return self.logits(normalize(vectors, dim=1))

    def logits(self, unit: Tensor) -> Tensor:
        """Compare vectors of length 1 with the classes."""
        return unit @ normalize(self.directions, dim=1).T / TEMPERATURE


@dataclass(frozen=True, slots=True)
class JournalTask:
    """Implements `finetuning.training.Task`. texts: of the papers, by row."""

    learner: Classifier
    texts: Texts
    papers: ClassPapers

    @classmethod
    def start(cls, tower: Tower, texts: Texts, papers: ClassPapers) -> "JournalTask":
        """Give each class the mean of its papers' vectors as its direction.

        Few papers would teach directions that are drawn by chance little more than this. Before the
        first step, dev shows how well the untrained encoder tells classes by their means.
        """
        vectors = texts.vectors(tower, papers.learned)
        means = class_means(vectors, papers.labels[papers.learned], len(papers.names))
        return cls(Classifier(tower, means).to(texts.device), texts, papers)

    def examples(self, rng: np.random.Generator) -> Rows:
        """Shuffle the papers that are learned from: (n, 1) int32 rows."""
        return rng.permutation(self.papers.learned)[:, None]

    def loss(self, network: nn.Module, examples: Rows) -> Tensor:
        """Average -log of the softmax at the class of each paper."""
        rows = examples[:, 0]
        labels = torch.from_numpy(self.papers.labels[rows]).to(self.texts.device)
        return cross_entropy(self.texts.through(network, rows), labels)

    def measure(self) -> list[float]:
        """Compute the accuracy on dev, and the macro-average of F1."""
        from sklearn.metrics import f1_score

        labels, told = self.papers.labels[self.papers.dev], self.told(self.papers.dev)
        macro_f1 = f1_score(labels, told, average="macro", zero_division=0)
        return [float(np.mean(labels == told)), float(macro_f1)]

    @torch.no_grad()
    def told(self, rows: Rows) -> Longs:
        """Tell the classes of papers: (len(rows),) int64."""
        vectors = self.texts.vectors(self.learner.tower, rows)
        logits = self.learner.logits(torch.from_numpy(vectors).to(self.texts.device))
        return logits.argmax(dim=1).cpu().numpy()


def class_means(vectors: Floats, labels: Longs, count: int) -> Floats:
    """Average the vectors of each class: (count, d) float32."""
    sums = np.zeros((count, vectors.shape[1]))
    np.add.at(sums, labels, vectors)
    sizes = np.bincount(labels, minlength=count)
    means: Floats = (sums / np.maximum(sizes, 1)[:, None]).astype(np.float32)
    return means
