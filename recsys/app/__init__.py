"""The roof: wiring, command line and rendering. Nothing below imports it."""
