"""Compare encoders of every kind by every measure, on one's own papers, with one command."""
