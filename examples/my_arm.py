"""My arm: from a URDF of spheres to plans with few edge evaluations, learned from other scenes; see docs/arm.md."""

from pathlib import Path

import numpy as np

from sailplan import Problem, Roadmap, load_policy, save_policy, search
from sailplan.policies import LazyPolicy
from sailplan.policies.replanning.beliefs import EdgePosterior, EdgeWeights
from sailplan.robots import Box, Cylinder, Scene, SphereRobot, plan_validated

FILES = Path(__file__).with_suffix(".urdf"), Path(__file__).with_suffix(".srdf")
START, GOAL = [-0.9, 0.9, 0.9, 0.3], [0.9, 0.9, 0.9, 0.3]


def make_scene(robot: SphereRobot, rng: np.random.Generator) -> Scene:
    """Return a table with a post on it and a lamp above it, where start and goal are free."""
    (post, lamp), (height, depth) = rng.uniform((0.3, -0.4), (0.7, 0.4), (2, 2)), rng.uniform(0.2, 0.9, 2)
    obstacles = (
        Box("table", (0.6, 0.0, -0.1), (0.7, 1.6, 0.1)),
        Box("post", (*post, height / 2), (0.1, 0.1, height)),
        Cylinder("lamp", (*lamp, 1.2 - depth / 2), radius=0.12, length=depth),
    )
    return Scene(obstacles) if robot.in_scene(obstacles).valid([START, GOAL]).all() else make_scene(robot, rng)


def main() -> None:
    """Learn from 60 scenes, then plan in 20 new ones."""
    rng = np.random.default_rng(0)
    robot = SphereRobot.from_files(*FILES, group="arm")
    samples = Roadmap.sample(*robot.joint_limits, 300, valid=robot.valid, names=robot.joint_names, robot="my_arm")
    roadmap = samples.connect(START, GOAL, valid=robot.valid)
    motions = roadmap.motions(roadmap.sources, roadmap.targets)
    seen = [robot.in_scene(make_scene(robot, rng)).edge_valid(*motions) for _ in range(60)]
    # A larger surprise avoids doubtful edges more: fewer evaluations, longer paths.
    belief = EdgePosterior.of(roadmap.topology, seen, EdgeWeights(surprise=0.7))
    learned = LazyPolicy(belief=belief, selector="critical")
    save_policy(learned, "my_arm.safetensors")

    scenes = [make_scene(robot, rng) for _ in range(20)]
    graphs = [roadmap.graph(robot.in_scene(scene)) for scene in scenes]
    problems = [Problem(graph, graph.vertex_count - 2, graph.vertex_count - 1) for graph in graphs]
    for name, policy in {"LazySP": load_policy("lazy:1"), "lazy": load_policy("lazy"), "learned": learned}.items():
        results = [search(problem, policy) for problem in problems]
        evaluations, cost = np.mean([(result.edge_evaluations, result.cost) for result in results], axis=0)
        print(f"{name}: {evaluations:.1f} edge evaluations, path cost {cost:.2f}, means of {len(scenes)} new scenes")

    careful = SphereRobot.from_files(*FILES, group="arm", padding=0.01).in_scene(scenes[0])
    plan = plan_validated(problems[0], learned, validate_with=careful)
    print(f"confirmed with 1 cm of padding: {plan.confirmed}, after {plan.searches} searches")
    for configuration in problems[0].states(plan.result.path):
        print(np.round(configuration, 2))


if __name__ == "__main__":
    main()
