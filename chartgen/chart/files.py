"""Files: the texts of a chart, by their paths."""

Files = dict[str, str]
