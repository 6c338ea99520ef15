"""Which truth belongs to which prediction."""

from pathlib import Path

import pytest

from geoeval.benchmarking.layouts import LAYOUTS, recognise_layout
from geoeval.benchmarking.places import find_places
from geoeval.exceptions import GeoevalError, ParameterError, UnreadableInputError
from geoeval.readers.registry import is_place

DATA = "{}"


def touch(folder, *names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text(DATA)
    return folder


def names_of(found):
    return [(place.name, place.truth is not None, sorted(place.predictions)) for place in found.places]


def test_folders_are_paired_by_name_and_what_is_alone_is_told(tmp_path):
    truth = touch(tmp_path / "truth", "a.geojson", "b.osm.pbf", "c.shp", "c.dbf", "c.prj", ".hidden", "c.qml")
    one = touch(tmp_path / "one", "a.png", "b.p", "z.p")
    two = touch(tmp_path / "two", "c.geojson", "a.geojson")
    found = find_places(str(truth), {"one": str(one), "two": str(two)})
    assert names_of(found) == [("a", True, ["one", "two"]), ("b", True, ["one"]), ("c", True, ["two"])]
    assert found.without_truth == (("one", "z"),)
    assert found.layout.name == "plain"


def test_patterns(tmp_path):
    touch(tmp_path / "gt" / "x1", "x1_gt.p")
    touch(tmp_path / "gt" / "x2", "x2_gt.p", "x3_gt.p")
    touch(tmp_path / "out", "pred_x1.p", "pred_x2.p", "pred_x9.p")
    found = find_places(str(tmp_path / "gt/{name}/{name}_gt.p"), {"m": str(tmp_path / "out/pred_{name}.p")})
    assert names_of(found) == [("x1", True, ["m"]), ("x2", True, ["m"])]  # x3 lies in the folder of x2
    assert found.without_truth == (("m", "x9"),)
    with pytest.raises(GeoevalError, match="no file fits the pattern"):
        find_places(str(tmp_path / "gt/{name}.q"), {"m": str(tmp_path / "out")})


def test_names_that_do_not_meet_are_refused_with_the_pattern_that_would_help(tmp_path):
    truth = touch(tmp_path / "t", "img1_gt.geojson", "img2_gt.geojson")
    other = touch(tmp_path / "p", "pred_img1.geojson", "pred_img2.geojson")
    with pytest.raises(ParameterError) as caught:
        find_places(str(truth), {"m": str(other)})
    hint = str(caught.value).partition("did you mean ")[2].rstrip("?").replace("'", "").split()
    assert [path.rpartition("/")[2] for path in hint] == ["{name}_gt.geojson", "pred_{name}.geojson"]
    assert names_of(find_places(hint[0], {"m": hint[1]})) == [("img1", True, ["m"]), ("img2", True, ["m"])]
    with pytest.raises(ParameterError, match="give patterns"):
        find_places(str(truth), {"m": str(touch(tmp_path / "q", "u.p", "v.p"))})


def test_one_name_for_two_files_is_refused(tmp_path):
    truth = touch(tmp_path / "t", "a.geojson", "a.png")
    with pytest.raises(ParameterError, match="choose with a pattern"):
        find_places(str(truth), {"m": str(truth)})


def test_a_table_of_pairs(tmp_path):
    touch(tmp_path, "a.p", "b.p")
    table = tmp_path / "pairs.csv"
    table.write_text("name,reference,unet,graph\none,a.p,b.p,\ntwo,a.p,,b.p\n,b.p,a.p,a.p\n")
    found = find_places(str(table), {})
    assert names_of(found) == [("one", True, ["unet"]), ("two", True, ["graph"]), ("b", True, ["graph", "unet"])]
    assert found.methods == ("unet", "graph")
    assert found.places[0].truth.given == str(tmp_path / "a.p")
    table.write_text("name,reference,unet\none,a.p,b.p\none,a.p,b.p\n")
    with pytest.raises(ParameterError, match="line 3: the place 'one' occurs twice"):
        find_places(str(table), {})
    table.write_text("what,ever\n1,2\n")
    with pytest.raises(GeoevalError, match="no table of pairs"):
        find_places(str(table), {})
    with pytest.raises(GeoevalError, match="no predictions are given"):
        find_places(str(tmp_path), {})


def test_a_spacenet_table_holds_many_places(tmp_path):
    lines = ["ImageId,WKT_Pix", 'b,"LINESTRING (0 0, 9 9)"', 'a,"LINESTRING (0 0, 9 9)"', 'a,"LINESTRING (9 9, 9 0)"']
    (tmp_path / "t.csv").write_text("\n".join([*lines, "c,LINESTRING EMPTY"]))
    (tmp_path / "p.csv").write_text("\n".join([*lines[:3], 'd,"LINESTRING (0 0, 1 1)"']))
    found = find_places(str(tmp_path / "t.csv"), {"m": str(tmp_path / "p.csv")})
    assert found.layout.name == "spacenet-csv"
    assert names_of(found) == [("a", True, ["m"]), ("b", True, ["m"]), ("c", True, [])]
    assert found.places[0].truth.layer == "a"
    assert found.without_truth == (("m", "d"),)


CITY_TEST = [str(n) for n in (8, 9, 19, 28, 29, 39, 48, 49, 59, 68, 69, 79, 88, 89, 99, 108, 109, 119, 128, 129, 139,
                              148, 149, 159, 168, 169, 179)]  # fmt: skip


def test_city_scale_tests_27_tiles(tmp_path):
    truth = touch(tmp_path / "20cities", *(f"region_{n}_graph_gt.pickle" for n in range(180)), "region_8_sat.png")
    out = touch(tmp_path / "out", *(f"{n}.p" for n in CITY_TEST), "5.p")
    found = find_places(str(truth), {"m": str(out)})
    assert found.layout.name == "city-scale"
    assert {place.name for place in found.places} == set(CITY_TEST)
    assert [place.name for place in found.places] == sorted(CITY_TEST)  # as the scripts sort the names of files
    assert all(place.predictions for place in found.places)
    assert found.without_truth == ()
    assert found.elsewhere == 153
    assert len(find_places(str(truth), {"m": str(out)}, split="all").places) == 180
    assert {p.name for p in find_places(str(truth), {"m": str(out)}, split="train").places} >= {"0", "5", "7"}
    (truth / "region_8_graph_gt.pickle").unlink()
    assert next(one for one in find_places(str(truth), {"m": str(out)}).places if one.name == "8").truth is None


@pytest.mark.parametrize(
    ("files", "folder", "layout"),
    [
        (["region_9_refine_gt_graph.p"], "20cities", "city-scale-refined"),
        (["region_2714_refine_gt_graph.p", "region_9_refine_gt_graph.p"], "tiles", "global-scale"),
        (["region_9_refine_gt_graph.p"], "out_of_domain", "global-scale-out"),
        (["AOI_2_Vegas_1__gt_graph.p"], "x", "spacenet"),
        (["AOI_2_Vegas_1__gt_graph_dense.p"], "x", "spacenet-deh4r"),
        (["AOI_2_Vegas_1__gt_graph_dense_spacenet.p"], "x", "spacenet-rngdet"),
        (["anything.p"], "x", "plain"),
    ],
)
def test_layouts_are_recognised_by_names(tmp_path, files, folder, layout):
    assert recognise_layout(touch(tmp_path / folder, *files), files).name == layout


def test_several_truths_in_one_folder_must_be_chosen_among(tmp_path):
    names = ["X_1__gt_graph.p", "X_1__gt_graph_dense.p", "X_2__gt_graph.p"]
    truth, out = touch(tmp_path / "t", *names), touch(tmp_path / "p", "X_1.p", "X_2.p")
    with pytest.raises(ParameterError, match=r"\(spacenet, spacenet-deh4r\); give layout$"):
        find_places(str(truth), {"m": str(out)})
    found = find_places(str(truth), {"m": str(out)}, layout="spacenet")
    assert names_of(found) == [("X_1", True, ["m"]), ("X_2", True, ["m"])]
    with pytest.raises(ParameterError, match="unknown layout"):
        find_places(str(truth), {"m": str(out)}, layout="nonsense")


def test_a_listed_split_says_which_chips_are_tested(tmp_path):
    truth = touch(tmp_path / "t", "X_1__gt_graph.p", "X_2__gt_graph.p")
    out = touch(tmp_path / "p", "X_1.p", "X_2.p")
    (tmp_path / "data_split.json").write_text('{"test": ["X_2", "X_3"], "train": ["X_1"]}')
    found = find_places(str(truth), {"m": str(out)})
    assert names_of(found) == [("X_2", True, ["m"]), ("X_3", False, [])]
    assert found.elsewhere == 1


def test_splits_of_global_scale():
    layout = LAYOUTS["global-scale"]
    names = layout.names("test", None, [])
    assert (len(names), min(map(int, names)), max(map(int, names))) == (624, 2714, 3337)
    assert len(LAYOUTS["global-scale-out"].names("test", None, [])) == 130


@pytest.mark.parametrize("folder", [".", "here"])
def test_a_table_of_pairs_downloads_nothing(tmp_path, monkeypatch, folder):
    """A table beside which the command runs has no folder in front of its names, which would be taken for places."""
    monkeypatch.chdir(tmp_path)
    touch(tmp_path / "here", "a.p")
    for cell in ("osm:Heidelberg", "./osm:Heidelberg"):
        table = Path(folder) / "pairs.csv"
        table.write_text(f"reference,unet\n{cell},here/a.p\n")
        if folder == "." or cell.startswith("osm:"):
            with pytest.raises(UnreadableInputError, match=r"line 2: .*osm:Heidelberg' would be downloaded"):
                find_places(str(table), {})
        else:
            assert not is_place(find_places(str(table), {}).places[0].truth.given)


def test_files_that_are_called_as_places_are_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    touch(tmp_path, "osm:Heidelberg.osm")
    found = find_places(".", {"m": "."})
    assert found.places[0].truth.given == str(tmp_path / "osm:Heidelberg.osm")
