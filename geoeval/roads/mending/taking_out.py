"""Both maps without some differences, so that nothing is wrong there any more and nothing else is changed."""

from dataclasses import replace

import numpy as np

from geoeval.arrays import Bools
from geoeval.model.road_network import RoadNetwork
from geoeval.roads.mending.carrying_out import carry_out
from geoeval.roads.mending.patches import Patches


def take_out(patches: Patches, chosen: Bools) -> tuple[RoadNetwork, RoadNetwork]:
    """Reference and prediction without the differences that the chosen edits mend: one truth value for each edit.

    What only one of the maps has is taken away from it: a road that is missing, or the link over a break, from the
    reference; a road that should not be there from the prediction. Where both have something, the prediction gets what
    the reference has. Without any edit both maps are as they were. O((m + k) log m).
    """
    of_reference, of_prediction = (
        np.bincount(one.edit, minlength=patches.count + 1)[:-1] > 0 for one in (patches.reference, patches.prediction)
    )
    turned = replace(patches, reference=patches.prediction, prediction=patches.reference)
    reference = carry_out(turned, np.append(chosen & of_reference & ~of_prediction, False))
    return reference, carry_out(patches, np.append(chosen & of_prediction, False))
