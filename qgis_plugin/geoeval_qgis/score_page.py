"""What a run found, on one small page: headlines with what they mean, the run before, what is off, the worst cells."""

import html

from .engine import description
from .saying import headlines, length_in_words, number, score_title
from .translation import said, tr

# Changes below this are none.
_STILL = 5e-5


def page(run, cells=()):
    """The page of a run; links are ``report``, ``review``, ``folder`` and ``cell:N``.

    Parameters
    ----------
    run
        The run.
    cells
        The worst cells: text of each.
    """
    parts = [f"<h3>{html.escape(run.name)}</h3>"]
    parts += [f"<p style='color: #a33'>&#9888; {html.escape(text)}</p>" for text in run.said]
    parts += _table(run)
    parts.append(_links(run))
    if cells:
        listed = "".join(
            f"<li><a href='cell:{number}'>{html.escape(text)}</a></li>" for number, text in enumerate(cells)
        )
        parts.append(f"<h4>{said('Worst cells')}</h4><ol>{listed}</ol>")
    parts.append(_lengths(run.result))
    return "\n".join(parts)


def _table(run):
    before = run.before or {}
    old = f"<th>{said('before')}</th><th></th>" if before else ""
    now, means = said("now"), said("what it says")
    yield "<table cellpadding='3'>"
    yield f"<tr><th align='left'>{said('score')}</th><th>{now}</th>{old}<th align='left'>{means}</th></tr>"
    for place, (metric, score, value) in enumerate(headlines(run.result["scores"], run.content)):
        facts = description().metrics(run.content).get(metric, {})
        title, shown = html.escape(score_title(metric, score)), number(value, tr("undefined"))
        bold = ("<b>", "</b>") if place == 0 else ("", "")
        yield f"<tr><td>{bold[0]}{title}{bold[1]}</td><td align='right'>{bold[0]}{shown}{bold[1]}</td>"
        if before:
            earlier = before.get(metric, {}).get(score)
            better = facts.get("declared", {}).get(score, {}).get("better", "higher")
            yield f"<td align='right'>{number(earlier, tr('undefined'))}</td><td>{_change(value, earlier, better)}</td>"
        yield f"<td>{said(facts.get('about', ''))}</td></tr>"
    yield "</table>"


def _change(value, earlier, better):
    """An arrow that is green where it became better."""
    if value is None or earlier is None or abs(value - earlier) < _STILL:
        return ""
    good = (value > earlier) == (better != "lower")
    arrow = "&#9650;" if value > earlier else "&#9660;"
    return f"<span style='color: {'#070' if good else '#a33'}'>{arrow}&nbsp;{value - earlier:+.4f}</span>"


def _links(run):
    links = [f"<a href='review'>{said('Review the errors')}</a>"] if run.file else []
    links += [f"<a href='report'>{said('Open the report')}</a>"] if run.report else []
    return f"<p>{' &nbsp; '.join(links)}</p>"


def _lengths(result):
    told = [
        f"{tr(role.capitalize())} {length_in_words(result[role], 1)}"
        for role in ("reference", "prediction")
        if result.get(role, {}).get("length_m")
    ]
    area = result.get("area") or {}
    words = area.get("words") or area.get("how") or "" if isinstance(area, dict) else ""
    if words.startswith("--aoi"):  # how a result writes down a given file, which is a copy of the layer here
        words = ""
    return f"<p>{html.escape('; '.join([', '.join(told), *([words] if words else [])]))}</p>"
