"""Tables of lines."""

import pytest

from geoeval import exceptions
from geoeval.readers import read_drawing


def test_plain_table(tmp_path):
    file = tmp_path / "lines.txt"
    file.write_text("# x1 y1 x2 y2 width style\n10 20 90 20 8\n\n0,0,3,4,1.5,dashed  # a comment\n1\t1\t1\t9\t2\t4\n")
    drawing = read_drawing(file)
    assert drawing.lengths.tolist() == [80, 5, 8]
    assert drawing.widths.tolist() == [8, 1.5, 2]
    assert drawing.styles.tolist() == [1, 2, 4]
    assert drawing.ids.tolist() == [2, 4, 5]
    assert read_drawing(file, pixel_size=0.5).lengths.tolist() == [40, 2.5, 4]
    assert read_drawing(file, pixel_size=0.5).widths.tolist() == [4, 0.75, 1]


def test_labelled_table(tmp_path):
    file = tmp_path / "plan.txt"
    file.write_text("9\t30\t9\t128\twall\t1\t1\n9 178 9 259 door 1 1\n")
    drawing = read_drawing(file, width=4)
    assert (len(drawing), drawing.widths.tolist(), drawing.problems) == (1, [4], {"other_labels": 1})
    assert len(read_drawing(file, labels=("wall", "door"))) == 2
    assert len(read_drawing(file, labels="wall, door")) == 2
    assert len(read_drawing(file, labels="walls")) == 0


@pytest.mark.parametrize("row", ["1 2 3 4", "1 2 3 x 5", "1 2 3 4 0", "1 2 3 4 -1", "1 2 3 4 5 dotty", "1 2 3 nan 5"])
def test_rows_that_are_no_lines_are_named(tmp_path, row):
    file = tmp_path / "lines.txt"
    file.write_text(f"0 0 1 1 1\n{row}\n")
    with pytest.raises(exceptions.UnreadableInputError, match="row 2"):
        read_drawing(file)


def test_an_empty_table_is_an_empty_drawing(tmp_path):
    file = tmp_path / "none.txt"
    file.write_text("# nothing detected\n")
    assert read_drawing(file).is_empty
