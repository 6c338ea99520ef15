"""Which OpenStreetMap ways belong to a road network.

The named network types are those of osmnx, with values compared as a whole and not as parts of a text. Access follows
osmnx too: ``access=private`` excludes a way from ``drive``, ``walk`` and ``bike``, and so does a ban of their own
traffic. Only ``all``, networks other than roads, and explicit classes and tags ignore access: whoever asks for
everything, or for a class by its name, gets it.

Networks are not only of roads: railways, power lines, waterways and whatever else has a tag.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

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
# Closed ways with these tags are areas too, where a network of their key is asked for.
AREA_TAGS = {
    "aeroway": ("aerodrome", "apron", "hangar", "helipad", "terminal"),
    "man_made": ("bridge", "pier", "storage_tank", "wastewater_plant", "works"),
    "power": ("generator", "plant", "substation", "transformer"),
    "railway": ("platform", "roundhouse", "station", "turntable"),
    "waterway": ("boatyard", "dock", "fuel", "riverbank"),
}
ROUNDABOUTS = frozenset({"roundabout", "circular", "mini_roundabout"})

_PRIVATE = {"access": ("private",)}
# The footway beside the road is in the network, so the carriageway is not.
_SEPARATE_SIDEWALK = dict.fromkeys(("sidewalk", "sidewalk:both", "sidewalk:left", "sidewalk:right"), ("separate",))


@dataclass(frozen=True)
class WayRule:
    """Which ways are wanted: those with any of some tags, without some highway classes and tags.

    Attributes
    ----------
    name
        What the network is called; another rule has another name.
    tags
        Keys, and for each the values that are wanted; ``None`` for any value.
    without_classes
        Values of ``highway`` that are left out.
    without_tags
        Tags of ways that are closed to the traffic of the network.
    """

    name: str
    tags: Mapping[str, frozenset[str] | None]
    without_classes: frozenset[str] = frozenset()
    without_tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def takes_class(self, highway: str | None) -> bool:
        """Whether a way of this highway class is wanted for its class, regardless of its access."""
        if highway is None or highway in self.without_classes or "highway" not in self.tags:
            return False
        classes = self.tags["highway"]
        return classes is None or highway in classes

    def overpass_filter(self) -> list[str]:
        """The same rule for Overpass queries, whose answers are put together."""
        parts = [f'["area"!~"{_whole(AREA_VALUES)}"]']
        if self.without_classes:
            parts.insert(0, f'["highway"!~"{_whole(self.without_classes)}"]')
        parts.extend(f'["{key}"!~"{_whole(values)}"]' for key, values in self.without_tags.items())
        rest = "".join(parts)
        return [
            (f'["{key}"]' if values is None else f'["{key}"~"{_whole(values)}"]') + rest
            for key, values in self.tags.items()
        ]


def _roads(classes: frozenset[str] | None) -> Mapping[str, frozenset[str] | None]:
    return MappingProxyType({"highway": classes})


def _tagged(**values: str) -> Mapping[str, frozenset[str] | None]:
    return MappingProxyType({key: frozenset(text.split()) for key, text in values.items()})


NETWORK_TYPES = {
    "drive": WayRule(
        "drive",
        _roads(DRIVE),
        without_tags=_PRIVATE
        | {
            "motor_vehicle": ("no",),
            "motorcar": ("no",),
            "service": ("alley", "driveway", "emergency_access", "parking", "parking_aisle", "private"),
        },
    ),
    "walk": WayRule(
        "walk", _roads(WALK), without_tags=_PRIVATE | {"foot": ("no",), "service": ("private",)} | _SEPARATE_SIDEWALK
    ),
    "bike": WayRule("bike", _roads(BIKE), without_tags=_PRIVATE | {"bicycle": ("no",), "service": ("private",)}),
    "all": WayRule("all", _roads(None), without_classes=NOT_IN_USE),
    # Ways made for bicycles, where bike is all that they may use.
    "cycle": WayRule(
        "cycle",
        _tagged(highway="cycleway", bicycle="designated", bicycle_road="yes", cyclestreet="yes"),
        without_classes=NOT_IN_USE,
        without_tags=_PRIVATE,
    ),
    # In use: abandoned, disused and planned lines have other values.
    "rail": WayRule("rail", _tagged(railway="funicular light_rail monorail narrow_gauge preserved rail subway tram")),
    "power": WayRule("power", _tagged(power="cable line minor_line")),
    "waterway": WayRule(
        "waterway", _tagged(waterway="canal ditch drain flowline pressurised river stream tidal_channel")
    ),
    "pipeline": WayRule("pipeline", _tagged(man_made="pipeline")),
    "ferry": WayRule("ferry", _tagged(route="ferry")),
    "aeroway": WayRule("aeroway", _tagged(aeroway="runway taxilane taxiway")),
}


def way_rule(network_type: str | Sequence[str]) -> WayRule:
    """The rule of a network type.

    Parameters
    ----------
    network_type
        A name, highway classes as a list or as text with commas (``primary,secondary``), or tags: ``railway=tram``,
        ``highway=residential,tertiary``, ``waterway=*``, ``railway=rail,tram,route=ferry``.

    Raises
    ------
    ParameterError
        For a name that is neither a network type nor a highway class nor a tag, and for an empty list.
    """
    if isinstance(network_type, str) and network_type.strip() in NETWORK_TYPES:
        return NETWORK_TYPES[network_type.strip()]
    as_text = isinstance(network_type, str)
    given = network_type.split(",") if isinstance(network_type, str) else list(network_type)
    classes = [name.strip() if isinstance(name, str) else name for name in given]
    if any(isinstance(name, str) and "=" in name for name in classes):
        return _rule_of_tags(classes)
    for name in classes:
        strange = not isinstance(name, str) or not name or name in NETWORK_TYPES
        if strange or not _is_word(name) or (as_text and name not in KNOWN_CLASSES):
            raise _unknown(name)
    if not classes:
        raise ParameterError(f"no highway class given; choose {', '.join(NETWORK_TYPES)}, or name some classes")
    return WayRule(",".join(sorted(set(classes))), _roads(frozenset(classes)))


def _rule_of_tags(parts: Sequence[object]) -> WayRule:
    """The rule of ``key=value``; values that follow without a key belong to the key before them."""
    tags: dict[str, set[str]] = {}
    key = ""
    for part in parts:
        if not isinstance(part, str):
            raise _unknown(part)
        before, is_tag, value = part.partition("=") if "=" in part else ("", "", part)
        key = before.strip() if is_tag else key
        value = value.strip()
        # What OpenStreetMap allows, without what would end a value in a query or in the text of this option.
        if not key or not _is_word(key) or not value or not value.isprintable() or set(value) & set('"\\='):
            raise _unknown(part)
        tags.setdefault(key, set()).add(value)
    wanted = {key: None if "*" in values else frozenset(values) for key, values in sorted(tags.items())}
    named = (f"{key}={'*' if values is None else ','.join(sorted(values))}" for key, values in wanted.items())
    return WayRule(",".join(named), MappingProxyType(wanted))


def _unknown(name: object) -> ParameterError:
    msg = (
        f"unknown network type {name!r}; choose {', '.join(NETWORK_TYPES)}, highway classes such as "
        "primary,secondary, or tags such as railway=tram or waterway=*"
    )
    return ParameterError(msg)


def _is_word(name: str) -> bool:
    return name.isascii() and all(letter.isalnum() or letter in "_:-" for letter in name)


def _whole(values: Iterable[str]) -> str:
    """A pattern for any of these values as a whole; within quotes Overpass wants backslashes doubled."""
    return f"^({'|'.join(map(_escaped, sorted(values)))})$"


def _escaped(value: str) -> str:
    return re.sub(r"([.^$*+?{}\[\]|()])", r"\\\\\1", value)
