"""Local recommendation offline: contexts, training, evaluation."""
