"""The plots of the site: a module with ``write_plots`` for each algorithm with plots, and common code."""
