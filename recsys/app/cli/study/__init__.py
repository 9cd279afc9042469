"""The commands of studies: they measure and compare methods, and change no answer."""
