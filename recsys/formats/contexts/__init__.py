"""Files of citing sentences: data sets of citation contexts, and full texts that hold them."""
