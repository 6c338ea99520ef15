"""What is asked of an evaluation, and how it is run: a record holds the one and never the other.

Every door (``geoeval.evaluate``, the commands, benchmarks, streamed scores) makes an ``Evaluation`` first, which
refuses all that can be refused before a file is opened. The record of a result is made of it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geoeval.area import EVERYTHING
from geoeval.content import content_of
from geoeval.contents import SIDES
from geoeval.exceptions import ParameterError
from geoeval.metrics.content import Content
from geoeval.metrics.running import Progress
from geoeval.readers.given import reading_of_sides
from geoeval.readers.options import flag_of
from geoeval.seeds import Seed, whole_seed

if TYPE_CHECKING:
    from geoeval.metrics.metric import Metric


# Fields that one content alone has.
_ROADS, _LINES = {"content": "roads"}, {"content": "lines"}
# What a protocol may have too.
_WITH_PROTOCOL = {"kind", "protocol", "parameters", "seed", "keep_inputs", "reading"}


def tell_nobody(_fraction: float, _message: str) -> None:
    """The progress where nobody wants to know it."""


@dataclass(frozen=True, kw_only=True)
class Execution:
    """How an evaluation is run. It changes no number, and nothing of it is in a record.

    Attributes
    ----------
    workers
        Processes on this machine that share the work.
    scheduler
        Address of a Dask scheduler whose workers do the work.
    resume
        Folder that keeps what is finished.
    progress
        Called with a fraction from 0 to 1 and what is being done.
    """

    workers: int = 1
    scheduler: str | None = None
    resume: str | Path | None = None
    progress: Progress = tell_nobody

    @property
    def needs_tiles(self) -> bool:
        """Whether it can only be done in tiles, whatever their size."""
        return self.scheduler is not None or self.resume is not None


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """All that the numbers depend on besides the two inputs, as it was asked for; ``geoeval.evaluate`` explains it.

    ``checked`` makes it. Tiles have a size; the plan is wanted or not, where the content has one.
    """

    kind: str = "roads"
    metrics: str | tuple[str, ...] = "all"
    protocol: str | None = None
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    preset: str = "default"
    seed: int = 0
    aoi: Any = None
    crs: Any = "auto"
    align: bool = False
    tile_size: float | None = None
    whole_networks: str = field(default="together", metadata=_ROADS)
    keep_inputs: bool = True
    plan: bool | None = None
    image: Any = field(default=None, metadata=_LINES)
    ink: str = field(default="auto", metadata=_LINES)
    seconds: float | None = field(default=None, metadata=_LINES)
    reading: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def checked(
        cls, *, metrics: str | Iterable[str] = "all", parameters: Mapping[str, Mapping[str, Any]] | None = None,
        seed: Seed = 0, rng: Seed | None = None, tile_size: float | None = None,
        execution: Execution | None = None, **asked: Any,
    ) -> "Evaluation":  # fmt: skip
        """What was asked for; in tiles of the usual size where the execution needs some and nobody gives a size.

        Raises
        ------
        ParameterError
            An option does not exist, makes no sense, or would change nothing.
        """
        content = content_of(asked.get("kind", cls.kind))
        in_tiles = tile_size is not None or (execution is not None and execution.needs_tiles)
        if in_tiles and content.tile_size is None:
            raise ParameterError(f"{content.name} are not evaluated in tiles; {{leave:tile-size}}")
        made = cls(
            metrics=metrics if isinstance(metrics, str) else tuple(metrics),
            parameters={name: dict(values) for name, values in (parameters or {}).items()},
            seed=whole_seed(seed, rng), **asked,
        )  # fmt: skip
        if made.protocol is None:
            made._refuse_options_of_others()
            content.registry.choose_parameters(made.chosen, made.parameters, made.preset)
            made._refuse_unused(in_tiles=in_tiles)
        else:
            made._refuse_with_protocol(in_tiles=in_tiles)
        assert made.sides  # options of the readers are looked at
        return replace(made, tile_size=content.tile_size if in_tiles and tile_size is None else tile_size)

    @property
    def content(self) -> Content:
        """What kind of map is evaluated."""
        return content_of(self.kind)

    @cached_property
    def chosen(self) -> "tuple[Metric, ...]":
        """The metrics as they declare themselves, in their order."""
        return tuple(self.content.registry.choose_metrics(self.metrics))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the metrics, in their order."""
        return tuple(metric.name for metric in self.chosen)

    @cached_property
    def sides(self) -> dict[str, dict[str, Any]]:
        """Options of the readers by side."""
        return dict(zip(SIDES, reading_of_sides(self.reading), strict=True))

    @property
    def wants_plan(self) -> bool:
        """Whether it is measured what each edit would gain."""
        return bool(self.content.plans if self.plan is None else self.plan)

    @property
    def call(self) -> dict[str, Any]:
        """The keywords of ``geoeval.evaluate`` that ask for the same."""
        own = {one.name: getattr(self, one.name) for one in fields(self) if one.name != "reading"}
        has_plan = self.content.plans is not None and self.protocol is None
        return {**own, "plan": self.wants_plan if has_plan else None, **self.reading}

    def _refuse_options_of_others(self) -> None:
        """Refuse what another content alone has."""
        for one in fields(self):
            owner = one.metadata.get("content", self.kind)
            if owner != self.kind and one.name in self._given:
                name = flag_of(one.name)
                raise ParameterError(f"{{option:{name}}} belongs to {owner}, not to {self.kind}; leave it out")

    def _refuse_unused(self, *, in_tiles: bool) -> None:
        """Refuse what was asked for and would change nothing."""
        if self.align and not self.content.has_ground:
            raise ParameterError(f"{{option:align}} is for roads and objects, not for {self.kind}; leave it out")
        if self.plan and self.content.plans is None:
            raise ParameterError(f"{self.kind} have no plan of what to fix first; {{leave:plan}}")
        if "whole_networks" in self._given and not in_tiles:
            what = "{option:whole-networks} says how roads are evaluated in tiles"
            raise ParameterError(f"{what}; {{give:tile-size=METRES}}, or leave it out")
        if "ink" in self._given and self.image is None:
            what = "{option:ink} says which pixels of an image are lines"
            raise ParameterError(f"{what}; {{give:image=FILE}}, or leave it out")

    def _refuse_with_protocol(self, *, in_tiles: bool) -> None:
        """Refuse what a protocol cannot have: it scores the files as they are."""
        from geoeval.protocols.running import choose_protocol

        assert self.protocol is not None
        choose_protocol(self.protocol, self.parameters, kind=self.kind)
        classes = {name for name, value in self.reading.items() if name.endswith("class_column") and value is not None}
        refused = (self._given - _WITH_PROTOCOL) | classes | ({"tile_size"} if in_tiles else set())
        for name in sorted(refused):
            why = "has scores of its own" if name == "metrics" else "scores its files as they are"
            raise ParameterError(f"a protocol {why}; {{leave:{flag_of(name)}}}")

    @property
    def _given(self) -> set[str]:
        """The names of what was asked for and would change something."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        usual = {one.name: (one.default, None, False) for one in fields(self)} | {"aoi": (None, EVERYTHING)}
        plain = (str, bool, type(None))
        return {name for name, value in values.items() if not isinstance(value, plain) or value not in usual[name]}
