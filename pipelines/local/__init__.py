"""What local recommendation learns from: citing sentences of full texts and of data sets."""
