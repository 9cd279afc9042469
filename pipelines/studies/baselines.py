"""The baselines that encoders are compared with, in one literal table, and how one is fit.

- random vectors: what every measure says of an encoder that knows nothing;
- TF-IDF and truncated SVD: latent semantic analysis (Deerwester et al. 1990);
- NNSelect: Citeomatic's first stage, as `recsys train nnselect` left it in an index;
- fastText: sums of the vectors of words and of their n-grams of letters (Bojanowski et al. 2017);
- SIF: averages of these, frequent words weighing less (Arora, Liang and Ma 2017);
- SGC: SIF's vectors, spread along citations (Wu et al. 2019);
- Doc2Vec: paragraph vectors, the distributed bag of words, PV-DBOW (Le and Mikolov 2014).
"""

import hashlib
import json
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from recsys.errors import InputError, LeakageError, check_name, near_miss, need
from recsys.models.encoder import SeenQueries, Text, digests
from recsys.models.nnselect import COMMAND, NNSelectModel, unit_rows
from recsys.pipelines.corpora.query_years import PARTS
from recsys.pipelines.evaluation.splits import Split
from recsys.pipelines.index.paper_rows import texts_in
from recsys.protocols import Encoder, Progress, silent
from recsys.store.arrays import Floats, Mask, Ragged
from recsys.store.artifacts import CORPUS, NNSELECT, fingerprint
from recsys.store.collection import Collection
from recsys.store.corpus import Corpus
from recsys.store.generations import pin
from recsys.store.graph import UNKNOWN_YEAR
from recsys.store.words import tokens

if TYPE_CHECKING:
    from gensim.models import Doc2Vec
    from gensim.models.callbacks import CallbackAny2Vec
    from gensim.models.fasttext import FastTextKeyedVectors


_BATCH = 512


@dataclass(frozen=True, slots=True)
class Material:
    """Papers by row, and what may be read of them.

    texts: (title, abstract or None) of all n papers. known: (n,) the papers that may be learned
    from. cites: row -> cited rows, without the references of queries; None: nothing is known of
    citations. index: where a trained NNSelect lies. asked: part of the split -> digests of its
    queries, by which a model tells whether it has seen them.
    """

    texts: Sequence[Text]
    known: Mask
    cites: Ragged | None = None
    index: Path | None = None
    asked: Mapping[str, frozenset[bytes]] = field(default_factory=dict)

    @property
    def learned(self) -> list[Text]:
        """The texts that may be learned from, by ascending row."""
        return [self.texts[row] for row in np.flatnonzero(self.known).tolist()]

    def fingerprint(self) -> str:
        """Hash texts, what is known, and citations: 16 hex digits."""
        digest = hashlib.sha256()
        for text in self.texts:
            digest.update(json.dumps(text).encode())
        digest.update(np.packbits(self.known).tobytes())
        if self.cites is not None:
            digest.update(np.asarray(self.cites.starts).tobytes())
            digest.update(np.asarray(self.cites.values).tobytes())
        return digest.hexdigest()[:16]


def material_of(collection: Collection, split: Split | None) -> Material:
    """Read an open index; with a split, as its train queries could have read it.

    Learned from are the papers not newer than the newest train query. The references of all
    queries, of every part, are hidden. A citation counts if its paper could know the cited one:
    of known year, and not newer.
    """
    graph, folder = collection.graph, collection.corpus.folder
    parts = {} if split is None else {name: getattr(split, name) for name in PARTS}
    rows = {name: collection.corpus.rows(ids) for name, ids in parts.items()}
    queries = np.concatenate([np.empty(0, np.int32), *rows.values()])
    years = np.asarray(graph.years)
    owner, cited = graph.cites.take(np.arange(len(graph.cites), dtype=np.int32))
    counts = (years[cited] != UNKNOWN_YEAR) & (years[cited] <= years[owner])
    counts &= ~np.isin(owner, queries)
    known = np.ones(len(collection.corpus), bool)
    if split is not None:
        newest = years[collection.corpus.rows(split.part("train"))].max()
        known = (years != UNKNOWN_YEAR) & (years <= newest)
    return Material(
        texts_in(collection.corpus),
        known,
        Ragged.from_pairs(owner[counts], cited[counts], len(graph.cites)),
        folder.parent,
        {name: frozenset(digests(collection, each)) for name, each in rows.items()},
    )


def material_of_corpus(corpus: Corpus) -> Material:
    """Read all papers of a corpus, and nothing of what they cite."""
    return Material(texts_in(corpus), np.ones(len(corpus), bool))


@dataclass(frozen=True, slots=True)
class TextEncoder:
    """Implements `recsys.protocols.Encoder`. vectors: of texts, (n, d) float32 of any length."""

    dim: int
    fingerprint: str
    vectors: Callable[[Sequence[Text]], Floats]

    def encode(self, texts: Sequence[Text]) -> Floats:
        """Encode texts: (n, d) float32, unit rows or zero."""
        return unit_rows(self.vectors(texts))


@dataclass(frozen=True, slots=True)
class Fitted:
    """A baseline that has learned.

    encoder: of any text; a text of which it knows nothing becomes zero. vectors: (n, d) float32,
    of the material's papers by row, unit rows or zero. size: bytes of the numbers that it stores.
    """

    encoder: Encoder
    vectors: Floats
    size: int


def encode_all(encoder: Encoder, texts: Sequence[Text], progress: Progress) -> Floats:
    """Encode texts a batch at a time: (n, d) float32."""
    vectors = np.empty((len(texts), encoder.dim), np.float32)
    progress("encoding papers", 0, len(texts))
    for begin in range(0, len(texts), _BATCH):
        batch = texts[begin : begin + _BATCH]
        vectors[begin : begin + len(batch)] = encoder.encode(batch)
        progress("encoding papers", begin + len(batch), len(texts))
    return vectors


LEAST_TIMES, SAMPLE = 3, 1e-4
"""Of a word in all texts, as in SPECTER's appendix A; more frequent words are thinned out: its
1e-5, for a far larger corpus, leaves little of short texts."""
WORD_EPOCHS, WORD_RATE, PARAGRAPH_EPOCHS = 10, 0.1, 50
"""Passes over all texts, and the learning rate; those of paragraphs as in SPECTER's appendix A."""
LETTERS, BUCKETS = 4, 100_000
"""Length of the n-grams, and how many vectors they share. On papers of visualization, n-grams of 3
to 6 letters find no more and cost 1.7 times the time; gensim's two million vectors are 2.4 GB."""
A = 1e-3
"""SIF's a: a word that makes up so much of the texts weighs half as much as a rare one."""
STEPS = 2
"""How often SGC mixes a vector with those of what its paper cites."""

Shares: TypeAlias = NDArray[np.float64]


def words(text: Text) -> list[str]:
    """Split title and abstract into words, folded and singular, stop words left out, in order."""
    title, abstract = text
    return [*tokens(title), *tokens(abstract)]


def too_few_words(papers: int) -> InputError:
    """Make the error for papers whose words tell nothing."""
    return InputError(
        f"The {papers:,} papers that may be learned from have too few words in common.",
        "Give more papers, or papers with abstracts.",
    )


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Vectors of words, and of n-grams of letters that make up those of unknown words.

    shares: how much of the texts each known word makes up.
    """

    keyed: "FastTextKeyedVectors"
    shares: Shares

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.keyed.vector_size)

    @property
    def size(self) -> int:
        """Bytes of the numbers."""
        keyed = self.keyed
        return int(keyed.vectors.nbytes + keyed.vectors_ngrams.nbytes + self.shares.nbytes)

    def averages(self, texts: Sequence[Text], weigh: Callable[[Shares], NDArray[Any]]) -> Floats:
        """Average the weighted vectors of each text's words: (n, d) float32, zero without words.

        weigh: gives the weights of words by their shares; that of an unknown word is 0.
        """
        rows, place = np.zeros((len(texts), self.dim), np.float32), self.keyed.key_to_index
        for row, text in enumerate(texts):
            if found := words(text):
                vectors = np.array([self.keyed.get_vector(word) for word in found])
                known = [self.shares[place[word]] if word in place else 0.0 for word in found]
                rows[row] = weigh(np.array(known)) @ vectors / len(found)
        return rows


_LEARNED: dict[tuple[str, int, int], WordVectors] = {}
"""The last two: several baselines are made of the same, of two corpora in turns."""


def learned_words(material: Material, dim: int, seed: int, progress: Progress) -> WordVectors:
    """Learn word vectors by the texts that may be learned from, unless that was done just now.

    Raises:
        MissingExtraError: gensim is not installed.
        InputError: no word is in the papers often enough.
    """
    key = (material.fingerprint(), dim, seed)
    texts = _texts(material)
    if key not in _LEARNED:
        from gensim.models import FastText

        model = FastText(
            texts, sg=1, vector_size=dim, epochs=WORD_EPOCHS, alpha=WORD_RATE, sample=SAMPLE,
            min_count=LEAST_TIMES, min_n=LETTERS, max_n=LETTERS, bucket=BUCKETS, workers=1,
            seed=seed, callbacks=[_shown_epochs(progress, WORD_EPOCHS)],
        )  # fmt: skip
        counts = [model.wv.get_vecattr(word, "count") for word in model.wv.index_to_key]
        while len(_LEARNED) > 1:
            del _LEARNED[next(iter(_LEARNED))]
        _LEARNED[key] = WordVectors(model.wv, np.array(counts) / sum(map(len, texts)))
    return _LEARNED[key]


def _texts(material: Material) -> list[list[str]]:
    """Split what may be learned from into words, of which one must be frequent enough."""
    need("gensim", "This baseline")
    texts = [words(text) for text in material.learned]
    if max(Counter(word for text in texts for word in text).values(), default=0) < LEAST_TIMES:
        raise too_few_words(len(texts))
    return texts


def _shown_epochs(progress: Progress, epochs: int) -> "CallbackAny2Vec":
    """Report every epoch of a training."""
    from gensim.models.callbacks import CallbackAny2Vec

    class Shown(CallbackAny2Vec):  # type: ignore[misc]  # gensim has no types.
        done = 0

        def on_epoch_end(self, model: object) -> None:
            self.done += 1
            progress("learning words", self.done, epochs)

    progress("learning words", 0, epochs)
    return Shown()


def fit_words(
    material: Material,
    dim: int,
    seed: int,
    fingerprint: str,
    progress: Progress,
    *,
    weighed: bool = True,
) -> Fitted:
    """Learn word vectors, and with weights, the first principal component of the texts' averages.

    Raises:
        MissingExtraError: gensim is not installed.
        InputError: no word is in the papers often enough.
    """
    found = learned_words(material, dim, seed, progress)
    if weighed:
        common = first_component(found.averages(material.learned, weights))
        encoder, size = sif(found, common, fingerprint), found.size + common.nbytes
    else:
        equal = partial(found.averages, weigh=np.ones_like)
        encoder, size = TextEncoder(found.dim, fingerprint, equal), found.size
    return Fitted(encoder, encode_all(encoder, material.texts, progress), size)


def sif(found: WordVectors, common: Floats, fingerprint: str) -> TextEncoder:
    """Average the weighted words of texts, less the (d,) direction that all texts share."""
    return TextEncoder(
        found.dim, fingerprint, lambda texts: without(found.averages(texts, weights), common)
    )


def weights(shares: Shares) -> Floats:
    """Weigh words by their share of all words, p: a / (a + p) (Arora et al. 2017, algorithm 1)."""
    return (A / (A + shares)).astype(np.float32)


def first_component(vectors: Floats) -> Floats:
    """Find the unit vector along which (n, d) vectors are longest, their mean not subtracted."""
    exact = vectors.astype(np.float64)
    return np.asarray(np.linalg.eigh(exact.T @ exact)[1][:, -1], np.float32)


def without(vectors: Floats, direction: Floats) -> Floats:
    """Subtract the projection on a unit vector from each row (Arora et al. 2017, algorithm 1)."""
    return vectors - np.outer(vectors @ direction, direction)


def fit_sgc(
    material: Material, dim: int, seed: int, fingerprint: str, progress: Progress
) -> Fitted:
    """Fit SIF, and mix each paper's vector with those of what it cites.

    A text that is no paper of the material has no citations, nor has a query, whose references are
    hidden: their vectors are SIF's. Without citations all are.
    """
    fitted = fit_words(material, dim, seed, fingerprint, progress)
    if material.cites is None:
        return fitted
    return replace(fitted, vectors=unit_rows(propagate(fitted.vectors, material.cites, STEPS)))


def propagate(features: Floats, cites: Ragged, steps: int) -> Floats:
    """Average each row with the rows that it cites, so many times: (n, d) float32.

    S^k X (Wu et al. 2019, section 2.2), where S holds citations and self-loops, its rows divided
    by their sums. The paper's S is symmetric; here nothing flows from a citing paper to a cited
    one, which is the older: a paper's vector depends on nothing that came after it.

    Args:
        features: (n, d) float32, X.
        cites: row -> cited rows.
        steps: k.
    """
    for _ in range(steps):
        groups = (np.append(cites[row], row) for row in range(len(features)))
        features = np.array([features[group].mean(axis=0) for group in groups])
    return features


def inferred(model: "Doc2Vec", texts: Sequence[Text]) -> Floats:
    """Infer a vector that predicts each text's words: (n, d) float32, zero where none is known.

    Chance depends on the text alone: gensim's own inference goes on with what it has drawn for
    earlier texts, and starts from a hash of Python's, which another process does not share. The
    model's source of chance is not thread-safe.
    """
    from gensim.models.doc2vec import train_document_dbow

    dim = int(model.vector_size)
    vectors = np.zeros((len(texts), dim), np.float32)
    for place, text in enumerate(texts):
        known = [word for word in words(text) if word in model.wv.key_to_index]
        if not known:
            continue
        chance = model.random = np.random.RandomState(zlib.crc32(" ".join(known).encode()))
        vector = np.asarray((chance.random_sample((1, dim)) - 0.5) / dim, np.float32)
        work, free = np.zeros(dim, np.float32), np.ones(1, np.float32)
        for rate in np.linspace(model.alpha, model.min_alpha, model.epochs):
            train_document_dbow(
                model, known, [0], rate, work, learn_words=False, learn_hidden=False,
                doctag_vectors=vector, doctags_lockf=free,
            )  # fmt: skip
        vectors[place] = vector[0]
    return vectors


def fit_doc2vec(
    material: Material, dim: int, seed: int, fingerprint: str, progress: Progress
) -> Fitted:
    """Learn vectors that predict the words of papers; those of papers not known are inferred.

    Raises:
        MissingExtraError: gensim is not installed.
        InputError: no word is in the papers often enough.
    """
    texts = _texts(material)
    from gensim.models.doc2vec import Doc2Vec, TaggedDocument

    model = Doc2Vec(
        [TaggedDocument(each, [number]) for number, each in enumerate(texts)],
        vector_size=dim, dm=0, epochs=PARAGRAPH_EPOCHS, sample=SAMPLE, min_count=LEAST_TIMES,
        workers=1, seed=seed, callbacks=[_shown_epochs(progress, PARAGRAPH_EPOCHS)],
    )  # fmt: skip
    encoder = TextEncoder(dim, fingerprint, partial(inferred, model))
    vectors = np.zeros((len(material.texts), dim), np.float32)
    told = np.array([any(word in model.wv.key_to_index for word in each) for each in texts])
    vectors[material.known] = unit_rows(model.dv.vectors) * told[:, None]
    others = np.flatnonzero(~material.known).tolist()
    vectors[others] = encode_all(encoder, [material.texts[row] for row in others], progress)
    return Fitted(encoder, vectors, model.syn1neg.nbytes)


_REVISION = 1
"""Raised when the same inputs would give something else: what was kept is then made again."""
LEAST_PAPERS = 2
"""Papers that a word of TF-IDF must be in."""

Needs: TypeAlias = Literal["text", "citations", "nnselect"]


def fit_random(
    material: Material, dim: int, seed: int, fingerprint: str, progress: Progress
) -> Fitted:
    """Learn nothing: a text has the same vector wherever it is encoded."""

    def drawn(texts: Sequence[Text]) -> Floats:
        """Draw a direction by the hash of each text."""
        vectors = np.zeros((len(texts), dim), np.float32)
        for place, text in enumerate(texts):
            if any(text):
                digest = hashlib.sha256(json.dumps([seed, *text]).encode()).digest()
                rng = np.random.default_rng(int.from_bytes(digest, "big"))
                vectors[place] = rng.standard_normal(dim)
        return vectors

    encoder = TextEncoder(dim, fingerprint, drawn)
    return Fitted(encoder, encode_all(encoder, material.texts, progress), 0)


def fit_tfidf_svd(
    material: Material, dim: int, seed: int, fingerprint: str, progress: Progress
) -> Fitted:
    """Weigh words by sublinear tf times idf, and keep the axes of largest variance.

    Raises:
        InputError: no word is in two of the papers.
    """
    need("sklearn", "The baseline tfidf-svd")
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    learned = material.learned
    weigh = TfidfVectorizer(
        analyzer=words, min_df=LEAST_PAPERS, sublinear_tf=True, dtype=np.float32
    )
    progress("learning words", 0, 2)
    try:
        weights = weigh.fit_transform(learned)
    except ValueError as error:  # "empty vocabulary", or none is left of it.
        raise too_few_words(len(learned)) from error
    progress("learning words", 1, 2)
    svd = TruncatedSVD(min(dim, *weights.shape), random_state=seed).fit(weights)
    progress("learning words", 2, 2)
    axes = svd.components_.astype(np.float32)

    def projected(texts: Sequence[Text]) -> Floats:
        if not texts:  # scikit-learn refuses none.
            return np.zeros((0, len(axes)), np.float32)
        return np.asarray(weigh.transform(texts) @ axes.T)

    encoder = TextEncoder(len(axes), fingerprint, projected)
    size = axes.nbytes + weigh.idf_.nbytes
    return Fitted(encoder, encode_all(encoder, material.texts, progress), size)


def fit_nnselect(
    material: Material, dim: int, seed: int, fingerprint: str, progress: Progress
) -> Fitted:
    """Open the model that was trained, and encode the papers; dim and seed are those of training.

    Raises:
        InputError: no index is named.
        ArtifactError: the index has no such model, or it does not belong to it.
        LeakageError: it was trained on queries that are to be evaluated on.
    """
    if material.index is None:
        raise InputError(
            "No index is named whose NNSelect encodes the papers.",
            f"Give --nnselect INDEX; `{COMMAND}` trains one.",
        )
    with pin(material.index) as index:
        folder = index / NNSELECT
        model = NNSelectModel.load(folder, len(Corpus.load(index / CORPUS)))
    seen = SeenQueries.load(folder) or SeenQueries()
    _, dev, test = PARTS
    for part, known in ((dev, seen.train), (test, seen.train | seen.dev)):
        if found := len(material.asked.get(part, frozenset()) & known):
            raise LeakageError(
                f"The NNSelect in {folder} has seen {found} of the {part} queries.",
                f"Train it on this split: `{COMMAND}`.",
            )
    vectors = encode_all(model, material.texts, progress)
    return Fitted(model, vectors, model.table.nbytes + model.scales.nbytes)


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a baseline is, what it needs, and how it learns.

    fit: takes the material, the length of vectors, a seed and the fingerprint of all of it. note:
    what has to be known where it is compared with others.
    """

    meaning: str
    needs: Needs
    fit: Callable[[Material, int, int, str, Progress], Fitted]
    note: str = ""


BASELINES: Mapping[str, Baseline] = {
    "random": Baseline("random vectors, the lower bound", "text", fit_random),
    "tfidf-svd": Baseline("TF-IDF and truncated SVD", "text", fit_tfidf_svd),
    "doc2vec": Baseline("paragraph vectors (PV-DBOW)", "text", fit_doc2vec),
    "fasttext": Baseline(
        "sums of fastText's word vectors", "text", partial(fit_words, weighed=False)
    ),
    "sif": Baseline("weighted averages of word vectors, less what all share", "text", fit_words),
    "sgc": Baseline("SIF, spread along citations", "citations", fit_sgc),
    "nnselect": Baseline(
        "NNSelect, as trained in an index",
        "nnselect",
        fit_nnselect,
        "It has seen the train queries, which rankers learn from: they trust its cosines too much.",
    ),
}


def fit_baseline(
    name: str, material: Material, *, dim: int = 300, seed: int = 0, progress: Progress = silent
) -> Fitted:
    """Fit a baseline and encode the material's papers with it.

    The same name, material, dim and seed give the same vectors in every process.

    Args:
        name: in BASELINES.
        material: what it learns from, and the papers to encode.
        dim: numbers in a vector. It gets fewer where a small corpus does not tell so many;
            NNSelect's has as many as it was trained with.
        seed: of what is drawn.
        progress: told about every stage.

    Raises:
        InputError: there is no such baseline, or the material is not enough for it.
    """
    check_name(name, BASELINES, "baseline")
    key = fingerprint([_REVISION, name, material.fingerprint(), dim, seed])
    return BASELINES[name].fit(material, dim, seed, key, progress)


def check_encoder_name(name: str) -> None:
    """Refuse what is nearly the name of a baseline, rather than ask the hub for it.

    Raises:
        InputError: it is no folder and no name of an owner's model, and a baseline is meant.
    """
    if name in BASELINES or "/" in name or Path(name).exists():
        return
    if meant := near_miss(name, BASELINES):
        raise InputError(
            f"There is no encoder {name!r}.{meant}",
            "Write OWNER/NAME for a model of the hub, ./NAME for a folder.",
        )
