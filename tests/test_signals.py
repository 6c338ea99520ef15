"""Interrupts are neither lost nor printed."""

import subprocess
import sys
import textwrap

import pytest

SCRIPT = """
    import signal, sys, time
    from geoeval.signals import Terminated, end_politely

    class Dying:
        def __del__(self):
            signal.raise_signal(int(sys.argv[1]))
            time.sleep(0)  # the interrupt is raised here, where Python cannot pass it on

    end_politely()
    end_politely()
    try:
        Dying()
        time.sleep(60)
    except KeyboardInterrupt as end:
        print(type(end).__name__)
"""


@pytest.mark.parametrize(("number", "name"), [(2, "KeyboardInterrupt"), (15, "Terminated")])
def test_an_interrupt_in_the_clean_up_of_an_object_comes_again(number, name):
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), str(number)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{name}\n", "")


def test_other_errors_in_the_clean_up_are_still_said():
    script = (
        textwrap.dedent(SCRIPT)
        .replace("signal.raise_signal(int(sys.argv[1]))", "1 / 0")
        .replace("sleep(60)", "sleep(0)")
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "ZeroDivisionError" in done.stderr
