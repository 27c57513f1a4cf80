"""Run the stages of `chartgen test` over every chart, in the order that STAGES gives."""

import os
import time

from chartgen.errors import InputError, WorldError
from chartgen.verify import STAGES, StageEntry
from chartgen.verify.base import Callbacks, ChartTest, Findings, TestOptions
from chartgen.verify.result import INTERRUPTED, SKIPPED, ChartResult, verdict
from chartgen.world.files.temporary import make_directory, temporary_directory

_OPENING, *_STAGES = STAGES
_OFFLINE = [stage for stage in _STAGES if not stage.needs_cluster]
_ONLINE = [stage for stage in _STAGES if stage.needs_cluster]
_UNCHECKED = "whether a cluster accepts and runs it (--cluster adds the stages {})"


def run(options: TestOptions, callbacks: Callbacks, results: list[ChartResult]) -> None:
    """Test one chart after the other; the results so far are there even after an interrupt."""
    with temporary_directory() as top:
        for number, path in enumerate(options.charts):
            folder = make_directory(os.path.join(top, str(number)))
            test = ChartTest(path, path, folder, options, callbacks)
            results.append(test.result)
            _run_stage(_OPENING, test)
            if len(test.charts) == 1:
                _test_chart(test, callbacks)
            elif test.charts:
                _test_each(test, options, callbacks, results)


def _test_each(
    opened: ChartTest, options: TestOptions, callbacks: Callbacks, results: list[ChartResult]
) -> None:
    """Test each of the charts that one file becomes, with a result of its own."""
    for number, chart in enumerate(opened.charts):
        folder = make_directory(os.path.join(opened.folder, f"{number}.work"))
        shown = f"{opened.path} ({chart.name})"
        test = ChartTest(shown, opened.path, folder, options, callbacks)
        test.charts.append(chart)
        results.append(test.result)
        _test_chart(test, callbacks)


def _test_chart(test: ChartTest, callbacks: Callbacks) -> None:
    for stage in _OFFLINE:
        _run_stage(stage, test)
    if test.options.cluster:
        _test_on_cluster(test, callbacks)
    elif not test.chart.library:
        names = ", ".join(stage.name for stage in _ONLINE)
        test.result.unchecked.append(_UNCHECKED.format(names))


def _test_on_cluster(test: ChartTest, callbacks: Callbacks) -> None:
    """A signal stops the stages but never the cleanup: after the first one the shield is closed."""
    with callbacks.shield() as shield:
        try:
            try:
                for stage in _ONLINE:
                    if not stage.cleanup:
                        _run_stage(stage, test)
            finally:
                shield.close()
        finally:
            if test.release:
                shield.undoing = f"uninstalling {test.release.name}"
            for stage in _ONLINE:
                if stage.cleanup:
                    _run_stage(stage, test)
            if test.release:
                test.release.cluster.close()


def _run_stage(stage: StageEntry, test: ChartTest) -> None:
    """Time a stage and record its result: problems fail it; an obstacle is `not judged`."""
    if why := stage.module.skip(test):
        test.skip(stage.name, why)
        return
    findings, start = Findings(), time.monotonic()
    test.progress(stage.name)
    try:
        stage.module.run(test, findings)
    except InputError as error:
        findings.problems.extend(error.problems)
    except WorldError as error:
        findings.reasons.append(str(error))
    except BaseException:
        test.record(stage.name, INTERRUPTED, time.monotonic() - start, findings)
        raise
    if test.options.sources.strict:
        problems = [problem._replace(severity="error") for problem in findings.problems]
        findings.problems = problems
    word = verdict(findings.problems, findings.reasons)
    if findings.skipped:
        word, findings.reasons = SKIPPED, [findings.skipped]
    test.record(stage.name, word, time.monotonic() - start, findings)
