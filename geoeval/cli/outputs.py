"""What a command writes: error layers, report, JSON, files for people who fix maps."""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.cli.options import LayerFormat
from geoeval.cli.progress import Report, emit
from geoeval.cli.terminal import say, say_json

if TYPE_CHECKING:
    from geoeval.model.result import Result


_GRID = 500.0


@dataclass(frozen=True)
class Outputs:
    """What the user wants written, and where; the options of every evaluation."""

    output: Path | None = None
    layer_format: LayerFormat = LayerFormat.shp
    grid: float = _GRID
    json_file: str | None = None
    report: Path | None = None
    previous: Path | None = None
    card: Path | None = None
    maproulette: Path | None = None
    josm: Path | None = None
    tasks_per_file: int | None = None
    run_file: Path | None = None
    overwrite: bool = False

    @property
    def draws(self) -> bool:
        """Whether both maps are needed to the end, to be drawn or written."""
        return any(place is not None for place in (self.report, self.card, self.run_file))

    @property
    def shows_plan(self) -> bool:
        """Whether what to fix first is shown anywhere."""
        places = (self.output, self.json_file, self.report, self.run_file, self.maproulette, self.josm)
        return any(place is not None for place in places)

    @property
    def _needs_grid(self) -> bool:
        return any(place is not None for place in (self.output, self.report, self.run_file))

    def check(self, kind: str) -> None:
        """Refuse, before any work, to write over what is there, and an earlier run that cannot be compared."""
        from geoeval.exceptions import GeoevalWarning, OutputError, ParameterError
        from geoeval.files import check_directory, check_output
        from geoeval.report.comparison import check_comparable
        from geoeval.writers.handoff import check_josm, check_maproulette
        from geoeval.writers.pictures import check_matplotlib

        if self.output is None and self.layer_format is not LayerFormat.shp:
            raise OutputError("--format is for the folder of error layers; give -o DIR, or leave it out")
        if self.grid != _GRID and not self._needs_grid:
            what = "{option:grid} changes nothing: it is for error layers, report and run; leave it out"
            warnings.warn(what, GeoevalWarning, stacklevel=2)
        earlier = self._earlier()
        if earlier is not None:
            check_comparable(earlier, kind)
        if self.card is not None:
            check_matplotlib()
        if self.output is not None:
            check_directory(self.output, overwrite=self.overwrite)
        files = self._files()
        for file, what in files:
            check_output(file, what, overwrite=self.overwrite)
        for tasks, check in ((self.maproulette, check_maproulette), (self.josm, check_josm)):
            if tasks is not None:
                check(tasks, tasks_per_file=self.tasks_per_file, overwrite=self.overwrite)
        if self.tasks_per_file is not None and self.maproulette is None and self.josm is None:
            raise ParameterError("--tasks-per-file is for --maproulette and --josm; give one of them too")
        named = (*(file for file, _ in files), self.output, self.maproulette, self.josm)
        places = [place.resolve() for place in named if place is not None]
        twice = [place for place in places if places.count(place) > 1]
        if twice:
            raise OutputError(f"{twice[0]} is the name of two outputs; give each a name of its own")

    def write(self, result: "Result", show: Report) -> tuple[list[dict[str, Any]], dict[str, Any] | None]:
        """Write it all, or nothing; gives what the layers are, and what is in the run's file, for programs."""
        from geoeval.files import together

        with together():
            layers, run = self._write(result, show)
        if self.json_file == "-":
            say_json(result.to_json())
        return [layer.as_dict() for layer in layers], run

    def _write(self, result: "Result", show: Report) -> tuple[list[Any], dict[str, Any] | None]:
        from geoeval.writers.handoff import write_josm, write_maproulette

        grid = result.grid(self.grid) if self._needs_grid else None
        layers: list[Any] = []
        run = None
        if self.output is not None:
            show(0.0, "writing the error layers")
            layers = result.write_layers(
                self.output, format=self.layer_format.value, overwrite=self.overwrite, grid=grid
            )
        if self.run_file is not None:
            show(0.3, "writing the run")
            inside = result.write_run(self.run_file, grid=grid, overwrite=self.overwrite)
            run = {"path": str(self.run_file), "layers": inside}
        if self.maproulette is not None:
            write_maproulette(result, self.maproulette, tasks_per_file=self.tasks_per_file, overwrite=self.overwrite)
        if self.josm is not None:
            write_josm(result, self.josm, tasks_per_file=self.tasks_per_file, overwrite=self.overwrite)
        if self.report is not None:
            show(0.5, "writing the report")
            result.write_report(self.report, grid=grid, previous=self._earlier(), overwrite=self.overwrite)
        if self.card is not None:
            result.write_card(self.card, overwrite=self.overwrite)
        if self.json_file not in {None, "-"}:
            result.write_json(str(self.json_file), overwrite=self.overwrite)
        return layers, run

    def finish(self, result: "Result", show: Report, *, start: float, as_json: bool) -> None:
        """Write it all as the last part of a run, from the fraction ``start`` on; programs are told what there is."""
        layers, run = self.write(result, lambda part, message: show(start + (1 - start) * part, message))
        show(1.0, "done")
        if as_json:
            facts = {"json": self.json_file, "report": None if self.report is None else str(self.report)}
            emit("result", scores=result.plain()["scores"], layers=layers, run=run, **facts)

    def tell(self, result: "Result") -> None:
        """Print the scores for a person, and where everything is."""
        from geoeval.cli.table import print_changes, print_scores

        print_scores(result, to_stderr=self.json_file == "-")
        earlier = self._earlier()
        if earlier is not None:
            print_changes(result, earlier, to_stderr=self.json_file == "-")
        names = (("error layers", self.output), ("run (geoeval review judges it)", self.run_file),
                 ("report", self.report), ("card", self.card), ("MapRoulette tasks", self._tasks(self.maproulette)),
                 ("JOSM file", self._tasks(self.josm)))  # fmt: skip
        for name, place in names:
            if place is not None:
                say(f"{name}: {place}", err=self.json_file == "-")

    def _tasks(self, place: Path | None) -> Path | None:
        """Where tasks are: the file, or the first of the numbered ones."""
        from geoeval.writers.handoff import numbered

        return place if place is None or self.tasks_per_file is None else numbered(place, 1)

    def _earlier(self) -> dict[str, Any] | None:
        """The earlier run, as its JSON holds it."""
        from geoeval.ranking.score_tables import read_result

        return None if self.previous is None else read_result(self.previous)

    def _files(self) -> list[tuple[Path, str]]:
        """Each file that is written, and what it is."""
        json_file = None if self.json_file in {None, "-"} else Path(str(self.json_file))
        wanted = ((self.run_file, "runs"), (json_file, "results"), (self.report, "reports"), (self.card, "pictures"))
        return [(file, what) for file, what in wanted if file is not None]
