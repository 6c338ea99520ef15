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


IN_NUMBA = """
    import signal, sys, time
    from numba.core import event
    from geoeval._kernels.compiling import kernel
    from geoeval.signals import end_politely

    class Interrupting(event.Listener):
        def on_start(self, event):
            signal.raise_signal(int(sys.argv[1]))

        def on_end(self, event):
            pass

    @kernel
    def twice(number):
        return 2 * number

    end_politely()
    try:
        with event.install_listener("numba:compile", Interrupting()):
            print(twice(3))
        time.sleep(60)
    except KeyboardInterrupt as end:
        print(type(end).__name__)
"""


@pytest.mark.parametrize(("number", "name"), [(2, "KeyboardInterrupt"), (15, "Terminated")])
def test_an_interrupt_waits_until_numba_is_done(number, name, tmp_path):
    """Its part in C may crash when it is interrupted while it loads or compiles something."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(IN_NUMBA))
    done = subprocess.run([sys.executable, script, str(number)], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"6\n{name}\n", "")


def test_an_interrupt_that_is_ignored_stays_so():
    script = "import signal; signal.signal(2, signal.SIG_IGN); from geoeval.signals import lose_no_interrupt; "
    script += "lose_no_interrupt(); print(signal.getsignal(2) is signal.SIG_IGN)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n"


def test_other_errors_in_the_clean_up_are_still_said():
    script = (
        textwrap.dedent(SCRIPT)
        .replace("signal.raise_signal(int(sys.argv[1]))", "1 / 0")
        .replace("sleep(60)", "sleep(0)")
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "ZeroDivisionError" in done.stderr
