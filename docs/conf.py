"""How Sphinx makes the site; ``docs/build`` calls it."""

import logging
import os

from geoeval import __version__

logging.getLogger("traitlets").setLevel(logging.WARNING)

project = "geoeval"
copyright = "the geoeval authors, GPL-2.0-or-later; map data © OpenStreetMap contributors, ODbL"  # noqa: A001 - Sphinx's name
release = version = __version__

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx_copybutton"]
myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = os.environ.get("GEOEVAL_NOTEBOOKS", "force")  # off: a quick look at the pages
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True
smartquotes_action = "qe"  # two dashes begin an option, and stay two dashes
numpydoc_show_class_members = False
autodoc_typehints = "none"  # numpydoc describes parameters; the signature has no room for both
autodoc_member_order = "bysource"
suppress_warnings = ["mystnb.unknown_mime_type"]
exclude_patterns = ["packaging"]

html_theme = "furo"
html_title = f"geoeval {release}"
html_static_path = ["pages/static"]
html_css_files = ["extra.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
copybutton_exclude = ".linenos, .gp, .go"
