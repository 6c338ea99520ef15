"""Who does the work: this process, several on this machine, or a Dask cluster. Tasks are small and independent.

An engine takes tasks and gives back their results as they come, with the number of each task. A task that is lost
with its worker is done again by another one; a task that raises ends the run.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import Any, Protocol

from geoeval.exceptions import EngineError, MissingExtraError, ParameterError

Task = tuple[Callable[..., Any], tuple[Any, ...]]

# How often a task may be lost with its worker before it is taken for the one that kills workers.
LOSSES = 3


class Engine(Protocol):
    """What runs tasks."""

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        """Run tasks, in any order; the number of each and its result as they are done."""
        ...


def open_engine(
    workers: int = 1, scheduler: str | None = None, *, prepare: str | None = None
) -> AbstractContextManager[Engine]:
    """The engine that the options ask for; it is closed with its context.

    What processes need begins to load at once, the module ``prepare``, so that the first task need not wait for it.
    """
    if workers < 1:
        raise ParameterError(f"the number of workers is {workers}; give 1 or more")
    if scheduler is not None:
        return _cluster(scheduler)
    return _processes(workers, prepare) if workers > 1 else _here()


class _Here:
    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        for number, (function, arguments) in enumerate(tasks):
            yield number, function(*arguments)


@contextmanager
def _here() -> Iterator[Engine]:
    yield _Here()


class _Processes:
    """Processes on this machine. They are started anew where one of them was lost."""

    def __init__(self, workers: int, prepare: str | None) -> None:
        from multiprocessing import get_all_start_methods, get_context

        # A server that has loaded the module forks workers that have it too; elsewhere each loads it itself.
        served = "forkserver" in get_all_start_methods()
        self._context = get_context("forkserver" if served else "spawn")
        self._workers, self._prepare = workers, prepare
        self._pool: Any = None
        if served and prepare is not None:
            from multiprocessing.forkserver import ensure_running

            self._context.set_forkserver_preload([prepare])
            ensure_running()

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        from concurrent.futures import as_completed
        from concurrent.futures.process import BrokenProcessPool

        left = dict(enumerate(tasks))
        losses = 0
        while left:
            pool = self._started()
            try:
                futures = {pool.submit(function, *arguments): number for number, (function, arguments) in left.items()}
                for future in as_completed(futures):
                    result = future.result()
                    del left[futures[future]]
                    yield futures[future], result
            except BrokenProcessPool as error:
                self.close()
                losses += 1
                if losses > LOSSES:
                    raise EngineError(
                        f"a worker process was lost {losses} times; it may be short of memory: give fewer --workers "
                        "or a smaller --tile-size"
                    ) from error

    def _started(self) -> Any:
        from concurrent.futures import ProcessPoolExecutor

        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._workers, self._context, _load, (self._prepare,))
        return self._pool

    def close(self) -> None:
        """End the processes at once: whoever leaves early does not want to wait for what still runs."""
        if self._pool is not None:
            processes = list((self._pool._processes or {}).values())  # noqa: SLF001 - the pool has no other way
            self._pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
            for process in processes:
                process.join()
            self._pool = None


def _load(module: str | None) -> None:
    if module is not None:
        import_module(module)


@contextmanager
def _processes(workers: int, prepare: str | None) -> Iterator[Engine]:
    engine = _Processes(workers, prepare)
    try:
        yield engine
    finally:
        engine.close()


class _Cluster:
    """A Dask cluster that runs already. Dask itself does lost tasks again."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        from distributed import KilledWorker, as_completed

        futures = {
            self._client.submit(function, *arguments, pure=False): number
            for number, (function, arguments) in enumerate(tasks)
        }
        try:
            for future in as_completed(list(futures), loop=self._client.loop):
                number = futures.pop(future)
                try:
                    result = future.result()
                except KilledWorker as error:
                    raise EngineError(
                        "several workers of the cluster were lost at the same tile; they may be short of memory: give "
                        "a smaller --tile-size"
                    ) from error
                yield number, result
        finally:
            for future in futures:
                future.cancel()


@contextmanager
def _cluster(address: str) -> Iterator[Engine]:
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError(
            'a cluster needs Dask, which is not installed; pip install "geoeval[distributed]"'
        ) from error
    try:
        client = Client(address, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise EngineError(
            f"no Dask scheduler answers at {address}; start one with dask scheduler and give its address, "
            "for example tcp://127.0.0.1:8786"
        ) from error
    try:
        yield _Cluster(client)
    finally:
        client.close()
