"""Run independent tasks in this process, in several processes on this machine, or on a Dask cluster.

An engine yields the results of its tasks as they are completed, each with the number of its task. If a worker is lost,
its tasks are run again by another one. An exception in a task ends the run.
"""

import ast
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from geoeval.exceptions import EngineError, ParameterError

if TYPE_CHECKING:
    from types import FrameType

Task = tuple[Callable[..., Any], tuple[Any, ...]]

# How often workers may be lost before the tasks are assumed to kill them.
LOSSES = 3


class Engine(Protocol):
    """Runs tasks."""

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        """Run tasks in any order; yield the number and the result of each as it is completed."""
        ...


def open_engine(
    workers: int = 1, scheduler: str | None = None, *, prepare: str | None = None
) -> AbstractContextManager[Engine]:
    """Open an engine; leaving the context closes it.

    Parameters
    ----------
    workers
        Number of processes on this machine; 1 runs the tasks in this process.
    scheduler
        Address of a running Dask scheduler; its workers run the tasks, and ``workers`` is ignored.
    prepare
        Module that the processes start to load at once, so that the first task does not wait for it.

    Raises
    ------
    ParameterError
        The number of workers is below 1, or a script asks for several where each of them would run it anew.
    EngineError
        No scheduler answers at the address, its workers have another version of geoeval, or workers are lost again and
        again while tasks run.
    MissingExtraError
        A scheduler is given, but Dask is not installed.
    """
    if workers < 1:
        raise ParameterError(f"the number of workers is {workers}; give 1 or more")
    if scheduler is not None:
        from geoeval.cluster import open_cluster

        return open_cluster(scheduler)
    if workers == 1:
        return _here()
    _check_script(workers)
    return _processes(workers, prepare)


def _check_script(workers: int) -> None:
    """Refuse to start workers from the top level of a script: each would run it up to there, and start workers too.

    Python runs the script of the main process in every new one. What stands under ``if __name__ == "__main__"`` is
    left out there.
    """
    script = sys.modules.get("__main__")
    file = getattr(script, "__file__", None)
    spec = getattr(script, "__spec__", None)
    # Without a file there is nothing to run; packages (python -m geoeval) are left alone.
    if file is None or (spec is not None and spec.name.endswith("__main__")):
        return
    statement = _running_statement(script, file)
    if statement is None or (isinstance(statement, ast.If) and "__name__" in ast.unparse(statement.test)):
        return
    raise ParameterError(
        f"line {statement.lineno} of {file} starts {workers} workers, each of which would run the file again; put it "
        "under 'if __name__ == \"__main__\":', or give workers=1"
    )


def _running_statement(script: Any, file: str) -> ast.stmt | None:
    """The statement at the top level of a script that is being run in this thread; ``None`` where none is known."""
    frame: FrameType | None = sys._getframe()  # noqa: SLF001 - the way to look at one's own callers
    while frame is not None and not (frame.f_code.co_name == "<module>" and frame.f_globals is vars(script)):
        frame = frame.f_back
    if frame is None:
        return None
    try:
        statements = ast.parse(Path(file).read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        return None
    return next((one for one in statements if one.lineno <= frame.f_lineno <= (one.end_lineno or 0)), None)


class _Here:
    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        for number, (function, arguments) in enumerate(tasks):
            yield number, function(*arguments)


@contextmanager
def _here() -> Iterator[Engine]:
    yield _Here()


class _Processes:
    """Processes on this machine. If one of them is lost, all are started again."""

    def __init__(self, workers: int, prepare: str | None) -> None:
        from multiprocessing import get_all_start_methods, get_context

        _allow_open_files(32 + 16 * workers)
        # A fork server loads the module once for all workers; without one, each worker loads it.
        served = "forkserver" in get_all_start_methods()
        self._context = get_context("forkserver" if served else "spawn")
        self._workers, self._prepare = workers, prepare
        self._pool: Any = None
        if served:
            from multiprocessing.forkserver import ensure_running

            if prepare is not None:
                self._context.set_forkserver_preload([prepare])
            with _without_own_folder():
                ensure_running()

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        from concurrent.futures import as_completed
        from concurrent.futures.process import BrokenProcessPool

        left = dict(enumerate(tasks))
        losses = 0
        while left:
            pool = self._started()
            try:
                with _without_own_folder():
                    futures = {
                        pool.submit(function, *arguments): number for number, (function, arguments) in left.items()
                    }
                for future in as_completed(futures):
                    result = future.result()
                    del left[futures[future]]
                    yield futures[future], result
            except BrokenProcessPool as error:
                self.close()
                losses += 1
                if losses > LOSSES:
                    raise EngineError(
                        f"a worker process was lost {losses} times; it may be short of memory: give fewer "
                        "{option:workers}, or a smaller {option:tile-size}"
                    ) from error

    def _started(self) -> Any:
        from concurrent.futures import ProcessPoolExecutor

        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._workers, self._context, _load, (self._prepare,))
        return self._pool

    def close(self) -> None:
        """End the processes at once, without waiting for tasks that are still running."""
        if self._pool is not None:
            processes = list((self._pool._processes or {}).values())  # noqa: SLF001 - the pool has no other way
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
            for process in processes:
                process.join()
            self._pool = None


@contextmanager
def _without_own_folder() -> Iterator[None]:
    """Start processes that take no module of the folder that somebody works in for one of Python's."""
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _allow_open_files(count: int) -> None:
    """Raise this process's own limit of open files to what its workers need, as far as it may."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= count:
        return
    if hard != resource.RLIM_INFINITY and hard < count:
        raise EngineError(
            f"several workers need about {count} open files, and {hard} are allowed; raise that (ulimit -n), or "
            "{give:workers=1}"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, hard))


def _load(module: str | None) -> None:
    """Begin a worker process."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if module is not None:
        import_module(module)


def _end_with_parent() -> None:
    """End when the run is gone: its workers hold the queue open themselves, and would wait for ever."""
    from multiprocessing import parent_process

    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def _processes(workers: int, prepare: str | None) -> Iterator[Engine]:
    engine = _Processes(workers, prepare)
    try:
        yield engine
    finally:
        engine.close()
