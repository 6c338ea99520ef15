"""SVG drawings."""

import numpy as np
import pytest

from geoeval.readers import read_drawing

pytest.importorskip("svgelements")


def test_svg_shapes_widths_and_styles(tmp_path):
    file = tmp_path / "drawing.svg"
    file.write_text(
        """<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100">
        <style>.d { stroke-dasharray: 4 2 }</style>
        <g transform="translate(10, 0) scale(2)"><line id="a" x1="0" y1="0" x2="10" y2="0" stroke="black"
            stroke-width="3" class="d"/></g>
        <circle cx="50" cy="50" r="20" stroke="black" stroke-dasharray="8 2 1 2"/>
        <path d="M0 0 L10 0 A5 5 0 0 1 10 10 M 50 0 L 60 0" stroke="red" stroke-dasharray="8 2 1 2 1 2"/>
        <polyline points="0,0 1,1 2,0" stroke="black" fill="none"/>
        <path d="M0 0 C 0 10 10 10 10 0" stroke="black"/>
        <rect x="0" y="0" width="4" height="4" fill="red"/></svg>"""
    )
    drawing = read_drawing(file)
    assert drawing.shapes.tolist() == [1, 2, 3, 1, 3, 3]
    assert drawing.widths.tolist() == [6, 1, 1, 1, 1, 1]
    assert drawing.styles.tolist() == [2, 3, 4, 4, 1, 1]
    assert drawing.lengths == pytest.approx([20, 40 * np.pi, 10 + 5 * np.pi, 10, 2 * np.sqrt(2), 20], rel=1e-2)
    assert drawing.ids[0] == "a"
    assert drawing.problems == {"without_stroke": 1}
    assert drawing.ends[0].tolist() == [[10, 0], [30, 0]]
