"""The planar slider–crank: crank 0.15 m and 1 kg, rod 0.35 m and 0.5 kg, slider 2 kg, gravity along −y; crank at 45° with
20 rad/s at the start, 1 s.

usage: slider.py CODE, CODE = reference | exudyn
Prints one JSON object per run, as rods.py does; the error is that of the crank's angle. `reference` prints the angle, from
the equation of the one degree of freedom, d/dt(½ A(θ) θ̇²) + V'(θ) θ̇ = 0, by DOP853."""
import json
import sys

import numpy as np
from rods import least

CRANK, CRANK_MASS, ROD, ROD_MASS, SLIDER, GRAVITY = 0.15, 1.0, 0.35, 0.5, 2.0, 9.81
ANGLE, SPEED, END = np.pi / 4, 20.0, 1.0
CRANK_INERTIA, ROD_INERTIA = CRANK_MASS * CRANK**2 / 12, ROD_MASS * ROD**2 / 12


def inertia(angle):
    """A(θ) and V'(θ), also for complex angles."""
    s, c = np.sin(angle), np.cos(angle)
    sine = -CRANK * s / ROD
    cosine = np.sqrt(1 - sine * sine)
    lean = -CRANK * c / (ROD * cosine)
    x, y = -CRANK * s - ROD / 2 * sine * lean, CRANK * c + ROD / 2 * cosine * lean
    slide = -CRANK * s - ROD * sine * lean
    a = (CRANK_INERTIA + CRANK_MASS * CRANK**2 / 4 + ROD_INERTIA * lean**2 + ROD_MASS * (x * x + y * y)
         + SLIDER * slide**2)
    return a, GRAVITY * (CRANK_MASS * CRANK / 2 * c + ROD_MASS * y)


def reference():
    from scipy.integrate import solve_ivp

    def rates(_t, y):
        a, potential = inertia(y[0])
        slope = inertia(y[0] + 1e-30j)[0].imag / 1e-30
        return [y[1], -(0.5 * slope * y[1] ** 2 + potential) / a]

    return solve_ivp(rates, (0, END), [ANGLE, SPEED], method="DOP853", rtol=1e-13, atol=1e-13).y[0, -1]


def exudyn(exact):
    sys.exudynFast = True
    import exudyn as exu
    from exudyn.utilities import (CoordinateConstraint, Force, MarkerBodyPosition, MarkerNodeCoordinate,
                                  NodePoint2D, NodePointGround, NodeRigidBody2D, ObjectGround, ObjectMassPoint2D,
                                  ObjectRigidBody2D, RevoluteJoint2D)

    def build():
        system = exu.SystemContainer().AddSystem()
        lean = np.arcsin(-CRANK * np.sin(ANGLE) / ROD)
        rate = -CRANK * np.cos(ANGLE) / (ROD * np.cos(lean)) * SPEED

        def along(a):
            return np.array([np.cos(a), np.sin(a)])

        def across(a, w):
            return w * np.array([-np.sin(a), np.cos(a)])

        pin, pin_speed = CRANK * along(ANGLE), CRANK * across(ANGLE, SPEED)

        def body(mass, inertia, centre, angle, velocity, turn):
            node = system.AddNode(NodeRigidBody2D(referenceCoordinates=[*centre, angle],
                                                  initialVelocities=[*velocity, turn]))
            number = system.AddObject(ObjectRigidBody2D(mass=mass, inertia=inertia, nodeNumber=node))
            marker = system.AddMarker(MarkerBodyPosition(bodyNumber=number))
            system.AddLoad(Force(markerNumber=marker, loadVector=[0, -mass * GRAVITY, 0]))
            return node, number

        ground = system.AddObject(ObjectGround())
        node, crank = body(CRANK_MASS, CRANK_INERTIA, pin / 2, ANGLE, pin_speed / 2, SPEED)
        _, rod = body(ROD_MASS, ROD_INERTIA, pin + ROD / 2 * along(lean), lean,
                      pin_speed + ROD / 2 * across(lean, rate), rate)
        slider_node = system.AddNode(NodePoint2D(referenceCoordinates=list(pin + ROD * along(lean)),
                                                 initialVelocities=list(pin_speed + ROD * across(lean, rate))))
        slider = system.AddObject(ObjectMassPoint2D(mass=SLIDER, nodeNumber=slider_node))

        def marker(number, x):
            return system.AddMarker(MarkerBodyPosition(bodyNumber=number, localPosition=[x, 0, 0]))

        system.AddObject(RevoluteJoint2D(markerNumbers=[marker(ground, 0), marker(crank, -CRANK / 2)]))
        system.AddObject(RevoluteJoint2D(markerNumbers=[marker(crank, CRANK / 2), marker(rod, -ROD / 2)]))
        system.AddObject(RevoluteJoint2D(markerNumbers=[marker(rod, ROD / 2), marker(slider, 0)]))
        fixed = system.AddNode(NodePointGround())
        system.AddObject(CoordinateConstraint(markerNumbers=[
            system.AddMarker(MarkerNodeCoordinate(nodeNumber=fixed, coordinate=0)),
            system.AddMarker(MarkerNodeCoordinate(nodeNumber=slider_node, coordinate=1))]))
        system.Assemble()

        def angle():
            coordinates = exu.OutputVariableType.Coordinates
            return system.GetNodeOutput(node, coordinates)[2] + ANGLE

        return system, angle

    solvers = exu.DynamicSolverType
    for name, solver in (("generalised-α", solvers.GeneralizedAlpha), ("trapezoidal", solvers.TrapezoidalIndex2)):
        for modified in (True, False):
            for steps in (100, 300, 1000, 3000, 10000, 30000, 100000):

                def prepare():
                    system, angle = build()
                    settings = exu.SimulationSettings()
                    integration = settings.timeIntegration
                    integration.numberOfSteps, integration.endTime, integration.verboseMode = steps, END, 0
                    integration.newton.useModifiedNewton = modified
                    integration.generalizedAlpha.spectralRadius = 0.9
                    settings.solution.file.write = False
                    settings.solution.sensors.writePeriod = 1e9
                    settings.linearSolver.solverType = exu.LinearSolverType.EXUdense
                    return (lambda: system.SolveDynamic(settings, solverType=solver)), angle

                setting = f"{name}, {'modified' if modified else 'full'} Newton, {steps} steps"
                try:
                    cpu, angle = least(prepare, repeat=3, long=0.5)
                except Exception as failure:  # a setting that fails is no result
                    print(json.dumps({"code": "exudyn", "setting": setting, "failed": str(failure)[:80]}), flush=True)
                    continue
                error = abs(float(angle) - exact)
                print(json.dumps({"code": "exudyn", "setting": setting, "cpu": cpu, "error": error}), flush=True)
                if cpu > 2.0:
                    break


if __name__ == "__main__":
    if sys.argv[1] == "reference":
        print(json.dumps([reference()]))
    else:
        exudyn(json.loads(sys.argv[2])[0])
