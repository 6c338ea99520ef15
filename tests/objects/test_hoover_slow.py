"""Hoover's instances against a slow reading of the definition."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from geoeval.objects.hoover import match_hoover
from geoeval.objects.overlaps import overlaps_from_matrix


def slow(C, ref_size, pred_size, T):
    """All instances, then the best first; each as (score, references, outputs)."""
    found = []
    n, m = C.shape
    for i, j in product(range(n), range(m)):
        if C[i, j] and C[i, j] >= T * ref_size[i] and C[i, j] >= T * pred_size[j]:
            found.append(((C[i, j] / ref_size[i] + C[i, j] / pred_size[j]) / 2, 0, i, [i], [j]))
    for i in range(n):
        js = [j for j in range(m) if C[i, j] and C[i, j] >= T * pred_size[j]]
        shared = sum(C[i, j] for j in js)
        if len(js) >= 2 and shared >= T * ref_size[i]:
            found.append(((shared / sum(pred_size[j] for j in js) + shared / ref_size[i]) / 2, 1, i, [i], js))
    for j in range(m):
        rows = [i for i in range(n) if C[i, j] and C[i, j] >= T * ref_size[i]]
        shared = sum(C[i, j] for i in rows)
        if len(rows) >= 2 and shared >= T * pred_size[j]:
            found.append(((shared / sum(ref_size[i] for i in rows) + shared / pred_size[j]) / 2, 2, j, rows, [j]))
    found.sort(key=lambda one: (-one[0], one[1], one[2]))
    used_ref, used_pred, taken = set(), set(), []
    for score, form, _, refs, preds in found:
        if not (used_ref & set(refs) or used_pred & set(preds)):
            used_ref |= set(refs)
            used_pred |= set(preds)
            taken.append((form, sorted(refs), sorted(preds), score))
    return taken


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**31), st.sampled_from([0.51, 0.6, 0.8]))
def test_agrees_with_the_definition(n, m, seed, T):
    rng = np.random.default_rng(seed)
    C = rng.integers(0, 12, (n, m)) * (rng.random((n, m)) < 0.6)
    ref_size, pred_size = C.sum(axis=1) + rng.integers(0, 6, n) + 1, C.sum(axis=0) + rng.integers(0, 6, m) + 1
    expected = slow(C, ref_size, pred_size, T)
    found = match_hoover(overlaps_from_matrix(C, ref_size=ref_size, pred_size=pred_size, union=1.0), T)
    refs, preds = found.instances.members()
    got = [
        (int(form), a.tolist(), b.tolist(), float(score))
        for form, a, b, score in zip(found.form, refs, preds, found.score, strict=True)
    ]
    assert sorted(one[:3] for one in got) == sorted(one[:3] for one in expected)
    np.testing.assert_allclose(sorted(one[3] for one in got), sorted(one[3] for one in expected))
