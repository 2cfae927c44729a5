"""Features of open vertices, the input of learned policies."""

from sailplan.policies.features.feature import CompiledFeature, Feature, FeatureSet, feature_set
from sailplan.policies.features.patch import Patch
from sailplan.policies.features.presets import PRESETS

__all__ = ["PRESETS", "CompiledFeature", "Feature", "FeatureSet", "Patch", "feature_set"]
