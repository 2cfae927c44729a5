"""Compiled checker of sphere models."""
