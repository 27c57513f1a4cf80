"""`chartgen test`, stage by stage."""
