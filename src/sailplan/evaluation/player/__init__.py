"""Searches that a browser can replay: their recordings, and pages with the player."""

from sailplan.evaluation.player.page import Scene, player_part, record_scene, write_player
from sailplan.evaluation.player.recording import describe_map, record_search, run_recorded

__all__ = ["Scene", "describe_map", "player_part", "record_scene", "record_search", "run_recorded", "write_player"]
