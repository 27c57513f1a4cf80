"""Speed, shown as ratios within one run: `make bench`."""
