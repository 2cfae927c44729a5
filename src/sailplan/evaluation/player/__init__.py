"""Searches that a browser can replay: their recordings, and files with the player."""

from sailplan.evaluation.player.page import Scene, player_part, write_player
from sailplan.evaluation.player.recording import describe_map, record_search

__all__ = ["Scene", "describe_map", "player_part", "record_search", "write_player"]
