"""Train encoders on citations by SPECTER's objective (Cohan et al. 2020)."""
