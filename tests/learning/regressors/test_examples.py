from __future__ import annotations

import numpy as np

from sailplan.learning import Examples


def test_parts_are_put_together_in_their_order() -> None:
    parts = [Examples(np.full((count, 2), float(count)), np.arange(float(count))) for count in (2, 0, 1)]
    whole = Examples.concatenate(iter(parts))
    assert len(whole) == 3
    assert whole.rows.tolist() == [[2.0, 2.0], [2.0, 2.0], [1.0, 1.0]]
    assert whole.labels.tolist() == [0.0, 1.0, 0.0]
