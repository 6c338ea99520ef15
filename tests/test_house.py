"""The house: imports go one way, no package imports itself in a circle, and facts stand in one place."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import geoeval
from geoeval.model import result as result_module

ROOT = Path(geoeval.__file__).parent
# From the ground up. A room may import from its own row and from rows above it here; never from below.
FLOW = (
    ("_version", "arrays", "contents", "defaults", "signals"),
    ("wording",),
    ("exceptions",),
    ("trust", "stored_geometries", "stored_json", "crs_definitions"),
    ("repairing",),
    ("crs", "files", "user_folders", "cluster", "isolation"),
    ("engines",),
    ("gdal_files",),
    ("area", "coverage", "seeds"),
    ("_kernels",),
    ("offsets",),
    ("model",),
    ("metrics",),
    ("readers", "roads", "objects", "lines"),
    ("content",),
    ("protocols",),
    ("diagnosis", "perturbation", "scale", "writers"),
    ("report", "ranking", "reviewing"),
    ("pipeline",),
    ("studies",),
    ("benchmarking",),
    ("streaming",),
    ("cli",),
    ("__main__",),
)
LEVEL = {room: level for level, rooms in enumerate(FLOW) for room in rooms}


def modules():
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        yield path, ".".join(("geoeval", *parts)).removesuffix(".__init__")


def imports_of(path, *, names):
    """Every geoeval module that a file imports, also inside functions and under TYPE_CHECKING."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "geoeval":
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in names else node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == "geoeval"}
        # Modules that are named and loaded later; a package is named for the files in it.
        elif isinstance(node, ast.Constant) and node.value in names and not is_package(node.value):
            found.add(node.value)
    return found - {"geoeval"}


def is_package(module):
    return (ROOT.joinpath(*module.split(".")[1:]) / "__init__.py").exists()


def room_of(module):
    return module.split(".")[1] if "." in module else ""


NAMES = {name for _, name in modules()}
IMPORTS = {name: imports_of(path, names=NAMES) for path, name in modules()}


def test_every_room_is_in_the_flow():
    assert {room_of(name) for name in NAMES} - {""} == set(LEVEL)


@pytest.mark.parametrize("name", sorted(NAMES - {"geoeval"}))
def test_imports_go_down_only(name):
    room = room_of(name)
    allowed = set(result_module._TOOLS.values()) if name == "geoeval.model.result" else set()
    for other in IMPORTS[name] - allowed:
        there = room_of(other)
        assert there == room or LEVEL[there] < LEVEL[room], f"{name} imports {other}"


def test_only_a_result_calls_rooms_above_it_and_only_by_name():
    """Methods such as Result.write_layers are the one exception from the flow, and they load what they need late."""
    up = {name for name, others in IMPORTS.items() if name != "geoeval" and any(
        LEVEL[room_of(other)] > LEVEL[room_of(name)] for other in others)}  # fmt: skip
    assert up == {"geoeval.model.result"}


def test_no_circle_between_packages():
    """Nor between the families and modules inside a room; imports for type checkers alone do not count."""
    graph = {}
    for path, name in modules():
        loaded = IMPORTS[name] - _typing_imports(path)
        if name == "geoeval.model.result":
            loaded -= set(result_module._TOOLS.values())
        if name != "geoeval":
            graph.setdefault(package_of(name), set()).update(package_of(other) for other in loaded)
    done = set()

    def visit(package, trail):
        assert package not in trail, " -> ".join([*trail[trail.index(package) :], package])
        if package not in done:
            for other in sorted(graph.get(package, set()) - {package}):
                visit(other, [*trail, package])
            done.add(package)

    for package in sorted(graph):
        visit(package, [])


def package_of(module):
    """The family that a module is in; a module right inside a room is one of its own."""
    parts = module.split(".")
    return module if is_package(module) or len(parts) <= 3 else ".".join(parts[:3])


def _typing_imports(path):
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            for inner in node.body:
                if isinstance(inner, ast.ImportFrom) and inner.module:
                    found |= {f"{inner.module}.{alias.name}" for alias in inner.names} | {inner.module}
    return found


def test_public_names_are_all_there():
    assert set(geoeval._HOMES) | {"__version__"} == set(geoeval.__all__)
    for name in geoeval.__all__:
        assert getattr(geoeval, name) is not None


def test_importing_geoeval_loads_nothing_heavy():
    code = "import sys, geoeval; print([m for m in ('numpy', 'pandas', 'shapely', 'numba') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["Floats", "Ints", "Bools", "Objects", "Box"])
def test_array_types_are_named_once(name):
    homes = [
        path.name
        for path, _ in modules()
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
    ]
    assert homes == ["arrays.py"]


def test_no_class_name_means_two_things():
    seen = {}
    for path, _ in modules():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                seen.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: places for name, places in seen.items() if len(places) > 1} == {}
