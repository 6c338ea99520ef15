"""What is said about a finished evaluation: scores, headline, what is off with the pair. No QGIS here."""

from .engine import description
from .words import finding_in_dialog_words

# The metric that stands for a whole evaluation: the first of these that was computed.
HEADLINES = {"roads": ("opt-j", "opt-p", "apls", "ccq"), "objects": ("max-overlap", "iou"), "lines": ("combined",)}


def output_name(metric, score):
    """Name of a score among the outputs: ``opt-j`` and ``f1`` give ``OPT_J_F1``."""
    return f"{metric}_{score}".upper().replace("-", "_")


def score_outputs(scores):
    """Every defined score by the name of its output."""
    return {
        output_name(metric, name): value
        for metric, values in scores.items()
        for name, value in values.items()
        if value is not None
    }


def score_columns(results):
    """Metric, name and field of every score that any of the results has, in the engine's order."""
    return [
        (metric, score, field)
        for metric, facts in description().metrics("roads").items()
        for score, field in facts["scores"].items()
        if any(score in scores.get(metric, {}) for scores in results)
    ]


def headlines(scores, kind):
    """Metric, score and value that stand for each metric, the one that stands for the whole evaluation first."""
    found = []
    for metric in dict.fromkeys((*HEADLINES[kind], *scores)):
        if scores.get(metric):
            score = description().metrics(kind).get(metric, {}).get("headline") or next(iter(scores[metric]))
            found.append((metric, score, scores[metric].get(score)))
    return found


def score_title(metric, score):
    """A score for people: ``OPT-J F1``."""
    return " ".join([metric.upper(), *([] if score == metric else [score.upper()])])


def headline_of(scores, kind="roads"):
    """The score that stands for the evaluation, as text: ``OPT-J F1 0.878``."""
    found = headlines(scores, kind)
    if not found:
        return ""
    metric, score, value = found[0]
    return f"{score_title(metric, score)} {'undefined' if value is None else f'{value:.3f}'}"


def warnings_of(result, titles):
    """What is off with the pair, the worst first: each with whether it is a warning."""
    return [
        (finding_in_dialog_words(finding, titles), finding["level"] != "info")
        for finding in result.get("diagnosis", ())
    ]


def lines_about(result):
    """The scores as lines for the log, and why a score is undefined."""
    for role in ("reference", "prediction"):
        if "length_m" in result[role]:
            yield f"{role}: {length_in_words(result[role], 2)}"
    for metric, scores in result["scores"].items():
        yield f"{metric}: " + ", ".join(f"{name} {number(value)}" for name, value in scores.items())
    for what, reason in result.get("notes", {}).items():
        yield f"{what}: {reason}"


def length_in_words(facts, digits):
    """How long a map is, in kilometres to so many digits, or in the unit of a drawing."""
    length, unit = facts["length_m"], facts.get("unit", "m")
    return f"{length / 1000:,.{digits}f} km" if unit == "m" else f"{length:,.0f} {unit}"


def number(value, undefined="undefined"):
    """A score for people; ``undefined`` stands for one that there is not."""
    if value is None:
        return undefined
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"
