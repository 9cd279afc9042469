"""The commands that train the models of an index, tune them, and take parts of them away."""
