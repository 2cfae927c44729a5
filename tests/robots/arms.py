"""Robots of the tests: a small arm drawn as text, and the three of the real data."""

from __future__ import annotations

from pathlib import Path

from sailplan.robots import SphereRobot

TINY_URDF = """
<robot name="tiny">
  <link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="upper">
    <collision><origin xyz="0.25 0 0"/><geometry><sphere radius="0.06"/></geometry></collision>
    <collision><origin xyz="0.4 0 0"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <link name="fore">
    <collision><origin xyz="0.2 0 0"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <link name="wrist"/>
  <link name="finger"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
  <link name="thumb"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 2"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/><child link="fore"/><origin xyz="0.5 0 0" rpy="0.3 0 0"/>
    <axis xyz="0 1 1"/><limit lower="-2.5" upper="2.5" effort="1" velocity="1"/>
  </joint>
  <joint name="tool" type="fixed"><parent link="fore"/><child link="wrist"/><origin xyz="0.3 0 0"/></joint>
  <joint name="slide" type="prismatic">
    <parent link="wrist"/><child link="finger"/><origin xyz="0.05 0.03 0"/><axis xyz="0 1 0"/>
    <limit lower="0.01" upper="0.05" effort="1" velocity="1"/>
  </joint>
  <joint name="slide_copy" type="prismatic">
    <parent link="wrist"/><child link="thumb"/><origin xyz="0.05 -0.03 0"/><axis xyz="0 1 0"/>
    <limit lower="-0.05" upper="0" effort="1" velocity="1"/><mimic joint="slide" multiplier="-1" offset="0.001"/>
  </joint>
</robot>
"""

TINY_SRDF = """
<robot name="tiny">
  <group name="arm"><chain base_link="base" tip_link="wrist"/></group>
  <group name="hand"><link name="finger"/><link name="thumb"/></group>
  <group name="all"><group name="arm"/><joint name="slide"/></group>
  <group name="still"><joint name="tool"/></group>
  <group_state name="bent" group="arm"><joint name="shoulder" value="0.5"/><joint name="elbow" value="1"/></group_state>
  <disable_collisions link1="finger" link2="thumb" reason="Never"/>
</robot>
"""

GROUPS = {"panda": "panda_arm", "ur5": "manipulator", "fetch": "arm_with_torso"}
"""The groups of joints that the problems of MotionBenchMaker are for."""


def tiny_files(folder: Path, urdf: str = TINY_URDF, srdf: str = TINY_SRDF) -> tuple[Path, Path]:
    """Write the files of the small arm."""
    paths = folder / "tiny.urdf", folder / "tiny.srdf"
    paths[0].write_text(urdf)
    paths[1].write_text(srdf)
    return paths


def tiny_robot(folder: Path, group: str = "all") -> SphereRobot:
    """Return the small arm."""
    return SphereRobot.from_files(*tiny_files(folder), group=group)


def real_files(data: Path, name: str) -> tuple[Path, Path]:
    """Return the URDF and SRDF of a robot in the folder of real data."""
    return data / "arms" / name / f"{name}_spherized.urdf", data / "arms" / name / f"{name}.srdf"


def real_robot(data: Path, name: str) -> SphereRobot:
    """Return a robot of the real data."""
    return SphereRobot.from_files(*real_files(data, name), group=GROUPS[name])
