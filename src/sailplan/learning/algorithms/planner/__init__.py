"""SaIL through the planner: a network predicts cost multipliers, and is trained with the loss of the paper."""
