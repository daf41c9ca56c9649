"""Plots. Import these modules only to draw: matplotlib takes a second to load."""
