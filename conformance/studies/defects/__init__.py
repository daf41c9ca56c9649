"""Defects of stacks as reports: the smallest events that show each, its effect on one path, and a text for an issue."""
