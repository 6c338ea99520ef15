"""What a command writes: error layers, report, JSON, files for people who fix maps."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from geoeval.cli.progress import Report, emit

if TYPE_CHECKING:
    import geopandas as gpd

    from geoeval.model.result import Result


@dataclass(frozen=True)
class Outputs:
    """What the user wants written, and where."""

    directory: Path | None
    layer_format: str
    json_file: str | None
    maproulette: Path | None = None
    josm: Path | None = None
    report: Path | None = None
    grid: float = 500.0
    overwrite: bool = False

    def check(self) -> None:
        """Refuse, before any work, to write over what is there."""
        from geoeval.writers.aside import check_directory, check_file

        if self.directory is not None:
            check_directory(self.directory, overwrite=self.overwrite)
        for file in self._files():
            check_file(file, overwrite=self.overwrite)

    def write(self, result: "Result", show: Report) -> tuple["Result", list[dict[str, Any]]]:
        """Write it all; the result with the edit plan, and what the layers are, for programs."""
        from geoeval.roads.plan import edit_plan, with_plan
        from geoeval.writers.aside import new_file
        from geoeval.writers.handoff import write_josm, write_maproulette
        from geoeval.writers.layers import write_layers

        plan = edit_plan(result) if result.kind == "roads" else None
        result = result if plan is None else with_plan(result, plan)
        needs_grid = self.directory is not None or self.report is not None
        cells = _score_grid(result, self.grid) if needs_grid else None
        layers = []
        if self.directory is not None:
            show(0.0, "writing the error layers")
            layers = write_layers(
                result, self.directory, format=self.layer_format, overwrite=self.overwrite, grid=cells,
                tables={} if plan is None else {"plan": plan.edits.drop(columns=["layer", "row"])},
            )  # fmt: skip
            for line in dict.fromkeys(line for layer in layers for line in layer.warnings):
                typer.echo(f"geoeval: warning: {line}", err=True)
        if self.maproulette is not None:
            write_maproulette(result, self.maproulette, overwrite=self.overwrite)
        if self.josm is not None:
            write_josm(result, self.josm, overwrite=self.overwrite)
        if self.report is not None:
            from geoeval.report import write_report

            show(0.5, "writing the report")
            write_report(result, self.report, grid=cells, plan=plan, overwrite=self.overwrite)
        if self.json_file == "-":
            typer.echo(result.to_json())
        elif self.json_file is not None:
            with new_file(self.json_file, overwrite=self.overwrite) as path:
                path.write_text(result.to_json() + "\n", encoding="utf-8")
        return result, [layer.as_dict() for layer in layers]

    def finish(self, result: "Result", show: Report, *, start: float, as_json: bool) -> "Result":
        """Write it all as the last part of a run, from the fraction ``start`` on; programs are told what there is."""
        result, layers = self.write(result, lambda part, message: show(start + (1 - start) * part, message))
        show(1.0, "done")
        if as_json:
            facts = {"json": self.json_file, "report": None if self.report is None else str(self.report)}
            emit("result", scores=result.plain()["scores"], layers=layers, **facts)
        return result

    def tell(self, result: "Result") -> None:
        """Print the scores for a person, and where everything is."""
        from geoeval.cli.table import print_scores

        print_scores(result, to_stderr=self.json_file == "-")
        self.say()

    def say(self) -> None:
        """Tell a person where everything is."""
        names = (("error layers", self.directory), ("report", self.report), ("MapRoulette tasks", self.maproulette),
                 ("JOSM file", self.josm))  # fmt: skip
        for name, place in names:
            if place is not None:
                typer.echo(f"{name}: {place}", err=self.json_file == "-")

    def _files(self) -> list[Path]:
        json_file = None if self.json_file in {None, "-"} else Path(str(self.json_file))
        return [file for file in (json_file, self.report, self.maproulette, self.josm) if file is not None]


def _score_grid(result: "Result", cell_size: float) -> "gpd.GeoDataFrame":
    from importlib import import_module

    if result.cells is not None:  # an evaluation in tiles has its own
        return result.cells
    return import_module(f"geoeval.{result.kind}.grid").score_grid(result, cell_size=cell_size)
