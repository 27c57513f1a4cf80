"""Clean up as soon as one of the Jobs that decide has succeeded, or all of them have failed."""

import cleanup
from api import Refused


def verdict(deciding, count):
    """How the deciding Jobs ended: Complete if one did, Failed if all did, else nothing yet."""
    ends = [cleanup.outcome(job) for job in deciding]
    if "Complete" in ends:
        return "Complete"
    return "Failed" if ends.count("Failed") >= count else ""


if __name__ == "__main__":
    cleanup.verdict = verdict
    try:
        cleanup.main()
    except Refused as error:
        cleanup.say("nothing will be released when the job has ended: %s" % error)
