"""Results as text, json, GitHub annotations and JUnit."""
