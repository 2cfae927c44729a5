from __future__ import annotations

import pytest

from sailplan.web.settings import Settings


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "localhost", "::1"])
def test_addresses_of_this_computer(host: str) -> None:
    assert Settings(host=host).is_local


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.2", "robot.example", ""])
def test_addresses_that_others_reach(host: str) -> None:
    assert not Settings(host=host).is_local
