"""Archives that leave the house: the same checkout gives the same bytes, wherever and by whomever they are made."""
