"""Archives to take away: the same checkout gives the same bytes, wherever and by whomever they are made."""
