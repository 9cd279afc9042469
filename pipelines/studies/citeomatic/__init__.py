"""Citeomatic's own models, trained on a corpus's citations: NNSelect and NNRank, in torch."""
