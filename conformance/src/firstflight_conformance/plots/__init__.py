"""Plots. Only what draws one imports these modules: matplotlib takes a second to load."""
