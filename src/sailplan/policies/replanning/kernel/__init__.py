"""Replanning, compiled: what edges cost as far as is known, lower bounds that rise, and bounds that fall."""
