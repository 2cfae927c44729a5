"""Features: what a learned policy looks at."""

from sailplan.policies.features.feature import CompiledFeature, Feature, FeatureSet
from sailplan.policies.features.patch import Patch
from sailplan.policies.features.presets import PRESETS, feature_set
from sailplan.policies.features.scaling import Scaling

__all__ = ["PRESETS", "CompiledFeature", "Feature", "FeatureSet", "Patch", "Scaling", "feature_set"]
