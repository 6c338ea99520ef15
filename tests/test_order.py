"""The order that the packages should come to: imports that break it are listed here, and may only get fewer.

``test_house`` holds the order that is kept today; this one is where it goes (floor by floor, from the ground up).
"""

import ast

from tests.test_house import IMPORTS, NAMES, modules

# Floor by floor; what stands together does not import one another. A prefix stands for all that is in it.
WANTED = (
    ("_version", "arrays", "contents", "defaults", "signals"),
    ("wording",),
    ("exceptions",),
    ("trust",),
    (
        "files",
        "user_folders",
        "isolation",
        "gdal_files",
        "stored_geometries",
        "stored_json",
        "crs_definitions",
        "repairing",
    ),
    ("_kernels",),
    ("crs", "area", "coverage", "offsets", "seeds"),
    ("model",),
    ("engines", "cluster"),
    ("metrics",),
    ("readers",),
    ("scale.store",),
    ("roads", "objects", "lines"),
    ("content",),
    ("protocols",),
    ("diagnosis", "scale", "pipeline"),
    ("writers", "report"),
    ("reviewing",),
    ("perturbation", "ranking", "studies"),
    ("benchmarking", "streaming"),
    ("cli",),
    ("__main__",),
)
FLOOR = {room: number for number, rooms in enumerate(WANTED) for room in rooms}
# Who imports from a floor above its own; roads, objects and lines do not import one another either.
LISTED = {
    ("model.result", "metrics"),
    ("model.result", "pipeline"),
    ("model.result", "report"),
    ("model.result", "reviewing"),
    ("model.result", "writers"),
    ("pipeline.verify", "ranking"),
    ("scale.store.object_store", "objects"),
    ("scale.store.road_store", "roads"),
}
# Who puts the name of a module together as it runs, so that no reader can find what is imported.
COMPUTED = {"metrics.registry", "readers.registry"}


def room_of(module):
    """The longest prefix of a module that has a floor."""
    parts = module.split(".")[1:]
    return next(room for size in range(len(parts), 0, -1) if (room := ".".join(parts[:size])) in FLOOR)


def violations():
    found = set()
    for name in NAMES - {"geoeval"}:
        here = room_of(name)
        for other in IMPORTS[name]:
            there = room_of(other)
            apart = here != there and {here, there} <= {"roads", "objects", "lines"}
            if FLOOR[there] > FLOOR[here] or apart:
                found.add((name.removeprefix("geoeval."), there))
    return found


def test_every_module_has_a_floor():
    assert all(room_of(name) for name in NAMES - {"geoeval"})


def test_what_breaks_the_wanted_order_is_listed():
    """Fewer is better: take what is no longer true out of the list. Nothing is added to it."""
    assert violations() == LISTED


def test_who_computes_the_names_of_modules_is_listed():
    found = set()
    for path, name in modules():
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
        if any(
            ast.unparse(one.func).endswith("import_module") and isinstance(one.args[0], ast.JoinedStr) for one in calls
        ):
            found.add(name.removeprefix("geoeval."))
    assert found == COMPUTED
