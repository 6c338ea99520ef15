"""Where errors are for people who edit OpenStreetMap: longitude, latitude, and addresses of its pages.

Nothing here asks the network; the addresses are for those who read what is written.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from geoeval import crs as projections
from geoeval.contents import SIDES
from geoeval.model.result import Result
from geoeval.readers.osm.recognition import is_osm_source

if TYPE_CHECKING:
    import pandas as pd

_SITE = "https://www.openstreetmap.org"
_ZOOM = 19
# Ids that say what they are, and those of files of OpenStreetMap, which are ids of ways where they are bare numbers.
# Those that somebody drew and never uploaded are below zero.
_ELEMENT = re.compile(r"(node|way|relation)/([1-9][0-9]{0,18})")
_BARE = re.compile(r"[1-9][0-9]{0,18}")


def with_osm_links(table: "pd.DataFrame", result: Result) -> "pd.DataFrame":
    """A table of places with columns for those who go there.

    Parameters
    ----------
    table
        With columns ``x`` and ``y`` in the CRS of the result, ``ref_id`` and ``pred_id``.
    result
        Tells the CRS, and whose ids are those of OpenStreetMap.

    Returns
    -------
    DataFrame
        With ``lon`` and ``lat`` in degrees of WGS 84, ``osm_place`` (the map there), ``osm_edit`` (its editor there,
        with the element where there is one) and ``osm_object`` (the page of the element; empty where the error has no
        feature of OpenStreetMap). Rows without a place have none of them. Coordinates without a place on Earth: the
        table as it is.
    """
    if projections.is_local(result.crs):
        return table
    xy = table[["x", "y"]].to_numpy(dtype=np.float64)
    known = np.isfinite(xy).all(axis=1)
    lonlat = np.full(xy.shape, np.nan)
    lonlat[known] = np.round(projections.transform(xy[known], result.crs, projections.WGS84), 7)
    elements = osm_elements(result, table["ref_id"], table["pred_id"])
    places = [place if here else None for place, here in zip(lonlat.tolist(), known, strict=True)]
    return table.assign(
        lon=lonlat[:, 0],
        lat=lonlat[:, 1],
        osm_place=[place_address(place) for place in places],
        osm_edit=[edit_address(place, element) for place, element in zip(places, elements, strict=True)],
        osm_object=[element_address(element) for element in elements],
    )


def osm_elements(result: Result, ref_ids: Iterable[Any], pred_ids: Iterable[Any]) -> list[str]:
    """The element of OpenStreetMap that each error is about, such as ``way/123``; empty where there is none.

    That of the prediction comes first, since the prediction is what is to be fixed; of several the first.
    """
    bare = {side: is_osm_source(str(getattr(result, side).get("source", ""))) for side in SIDES}
    return [
        _element(pred, is_osm=bare["prediction"]) or _element(ref, is_osm=bare["reference"])
        for ref, pred in zip(ref_ids, pred_ids, strict=True)
    ]


def _element(ids: Any, *, is_osm: bool) -> str:
    first = str(ids).split(";")[0]
    if _ELEMENT.fullmatch(first):
        return first
    return f"way/{first}" if is_osm and _BARE.fullmatch(first) else ""


def place_address(place: list[float] | None) -> str:
    """The page of OpenStreetMap with a mark at a place, given as longitude and latitude."""
    return "" if place is None else f"{_SITE}/?mlat={place[1]:.7f}&mlon={place[0]:.7f}{_view(place)}"


def edit_address(place: list[float] | None, element: str = "") -> str:
    """The editor of OpenStreetMap at a place, with an element chosen."""
    kind, _, number = element.partition("/")
    return "" if place is None else f"{_SITE}/edit{f'?{kind}={number}' if element else ''}{_view(place)}"


def element_address(element: str) -> str:
    """The page of an element of OpenStreetMap."""
    return f"{_SITE}/{element}" if element else ""


def _view(place: list[float]) -> str:
    return f"#map={_ZOOM}/{place[1]:.7f}/{place[0]:.7f}"
