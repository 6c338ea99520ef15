"""What the readers of drawings share."""

import pytest

from geoeval.readers.drawing.drawn_lines import dash_style


@pytest.mark.parametrize(("marks", "style"), [([], 1), ([4], 2), ([4, 4], 2), ([0], 2), ([8, 1], 3), ([8, 1, 1], 4)])
def test_dashes(marks, style):
    assert dash_style(marks) == style
