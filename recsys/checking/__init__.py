"""Check a bibliography: does each work exist, and is it the one that its reference describes?"""
