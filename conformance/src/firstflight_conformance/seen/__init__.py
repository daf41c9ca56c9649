"""Decides whether a run showed the algorithm: the rules that its events exercised, and cases in which the algorithm acted."""
