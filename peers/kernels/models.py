#!/usr/bin/env python3
"""Writes the trees of the kernel comparison as text files: models.py FOLDER

One line per body, parents before children: `parent axis x y z`. `parent` is the line of the parent counted from 0, or
-1 for the ground; `axis` is x, y or z for a hinge about that axis, or `free`; x y z is where the joint is in the
parent's frame, the frames being parallel at zero angles. Every body has mass 1, its centre of mass at
(0.02, 0.01, 0.15) and the inertia diag(0.02, 0.018, 0.005) about it, along the body's axes. Gravity is (0, 0, -9.81).
"""

import pathlib
import sys


def serial(count, axes):
    """A chain of `count` hinges, 0.3 apart, with the axes in turn."""
    return [(body - 1, axes[body % len(axes)], (0, 0, 0.3)) for body in range(count)]


def humanoid():
    """A free trunk with two legs, a torso, two arms and a head: 31 bodies, 36 degrees of freedom."""
    tree = [(-1, "free", (0, 0, 1))]

    def limb(root, axes, first, others):
        last = root
        for number, axis in enumerate(axes):
            tree.append((last, axis, others if number else first))
            last = len(tree) - 1
        return last

    for y in (-0.1, 0.1):
        limb(0, "zxyyyx", (0, y, -0.1), (0, 0, -0.15))
    torso = limb(0, "zy", (0, 0, 0.1), (0, 0, 0.2))
    for y in (-0.2, 0.2):
        limb(torso, "yxzyzyx", (0, y, 0.2), (0, 0, -0.12))
    limb(torso, "zy", (0, 0, 0.3), (0, 0, 0.05))
    return tree


MODELS = {
    "arm7": serial(7, "zy"),
    "humanoid36": humanoid(),
    "chain10": serial(10, "zyx"),
    "chain100": serial(100, "zyx"),
    # For MuJoCo only: the size of Pinocchio's Data grows with the cube of the length, to some 60 GB here.
    "chain1000": serial(1000, "zyx"),
}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: models.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, tree in MODELS.items():
        lines = (" ".join(map(str, (parent, axis, *place))) + "\n" for parent, axis, place in tree)
        (folder / f"{name}.txt").write_text("".join(lines))


if __name__ == "__main__":
    main()
