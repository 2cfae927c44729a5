"""Features: what a learned policy looks at."""

from sailplan.features.feature import CompiledFeature, Feature, FeatureSet
from sailplan.features.patch import Patch
from sailplan.features.presets import PRESETS, feature_set
from sailplan.features.scaling import Scaling

__all__ = ["PRESETS", "CompiledFeature", "Feature", "FeatureSet", "Patch", "Scaling", "feature_set"]
