"""Mass matrices, bias forces and forward dynamics of robots by Pinocchio.

Each line on standard input is a job in JSON:

    {"file": path, "free": whether the root floats, "joints": names in the order of the velocities,
     "locked": {name: position}, "states": [{"q": ..., "v": ..., "tau": ...}, ...]}

The answer is a line {"states": [{"mass": rows, "bias": ..., "acceleration": ..., "solved": ...}, ...]} or
{"error": text}; the acceleration is that of the articulated-body algorithm, `solved` the one from the mass matrix.
A floating root has the first seven positions (x, y, z and Euler parameters, the scalar first) and the first six
velocities: that of its origin in the axes of the ground, and the angular velocity in its own axes.
"""

import json
import sys

import numpy as np
import pinocchio as pin


def read(job):
    """The model; joints that are not asked for keep their positions."""
    if job["free"]:
        model = pin.buildModelFromUrdf(job["file"], pin.JointModelFreeFlyer())
    else:
        model = pin.buildModelFromUrdf(job["file"])
    wanted = set(job["joints"])
    held = [i for i in range(1, model.njoints) if model.names[i] not in wanted and model.names[i] != "root_joint"]
    q = pin.neutral(model)
    for i in held:
        place(model, q, i, job["locked"][model.names[i]])
    return pin.buildReducedModel(model, held, q) if held else model


def place(model, q, i, position):
    """Writes the position of a joint: continuous ones have cosine and sine."""
    at = model.joints[i].idx_q
    if model.joints[i].nq == 1:
        q[at] = position
    else:
        q[at : at + 2] = np.cos(position), np.sin(position)


def state(model, data, job, given):
    q, v, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    # Rows of Pinocchio's quantities in the order asked for.
    order = []
    change, drift = np.eye(model.nv), np.zeros(model.nv)
    base_q = base_v = 0
    if job["free"]:
        base_q, base_v = 7, 6
        w, x, y, z = given["q"][3:7]
        q[:7] = [*given["q"][:3], x, y, z, w]
        to_body = pin.Quaternion(w, x, y, z).toRotationMatrix().T
        omega = np.array(given["v"][3:6])
        # v = change · ours, v̇ = change · their rates + drift: Pinocchio has the linear velocity in body axes.
        change[:3, :3] = to_body
        drift[:3] = -np.cross(omega, to_body @ given["v"][:3])
        order += range(6)
    for k, name in enumerate(job["joints"]):
        i = model.getJointId(name)
        place(model, q, i, given["q"][base_q + k])
        order.append(model.joints[i].idx_v)
    assert sorted(order) == list(range(model.nv)), "the freedoms differ"
    v[order], tau[order] = given["v"], given["tau"]
    v, tau = change @ v, np.linalg.solve(change.T, tau)
    mass = pin.crba(model, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    bias = pin.nonLinearEffects(model, data, q, v)
    acceleration = pin.aba(model, data, q, v, tau)
    # The same from the mass matrix: how far Pinocchio's own results differ where that is almost singular.
    solved = np.linalg.solve(mass, tau - bias)
    return {
        "solved": np.linalg.solve(change, solved - drift)[order].tolist(),
        "mass": (change.T @ mass @ change)[np.ix_(order, order)].tolist(),
        "bias": (change.T @ (bias + mass @ drift))[order].tolist(),
        "acceleration": np.linalg.solve(change, acceleration - drift)[order].tolist(),
    }


def answer(job):
    try:
        model = read(job)
        data = model.createData()
        return {"states": [state(model, data, job, given) for given in job["states"]]}
    except Exception as error:  # Of any kind: it is the answer.
        return {"error": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
