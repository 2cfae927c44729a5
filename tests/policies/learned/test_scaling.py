from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sailplan.policies.learned.network import Scaling


@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(2, 50))
def test_columns_come_to_mean_zero_and_deviation_one(seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.normal(rng.normal(size=4) * 100, rng.uniform(0.1, 50.0, 4), (rows, 4))
    scaled = Scaling.fit(table)(table)
    assert np.allclose(scaled.mean(axis=0), 0.0, atol=1e-9)
    assert np.allclose(scaled.std(axis=0), 1.0)


# The mean of many equal numbers is not quite that number; the coordinates of a map in metres run into millions.
@pytest.mark.parametrize("value", [0.0, -3.0, 0.1, 200.0, 100000.1, 5000000.22])
@pytest.mark.parametrize("rows", [1, 1000, 50_000])
def test_a_column_that_never_changes_keeps_its_size(value: float, rows: int) -> None:
    table = np.full((rows, 2), value)
    table[:, 1] = np.arange(rows)
    scaling = Scaling.fit(table)
    assert scaling.deviation[0] == 1.0
    assert scaling(table)[0, 0] == pytest.approx(0.0, abs=1e-5)
    assert scaling(np.add(table, (2.0, 0.0)))[0, 0] == pytest.approx(2.0, abs=1e-5)


def test_none_leaves_everything_as_it_is() -> None:
    table = np.arange(6.0).reshape(2, 3)
    assert Scaling.none(3)(table).tolist() == table.tolist()
