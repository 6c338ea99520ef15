"""A real Dask cluster on this machine: a scheduler and workers, each a process of its own."""

import gc
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def cluster(folder: Path, workers: int = 2, *, worker_path: str | None = None):
    """The address of a scheduler, and its worker processes by name, with that of the scheduler.

    ``worker_path`` is where the workers find packages first.
    """
    contact = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
    # The workers import the tests' own functions too.
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    dask = [sys.executable, "-m", "dask"]
    processes = [
        subprocess.Popen(
            [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
             "--scheduler-file", str(contact)],
            env=environment, **quiet,
        )
    ]  # fmt: skip
    try:
        address = _wait_for(lambda: json.loads(contact.read_text())["address"])
        named = {"scheduler": processes[0]}
        own = environment if worker_path is None else {**environment, "PYTHONPATH": worker_path}
        for number in range(workers):
            name = f"worker-{number}"
            process = subprocess.Popen(
                [*dask, "worker", address, "--name", name, "--nthreads", "1", "--no-dashboard", "--no-nanny",
                 "--host", "127.0.0.1", "--local-directory", str(folder)], env=own, cwd=folder, **quiet,
            )  # fmt: skip
            named[name] = process
            processes.append(process)
        from distributed import Client

        gc.collect()  # see geoeval.cluster.open_cluster
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)
        yield address, named
    finally:
        for process in processes[::-1]:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(answer, seconds=60):
    for _ in range(seconds * 10):
        try:
            return answer()
        except (OSError, ValueError, KeyError):
            time.sleep(0.1)
    raise TimeoutError("the scheduler did not start")
