"""SaIL through the planner: cost multipliers that imitate the oracle, and then minimise the objective directly."""
