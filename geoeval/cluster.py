"""A running Dask cluster as an engine: what to do where its workers, or its scheduler, are not what they should be."""

import gc
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

from geoeval._version import __version__
from geoeval.exceptions import EngineError, MissingExtraError

Task = tuple[Callable[..., Any], tuple[Any, ...]]

# Seconds to wait for an answer, and for a cluster without workers to get some.
PATIENCE = 10.0
# Seconds after which one looks whether anybody is left to work, and to fetch a result.
_LOOK, _FETCH = 0.5, 30.0


@contextmanager
def open_cluster(address: str) -> "Iterator[Cluster]":
    """The cluster of the scheduler at an address; leaving the context takes our tasks from it.

    Raises
    ------
    EngineError
        No scheduler answers at the address, it has no workers, or they have another version of geoeval.
    MissingExtraError
        Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError(
            'a cluster needs Dask, which is not installed; pip install "geoeval[distributed]"'
        ) from error
    with _one_voice():
        try:
            # An earlier client that is only collected while this one starts waits for ever, inside distributed.
            gc.collect()
            client = Client(address, timeout=f"{PATIENCE:g}s", set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise EngineError(
                f"no Dask scheduler answers at {address}; start one with dask scheduler and give its address, "
                "for example tcp://127.0.0.1:8786"
            ) from error
        try:
            cluster = Cluster(client, address)
            cluster.check()
            yield cluster
        finally:
            client.close(timeout=PATIENCE)


@contextmanager
def _one_voice() -> Iterator[None]:
    """What becomes of the cluster is said by us, in one line, and not by Dask's logs as well."""
    logs = [logging.getLogger(name) for name in ("distributed", "distributed.client", "tornado.application")]
    levels = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for log, level in zip(logs, levels, strict=True):
            log.setLevel(level)


class Cluster:
    """A running Dask cluster. Dask runs the tasks of a lost worker again by itself."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address

    def check(self) -> None:
        """Refuse a cluster without workers, or with workers of another version, which may give other numbers."""
        from distributed import TimeoutError as NoWorkersError

        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except NoWorkersError as error:
            raise self._without_workers("has no workers") from error

        def version_there() -> str | None:  # inside, so that it is sent by value: a worker need not have this module
            try:
                from geoeval._version import __version__ as there
            except ImportError:
                return None
            return there

        found = self._client.run(version_there)
        others = {worker: version for worker, version in found.items() if version != __version__}
        if others:
            worker, version = min(others.items())
            has = "has no geoeval" if version is None else f"has geoeval {version}"
            raise EngineError(
                f"the worker {worker} {has}, and this is geoeval {__version__}; install the same version everywhere"
            )

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
        """Run tasks in any order; yield the number and the result of each as it is completed."""
        done: SimpleQueue[Any] = SimpleQueue()
        futures: dict[Any, int] = {}
        try:
            for number, (function, arguments) in enumerate(tasks):
                future = self._client.submit(function, *arguments, pure=False)
                futures[future] = number
                future.add_done_callback(done.put)
            while futures:
                future = self._waited_for(lambda: done.get(timeout=_LOOK))
                result = self._waited_for(lambda: _result(future))  # noqa: B023 - called at once
                yield futures.pop(future), result
        finally:
            if self._client.status == "running":
                self._client.cancel(list(futures))

    def _waited_for(self, answer: Callable[[], Any]) -> Any:
        """What a call gives that may have to be repeated; an error where nobody is left who could answer it."""
        from concurrent.futures import CancelledError

        alone = None
        while True:
            try:
                return answer()
            except (Empty, TimeoutError):
                pass
            except (CancelledError, OSError) as error:
                raise self._without_scheduler() from error
            if self._client.status != "running":
                raise self._without_scheduler()
            if self._client.scheduler_info()["workers"]:
                alone = None
            elif alone is None:
                alone = monotonic()
            elif monotonic() - alone > PATIENCE:
                raise self._without_workers("lost all its workers")

    def _without_scheduler(self) -> EngineError:
        return EngineError(
            f"the Dask scheduler at {self._address} was lost; start it again, and repeat the evaluation: with "
            "{option:resume} it goes on where it was"
        )

    def _without_workers(self, what: str) -> EngineError:
        return EngineError(
            f"the Dask scheduler at {self._address} {what}; start some with dask worker {self._address}, and repeat "
            "the evaluation: with {option:resume} it goes on where it was"
        )


def _result(future: Any) -> Any:
    """What a task gave, which its worker still holds; where that one was lost meanwhile, it is computed again."""
    from distributed import KilledWorker

    try:
        return future.result(timeout=_FETCH)
    except KilledWorker as error:
        raise EngineError(
            "several workers of the cluster were lost at the same tile; they may be short of memory: give a smaller "
            "{option:tile-size}"
        ) from error
