"""One self-contained HTML page: map, tables, plots. Opens offline and asks the network for nothing."""

from geoeval.report.page import write_report

__all__ = ["write_report"]
