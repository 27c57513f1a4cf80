"""Texts for a person to edit, made from templates."""
