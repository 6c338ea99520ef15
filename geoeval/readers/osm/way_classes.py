"""Which OpenStreetMap ways belong to a road network.

The named network types are those of osmnx, with values compared as a whole and not as parts of a text. Access follows
osmnx too: ``access=private`` excludes a way from ``drive``, ``walk`` and ``bike``, and so does a ban of their own
traffic. Only ``all`` and an explicit list of classes ignore access: whoever asks for everything, or for a class by its
name, gets it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from geoeval.exceptions import ParameterError

_CARRIAGEWAYS = ("trunk", "primary", "secondary", "tertiary")
_STREETS = frozenset(
    [
        *_CARRIAGEWAYS,
        *(f"{name}_link" for name in _CARRIAGEWAYS),
        "unclassified",
        "residential",
        "living_street",
        "road",
    ]
)

# Streets that the public drives on, without service roads (car parks, driveways, yards), tracks and busways.
DRIVE = _STREETS | {"motorway", "motorway_link"}
# Without motorways, where walking is forbidden, and cycleways, which have a footway beside them.
WALK = _STREETS | {
    "bridleway", "corridor", "elevator", "footway", "path", "pedestrian", "service", "steps", "track",
}  # fmt: skip
# Without motorways, footways and anything that a bicycle must be carried over.
BIKE = _STREETS | {"bridleway", "cycleway", "path", "pedestrian", "service", "track"}
# Gone, not built yet, or not a way to go along: left out of "all", which takes every other class.
NOT_IN_USE = frozenset(
    {
        "abandoned", "construction", "demolished", "disused", "dismantled", "no", "planned", "platform", "proposed",
        "raceway", "razed", "removed", "rest_area", "services",
    }
)  # fmt: skip
# The classes that text may name; a list may name any class.
KNOWN_CLASSES = (
    DRIVE
    | WALK
    | BIKE
    | NOT_IN_USE
    | {"bus_guideway", "busway", "crossing", "emergency_bay", "escape", "ladder", "trailhead", "via_ferrata"}
)

AREA_VALUES = ("yes", "true", "1")
# A closed way with one of these is the outline of an area, even without area=yes. A roundabout never is.
AREA_KEYS = ("amenity", "building", "building:part", "landuse", "place")
ROUNDABOUTS = frozenset({"roundabout", "circular", "mini_roundabout"})

_PRIVATE = {"access": ("private",)}
# The footway beside the road is in the network, so the carriageway is not.
_SEPARATE_SIDEWALK = dict.fromkeys(("sidewalk", "sidewalk:both", "sidewalk:left", "sidewalk:right"), ("separate",))


@dataclass(frozen=True)
class WayRule:
    """Which ways are wanted: those of some classes (``None`` for all), without some classes and tags."""

    name: str
    classes: frozenset[str] | None
    without_classes: frozenset[str] = frozenset()
    without_tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def takes_class(self, highway: str | None) -> bool:
        """Whether a way of this class is wanted, regardless of its access."""
        if highway is None or highway in self.without_classes:
            return False
        return self.classes is None or highway in self.classes

    def overpass_filter(self) -> str:
        """The same rule for an Overpass query."""
        parts = ['["highway"]' if self.classes is None else f'["highway"~"{_whole(self.classes)}"]']
        if self.without_classes:
            parts.append(f'["highway"!~"{_whole(self.without_classes)}"]')
        parts.append(f'["area"!~"{_whole(AREA_VALUES)}"]')
        parts.extend(f'["{key}"!~"{_whole(values)}"]' for key, values in self.without_tags.items())
        return "".join(parts)


NETWORK_TYPES = {
    "drive": WayRule(
        "drive",
        DRIVE,
        without_tags=_PRIVATE
        | {
            "motor_vehicle": ("no",),
            "motorcar": ("no",),
            "service": ("alley", "driveway", "emergency_access", "parking", "parking_aisle", "private"),
        },
    ),
    "walk": WayRule(
        "walk", WALK, without_tags=_PRIVATE | {"foot": ("no",), "service": ("private",)} | _SEPARATE_SIDEWALK
    ),
    "bike": WayRule("bike", BIKE, without_tags=_PRIVATE | {"bicycle": ("no",), "service": ("private",)}),
    "all": WayRule("all", None, without_classes=NOT_IN_USE),
}


def way_rule(network_type: str | Sequence[str]) -> WayRule:
    """The rule of a network type: a name, or highway classes as a list or as text with commas.

    Raises
    ------
    ParameterError
        For a name that is neither a network type nor a highway class, and for an empty list.
    """
    if isinstance(network_type, str) and network_type.strip() in NETWORK_TYPES:
        return NETWORK_TYPES[network_type.strip()]
    as_text = isinstance(network_type, str)
    given = network_type.split(",") if isinstance(network_type, str) else list(network_type)
    classes = [name.strip() if isinstance(name, str) else name for name in given]
    for name in classes:
        strange = not isinstance(name, str) or not name or name in NETWORK_TYPES
        if strange or not _is_word(name) or (as_text and name not in KNOWN_CLASSES):
            msg = (
                f"unknown network type {name!r}; choose {', '.join(NETWORK_TYPES)}, "
                "or highway classes such as primary,secondary"
            )
            raise ParameterError(msg)
    if not classes:
        raise ParameterError(f"no highway class given; choose {', '.join(NETWORK_TYPES)}, or name some classes")
    return WayRule(",".join(sorted(set(classes))), frozenset(classes))


def _is_word(name: str) -> bool:
    return name.isascii() and all(letter.isalnum() or letter in "_:-" for letter in name)


def _whole(values: Iterable[str]) -> str:
    return f"^({'|'.join(sorted(values))})$"
