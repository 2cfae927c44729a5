"""Roadmaps of configuration spaces, with a checker in Python."""

from sailplan.graphs.roadmap.checking import AnyChecker
from sailplan.graphs.roadmap.graph import RoadmapGraph
from sailplan.graphs.roadmap.known import KnownEdges
from sailplan.graphs.roadmap.roadmap import Roadmap
from sailplan.graphs.roadmap.space import ConfigurationSpace

__all__ = ["AnyChecker", "ConfigurationSpace", "KnownEdges", "Roadmap", "RoadmapGraph"]
