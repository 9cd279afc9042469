"""Encoders trained on citations (SPECTER) and on journals (MIReAD), and the studies of them."""
