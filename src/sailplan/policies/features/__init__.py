"""Features of open vertices, the input of learned policies."""

from sailplan.policies.features.feature import CompiledFeature, Feature, FeatureSet, feature_set
from sailplan.policies.features.patch import Patch
from sailplan.policies.features.presets import PRESETS
from sailplan.policies.features.roadmap import ROADMAP, RoadmapColumns, roadmap_features

__all__ = [
    "PRESETS",
    "ROADMAP",
    "CompiledFeature",
    "Feature",
    "FeatureSet",
    "Patch",
    "RoadmapColumns",
    "feature_set",
    "roadmap_features",
]
