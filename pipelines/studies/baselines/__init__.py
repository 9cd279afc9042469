"""Embedding baselines of the papers, fit on a corpus: from random vectors to graph convolution."""
