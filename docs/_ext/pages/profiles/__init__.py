"""One page per profile, made from the model with the readings of the profile filled in."""
