"""Rankers of related papers that learn from clicks, and the studies that judge them."""
