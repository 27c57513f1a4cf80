"""A model that adds up: a record is a number, perhaps with a file to wait for and seconds to take.

For example: `3 /data/go 2`.
"""

import os
import time


def loss(record: str) -> int:
    """The record's number, after waiting."""
    number, file, seconds = (*record.split(), "", "")[:3]
    while file and not os.path.exists(file):
        time.sleep(0.1)
    time.sleep(float(seconds or 0))
    return int(number)
