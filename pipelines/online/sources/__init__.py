"""The sources, one module each: what it gives, and how it is asked."""
