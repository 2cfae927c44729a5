"""Messages of errors: short whatever is quoted, and kept by pickles."""

from __future__ import annotations

import pickle

import pytest

from sailplan.errors import LONGEST_MESSAGE, RobotError, SailplanError


@pytest.mark.parametrize("length", [0, 1, LONGEST_MESSAGE])
def test_a_message_of_usual_length_is_unmodified(length: int) -> None:
    assert str(SailplanError("x" * length)) == "x" * length


def test_the_middle_of_a_long_message_is_left_out() -> None:
    message = str(RobotError(f"arm.urdf: joint 'a': rpy={'9' * 5000} must be 3 finite numbers"))
    assert len(message) == LONGEST_MESSAGE
    assert message.startswith("arm.urdf: joint 'a': rpy=999")
    assert message.endswith("999 must be 3 finite numbers")
    assert " ... " in message


def test_a_pickled_error_has_its_class_and_its_message() -> None:
    error = RobotError("y" * 2 * LONGEST_MESSAGE)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is RobotError
    assert str(copy) == str(error)
