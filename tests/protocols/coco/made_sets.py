"""Random COCO data sets, as the dictionaries of their files: outlines, runs of pixels, crowds, ties, empty images."""

import numpy as np
from pycocotools import mask as coco_mask


def ring(rng, size):
    """A star-shaped ring, which may reach over the border of the image."""
    height, width = size
    corners = int(rng.integers(3, 9))
    angle = np.sort(rng.uniform(0, 2 * np.pi, corners))
    radius = rng.uniform(2, 3 + 0.4 * min(size), corners)
    middle = rng.uniform(0, [width, height])
    points = middle + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.round(points, int(rng.integers(0, 3))).ravel().tolist()


def segmentation(rng, size):
    """Rings, compressed runs or runs as a list."""
    form = int(rng.integers(4))
    rings = [ring(rng, size) for _ in range(int(rng.integers(1, 3)))]
    if form < 2:
        return rings
    packed = coco_mask.merge(coco_mask.frPyObjects(rings, *size))
    if form == 2:
        return {"size": list(size), "counts": packed["counts"].decode()}
    flat = coco_mask.decode(packed).T.ravel()
    changes = np.flatnonzero(np.diff(flat)) + 1
    counts = np.diff(np.concatenate([[0], [0] if flat[0] else [], changes, [flat.size]])).astype(int)
    return {"size": list(size), "counts": counts.tolist()}


def packed_runs(shape, size):
    """Runs of pixels in pycocotools' own form."""
    if isinstance(shape, list):
        return coco_mask.merge(coco_mask.frPyObjects(shape, *size))
    if isinstance(shape["counts"], list):
        return coco_mask.frPyObjects(shape, *size)
    return shape


def made_sets(seed, *, images=6, boxes=False):
    """A data set and results for it; scores have few values, so that many are equal."""
    rng = np.random.default_rng(seed)
    sizes = {int(key): (int(rng.integers(40, 120)), int(rng.integers(40, 120))) for key in rng.permutation(images) + 1}
    first_id = int(rng.integers(2))
    truths, results = [], []
    for image, size in sizes.items():
        for _ in range(int(rng.integers(0, 6))):
            own = segmentation(rng, size)
            packed = packed_runs(own, size)
            truths.append({
                "id": len(truths) + first_id,
                "image_id": image, "category_id": int(rng.integers(1, 4)), "segmentation": own,
                "area": float(coco_mask.area(packed)) * float(rng.choice([1.0, 1.0, 5.0])),
                "bbox": coco_mask.toBbox(packed).tolist(), "iscrowd": int(rng.random() < 0.2),
                "ignore": int(rng.random() < 0.2),
            })  # fmt: skip
        for _ in range(int(rng.integers(0, 8))):
            near = [truth for truth in truths if truth["image_id"] == image]
            taken = near[int(rng.integers(len(near)))] if near and rng.random() < 0.7 else None
            own = segmentation(rng, size) if taken is None else moved(rng, taken["segmentation"])
            packed = packed_runs(own, size)
            score = float(np.round(rng.random(), 1))
            row = {"image_id": image, "category_id": int(rng.integers(1, 4)), "score": score}
            if taken is not None and rng.random() < 0.8:
                row["category_id"] = taken["category_id"]
            if boxes:
                row["bbox"] = (coco_mask.toBbox(packed) + rng.choice([0.0, 0.5]) * rng.random(4)).tolist()
            else:
                row["segmentation"] = {"size": list(size), "counts": packed["counts"]}
            results.append(row)
    for row in results:
        counts = row.get("segmentation", {}).get("counts")
        if isinstance(counts, bytes):
            row["segmentation"]["counts"] = counts.decode()
    listed = [{"id": key, "height": size[0], "width": size[1]} for key, size in sizes.items()]
    categories = [{"id": key, "name": f"class {key}"} for key in (1, 2, 3)]
    return {"images": listed, "annotations": truths, "categories": categories, "info": {}}, results


def moved(rng, shape):
    """The same shape, or its rings moved by a pixel or two; copies make ties in IoU."""
    if not isinstance(shape, list) or rng.random() < 0.3:
        return shape
    shift = np.round(rng.uniform(-2, 2, 2), 1)
    return [(np.reshape(one, (-1, 2)) + shift).ravel().tolist() for one in shape]
