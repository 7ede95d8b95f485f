"""The planar chain of n rods: links of 0.2 m and 1 kg, level and at rest at the start, 1 s under gravity.

usage: rods.py CODE N, CODE = reference | exudyn | mujoco
Prints one JSON object per run: code, setting, CPU seconds of the run without building the model, distance of the tip
from the reference. `reference` prints the tip itself, from angles against the horizontal by DOP853."""
import json
import sys
import time

import numpy as np

LINK, MASS, GRAVITY, END = 0.2, 1.0, 9.81, 1.0
INERTIA = MASS * LINK**2 / 12


def reference(n):
    from scipy.integrate import solve_ivp

    i = np.arange(n)
    outer = np.maximum.outer(i, i)
    coupling = MASS * LINK**2 * (n - 1 - outer + 0.5)
    coupling[i, i] = MASS * LINK**2 * (n - 1 - i + 1 / 3)
    weight = MASS * GRAVITY * LINK * (n - 1 - i + 0.5)

    def rates(_t, y):
        angle, speed = y[:n], y[n:]
        between = angle[:, None] - angle[None, :]
        force = -(coupling * np.sin(between)) @ (speed * speed) - weight * np.cos(angle)
        return np.concatenate([speed, np.linalg.solve(coupling * np.cos(between), force)])

    y = solve_ivp(rates, (0, END), np.zeros(2 * n), method="DOP853", rtol=1e-12, atol=1e-13).y[:n, -1]
    return tip_of(y)


def tip_of(angles):
    return LINK * np.array([np.cos(angles).sum(), np.sin(angles).sum()])


def say(code, setting, cpu, tip, exact):
    error = float(np.linalg.norm(np.asarray(tip) - exact))
    print(json.dumps({"code": code, "setting": setting, "cpu": cpu, "error": error}), flush=True)


def least(run, repeat=3, long=0.3):
    """CPU time: the least of some runs, of long ones the first; and what the last one gave."""
    best = float("inf")
    for _ in range(repeat):
        prepared = run()
        begin = time.process_time()
        prepared[0]()
        best = min(best, time.process_time() - begin)
        if best > long:
            break
    return best, prepared[1]()


def exudyn(n, exact):
    sys.exudynFast = True
    import exudyn as exu
    from exudyn.utilities import (Force, MarkerBodyPosition, NodeGenericODE2, NodeRigidBody2D, ObjectGround,
                                  ObjectKinematicTree, ObjectRigidBody2D, RevoluteJoint2D)

    def planar():
        system = exu.SystemContainer().AddSystem()
        last = system.AddMarker(MarkerBodyPosition(bodyNumber=system.AddObject(ObjectGround())))
        for k in range(n):
            node = system.AddNode(NodeRigidBody2D(referenceCoordinates=[(k + 0.5) * LINK, 0, 0]))
            body = system.AddObject(ObjectRigidBody2D(mass=MASS, inertia=INERTIA, nodeNumber=node))
            centre = system.AddMarker(MarkerBodyPosition(bodyNumber=body))
            system.AddLoad(Force(markerNumber=centre, loadVector=[0, -MASS * GRAVITY, 0]))
            first = system.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[-LINK / 2, 0, 0]))
            system.AddObject(RevoluteJoint2D(markerNumbers=[last, first]))
            last = system.AddMarker(MarkerBodyPosition(bodyNumber=body, localPosition=[LINK / 2, 0, 0]))
        system.Assemble()
        position = exu.OutputVariableType.Position
        return system, lambda: system.GetObjectOutputBody(body, position, localPosition=[LINK / 2, 0, 0])[:2]

    def tree():
        system = exu.SystemContainer().AddSystem()
        zero = [0.0] * n
        node = system.AddNode(NodeGenericODE2(referenceCoordinates=zero, initialCoordinates=zero,
                                              initialCoordinates_t=zero, numberOfODE2Coordinates=n))
        turns, offsets = exu.Matrix3DList(), exu.Vector3DList()
        inertias, centres = exu.Matrix3DList(), exu.Vector3DList()
        for k in range(n):
            turns.Append(np.eye(3))
            offsets.Append([LINK if k else 0.0, 0, 0])
            inertias.Append(np.diag([INERTIA] * 3))
            centres.Append([LINK / 2, 0, 0])
        system.AddObject(ObjectKinematicTree(
            nodeNumber=node, jointTypes=[exu.JointType.RevoluteZ] * n, linkParents=list(range(-1, n - 1)),
            jointTransformations=turns, jointOffsets=offsets, linkInertiasCOM=inertias, linkCOMs=centres,
            linkMasses=[MASS] * n, gravity=[0, -GRAVITY, 0]))
        system.Assemble()
        coordinates = exu.OutputVariableType.Coordinates
        return system, lambda: tip_of(np.cumsum(system.GetNodeOutput(node, coordinates)))

    solvers, linear = exu.DynamicSolverType, exu.LinearSolverType

    def measure(name, build, solver, matrix, steps=None, tolerance=None):
        def prepare():
            system, tip = build()
            settings = exu.SimulationSettings()
            integration = settings.timeIntegration
            integration.endTime, integration.verboseMode = END, 0
            integration.numberOfSteps = steps or 20
            integration.newton.useModifiedNewton = True
            integration.generalizedAlpha.spectralRadius = 0.8
            if tolerance:
                integration.absoluteTolerance = integration.relativeTolerance = tolerance
            settings.solution.file.write = False
            settings.solution.sensors.writePeriod = 1e9
            settings.linearSolver.solverType = matrix
            return (lambda: system.SolveDynamic(settings, solverType=solver)), tip

        try:
            cpu, tip = least(prepare)
        except Exception as failure:  # a setting that fails is no result
            print(json.dumps({"code": "exudyn", "setting": name, "failed": str(failure)[:80]}), flush=True)
            return float("inf")
        say("exudyn", name, cpu, tip, exact)
        return cpu

    plans = [("planar, generalised-α, sparse", planar, solvers.GeneralizedAlpha, linear.EigenSparse),
             ("planar, trapezoidal, sparse", planar, solvers.TrapezoidalIndex2, linear.EigenSparse),
             ("tree, trapezoidal", tree, solvers.TrapezoidalIndex2, linear.EXUdense),
             ("tree, RK4", tree, solvers.RK44, linear.EXUdense),
             ("tree, RK67", tree, solvers.RK67, linear.EXUdense)]
    if n <= 20:
        plans.append(("planar, generalised-α, dense", planar, solvers.GeneralizedAlpha, linear.EXUdense))
    for name, build, solver, matrix in plans:
        for steps in (100, 200, 400, 800, 1600, 3200, 6400):
            if measure(f"{name}, {steps} steps", build, solver, matrix, steps=steps) > 1.5:
                break
    for exponent in range(3, 11):
        name = f"tree, DOPRI5, 1e-{exponent}"
        if measure(name, tree, solvers.DOPRI5, linear.EXUdense, tolerance=10.0**-exponent) > 1.5:
            break


def mujoco(n, exact):
    import mujoco as mj

    spec = mj.MjSpec()
    spec.option.gravity = [0, -GRAVITY, 0]
    spec.option.disableflags |= int(mj.mjtDisableBit.mjDSBL_CONTACT) | int(mj.mjtDisableBit.mjDSBL_CONSTRAINT)
    body = spec.worldbody
    for k in range(n):
        body = body.add_body(pos=[LINK if k else 0, 0, 0], mass=MASS, ipos=[LINK / 2, 0, 0], inertia=[INERTIA] * 3,
                             explicitinertial=True)
        body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
    body.add_site(name="tip", pos=[LINK, 0, 0])
    model = spec.compile()
    model.opt.integrator = mj.mjtIntegrator.mjINT_RK4
    for steps in (25, 50, 100, 200, 400, 800, 1600, 3200, 6400):
        model.opt.timestep = END / steps

        def prepare():
            data = mj.MjData(model)

            def tip():
                mj.mj_kinematics(model, data)
                return data.site_xpos[0][:2]

            return (lambda: mj.mj_step(model, data, nstep=steps)), tip

        cpu, tip = least(prepare)
        say("mujoco", f"RK4, {steps} steps", cpu, tip, exact)


if __name__ == "__main__":
    code, n = sys.argv[1], int(sys.argv[2])
    if code == "reference":
        print(json.dumps(list(reference(n))))
    else:
        {"exudyn": exudyn, "mujoco": mujoco}[code](n, np.array(json.loads(sys.argv[3])))
