"""The vectors of papers as they lie on disk: in 32 bits, or in 24 of two parts."""
