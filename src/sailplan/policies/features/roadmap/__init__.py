"""Features of vertices of a roadmap whose edges were stored in many worlds."""

from sailplan.policies.features.roadmap.features import ROADMAP, RoadmapColumns, roadmap_features

__all__ = ["ROADMAP", "RoadmapColumns", "roadmap_features"]
