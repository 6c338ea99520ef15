"""Drawings that repeat what they hold, and texts that libraries search again and again."""

import ezdxf

from tests.fuzz.hostile.row import entities_that_grow, hostile


def _dxf(path, build):
    document = ezdxf.new()
    build(document)
    document.saveas(path)


@hostile("nested.dxf", "lines", "shapes of its blocks.*limits.{1,2}copies=")
def dxf_blocks_nested_40_deep(path, _):
    def build(document):
        document.blocks.new("B0").add_line((0, 0), (1, 1))
        for level in range(1, 41):
            block = document.blocks.new(f"B{level}")
            block.add_blockref(f"B{level - 1}", (0, 0))
            block.add_blockref(f"B{level - 1}", (1, 0))
        document.modelspace().add_blockref("B40", (0, 0))

    _dxf(path, build)


@hostile("empty.dxf", "lines", "shapes of its blocks.*limits.{1,2}copies=")
def dxf_of_nested_blocks_without_a_line(path, _):
    def build(document):
        document.blocks.new("B0")
        for level in range(1, 41):
            block = document.blocks.new(f"B{level}")
            block.add_blockref(f"B{level - 1}", (0, 0))
            block.add_blockref(f"B{level - 1}", (1, 0))
        document.modelspace().add_blockref("B40", (0, 0))

    _dxf(path, build)


@hostile("grid.dxf", "lines", "shapes of its blocks.*limits.{1,2}copies=")
def dxf_minsert_of_millions(path, _):
    def build(document):
        document.blocks.new("B").add_line((0, 0), (1, 1))
        grid = {"row_count": 30_000, "column_count": 30_000, "row_spacing": 1.0, "column_spacing": 1.0}
        document.modelspace().add_blockref("B", (0, 0), dxfattribs=grid)

    _dxf(path, build)


@hostile("self.dxf", "lines", "'SELF' contains itself")
def dxf_block_that_inserts_itself(path, _):
    def build(document):
        block = document.blocks.new("SELF")
        block.add_line((0, 0), (1, 1))
        block.add_blockref("SELF", (1, 0))
        document.modelspace().add_blockref("SELF", (0, 0))

    _dxf(path, build)


@hostile("deep.dxf", "lines", "150 blocks inside each other.*limits.{1,2}depth=")
def dxf_chain_of_150_blocks(path, _):
    def build(document):
        document.blocks.new("B1").add_line((0, 0), (1, 1))
        for level in range(2, 151):
            document.blocks.new(f"B{level}").add_blockref(f"B{level - 1}", (0, 0))
        document.modelspace().add_blockref("B150", (0, 0))

    _dxf(path, build)


def svg(inside):
    start = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">'
    return f"{start}{inside}</svg>"


@hostile("use.svg", "lines", "shapes of .* elements.*limits.{1,2}copies=")
def svg_of_nested_uses(path, _):
    levels = ['<g id="g0"><line x1="0" y1="0" x2="5" y2="5" stroke="black"/></g>']
    for level in range(1, 30):
        twice = f'<use xlink:href="#g{level - 1}"/>' * 2
        levels.append(f'<g id="g{level}">{twice}</g>')
    path.write_text(svg(f'<defs>{"".join(levels)}</defs><use href="#g29"/>'))


@hostile("self.svg", "lines", "repeats itself")
def svg_use_of_itself(path, _):
    path.write_text(svg('<g id="a"><line x1="0" y1="0" x2="5" y2="5" stroke="black"/><use href="#a"/></g>'))


@hostile("groups.svg", "lines", "elements inside each other.*limits.{1,2}depth=")
def svg_of_2000_nested_groups(path, _):
    inside = '<line x1="0" y1="0" x2="5" y2="5" stroke="black"/>'
    path.write_text(svg('<g transform="rotate(1)">' * 2000 + inside + "</g>" * 2000))


@hostile("nested.dxf", "roads", "shapes of its blocks.*limits.{1,2}copies=")
def dxf_of_nested_blocks_as_roads(path, address):
    dxf_blocks_nested_40_deep(path, address)


@hostile("grid.dxf", "objects", "shapes of its blocks.*limits.{1,2}copies=")
def dxf_minsert_as_objects(path, address):
    dxf_minsert_of_millions(path, address)


@hostile("nested.dxf", "area", "not recognized")
def dxf_of_nested_blocks_as_area(path, address):
    dxf_blocks_nested_40_deep(path, address)


_LINE = '<line x1="0" y1="0" x2="5" y2="5" stroke="black"/>'


@hostile("turned.svg", "lines", "without '\\)'")
def svg_transforms_without_an_end(path, _):
    turns = "rotate(" * 100_000
    path.write_text(svg(f'<g transform="{turns}">{_LINE}</g>'))


@hostile("style.svg", "lines", "without '}'")
def svg_style_sheet_without_an_end(path, _):
    rules = "a{" * 200_000
    path.write_text(svg(f"<style>{rules}</style>{_LINE}"))


@hostile("digits.svg", "lines", "a number of 100 digits")
def svg_number_without_an_end(path, _):
    digits = "1" * 500_000
    path.write_text(svg(f'<polyline stroke="red" points="{digits}"/>'))


@hostile("laughs.svg", "lines", "amplification|not well-formed|entit")
def svg_of_entities_that_grow(path, _):
    path.write_text(entities_that_grow(svg("<text>&a9;</text>")))


@hostile("elsewhere.svg", "lines", "shows a part of another file")
def svg_that_names_files_and_addresses(path, address):
    links = f'<use href="file:///etc/passwd#a"/><image href="{address}.png" width="3" height="3"/>'
    path.write_text(svg(links + _LINE))
