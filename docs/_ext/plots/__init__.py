"""The plots of the site: a module with ``write_plots`` for each algorithm that has some, and what they have in common."""
