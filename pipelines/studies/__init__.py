"""Studies: papers repeated and questions asked. No product room imports them."""
