"""Click logs and what can honestly be learnt from them: propensities, measures, simulation."""
