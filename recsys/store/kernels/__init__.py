"""The few loops over arrays that an answer spends its time in: in numpy, and compiled."""
