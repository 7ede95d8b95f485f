#!/usr/bin/env python3
"""The Iltis once more, by other means: the figures that tests and `holonom reproduce iltis-modes` are held against.

Ten coordinates (x, y, z, pitch, roll and yaw of the chassis, angles of the leaves), loops closed by the intersection of two
circles and Newton's method for the tie rods, velocities and accelerations by Taylor series, forces by virtual work, linear
equations by central differences. Nothing is shared with the engine. Needs mpmath for eigenvalues:

    python3 iltis.py            position of rest, straight run at 20 m/s with its modes, and the published modes
"""

import math

import mpmath

G = 9.81
HEIGHT = 0.57
SPEED = 20.0
STIFFNESS = 460e3
RELAXATION = 0.5
LEAF = math.hypot(0.3295, 0.069)
ARM = math.hypot(0.313, 0.073)
CARRIER = math.hypot(0.084, 0.302)
ROD = math.hypot(0.378, 0.069)
# Direction of the king pin in the nominal position, and angle of the leaf.
PIN = (0.0, -0.084 / CARRIER, 0.302 / CARRIER)
NOMINAL = -math.atan2(0.069, 0.3295)
# Before or behind its axle, left or right, place of the axle.
CORNERS = [(1, 1, 0.97), (1, -1, 0.97), (-1, 1, -1.047), (-1, -1, -1.047)]
RADIUS = [0.364325, 0.364325, 0.363812, 0.363812]
# The modal run of the published program: slope of the unit, stiffnesses of slip and camber, trail, side damping.
FRONT = (24529.0, 41641.0, 6925.0, 0.06553, 2082.05)
REAR = (36975.0, 40162.0, 6600.0, 0.06142, 2008.1)
CHASSIS = [130.0, 1620.0, 1670.0]
WHEEL = [1.2402, 1.908, 1.2402]


class Jet:
    """A Taylor series to the second order: value, first and half the second derivative."""

    __slots__ = ("a", "b", "c")

    def __init__(self, a, b=0.0, c=0.0):
        self.a, self.b, self.c = a, b, c

    def __add__(self, o):
        o = jet(o)
        return Jet(self.a + o.a, self.b + o.b, self.c + o.c)

    __radd__ = __add__

    def __neg__(self):
        return Jet(-self.a, -self.b, -self.c)

    def __sub__(self, o):
        return self + (-jet(o))

    def __rsub__(self, o):
        return jet(o) + (-self)

    def __mul__(self, o):
        o = jet(o)
        return Jet(self.a * o.a, self.a * o.b + self.b * o.a, self.a * o.c + self.b * o.b + self.c * o.a)

    __rmul__ = __mul__

    def __truediv__(self, o):
        o = jet(o)
        r = 1 / o.a
        return self * Jet(r, -o.b * r * r, (o.b * o.b * r - o.c) * r * r)


def jet(x):
    return x if isinstance(x, Jet) else Jet(x)


def through(x, f, slope, curve):
    return Jet(f, slope * x.b, slope * x.c + 0.5 * curve * x.b * x.b)


def sin(x):
    return through(x, math.sin(x.a), math.cos(x.a), -math.sin(x.a))


def cos(x):
    return through(x, math.cos(x.a), -math.sin(x.a), -math.cos(x.a))


def sqrt(x):
    r = math.sqrt(x.a)
    return through(x, r, 0.5 / r, -0.25 / r**3)


def angle(y, z):
    """The angle of (y, z)."""
    square = y * y + z * z
    turn = y.a * z.b - z.a * y.b
    bend = 2 * (y.a * z.c - z.a * y.c) * square.a - turn * square.b
    return Jet(math.atan2(z.a, y.a), turn / square.a, 0.5 * bend / square.a**2)


def vector(*x):
    return [jet(x) for x in x]


def plus(u, v):
    return [a + b for a, b in zip(u, v)]


def minus(u, v):
    return [a - b for a, b in zip(u, v)]


def dot(u, v):
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


def cross(u, v):
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def turned(m, v):
    return [dot(row, v) for row in m]


def product(a, b):
    return [[sum((a[i][k] * b[k][j] for k in range(3)), 0.0) for j in range(3)] for i in range(3)]


def about_x(t):
    c, s = cos(t), sin(t)
    return [vector(1, 0, 0), [jet(0), c, -s], [jet(0), s, c]]


def about_y(t):
    c, s = cos(t), sin(t)
    return [[c, jet(0), s], vector(0, 1, 0), [-s, jet(0), c]]


def about_z(t):
    c, s = cos(t), sin(t)
    return [[c, -s, jet(0)], [s, c, jet(0)], vector(0, 0, 1)]


def about_pin(t):
    c, s = cos(t), sin(t)

    def column(v):
        along = sum(p * q for p, q in zip(PIN, v))
        across = cross(PIN, v)
        return [c * v[i] + s * across[i] + (1 - c) * (PIN[i] * along) for i in range(3)]

    columns = [column(e) for e in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    return [[columns[j][i] for j in range(3)] for i in range(3)]


def joints(side, leaf):
    """Turns from nominal of a left corner: leaf, carrier, arm, and of the wheel about the king pin."""
    upper = [jet(0), cos(leaf) * LEAF + 0.1585, sin(leaf) * LEAF + (0.6 - HEIGHT)]
    inner = vector(0, 0.259, 0.302 - HEIGHT)
    y, z = upper[1] - inner[1], upper[2] - inner[2]
    square = y * y + z * z
    apart = sqrt(square)
    along = (square + (ARM**2 - CARRIER**2)) / (apart * 2.0)
    aside = sqrt(ARM**2 - along * along)
    lower = [
        jet(0),
        inner[1] + (y * along + z * aside) / apart,
        inner[2] + (z * along - y * aside) / apart,
    ]
    arm = angle(lower[1] - inner[1], lower[2] - inner[2]) - math.atan2(-0.073, 0.313)
    carrier = angle(upper[1] - lower[1], upper[2] - lower[2]) - math.atan2(0.302, -0.084)
    end = vector(-side * 0.14, 0.07, 0.6 - HEIGHT)
    place = vector(-side * 0.14, -0.124, 0.302)

    def gap(t):
        rod = minus(plus(lower, turned(product(about_x(carrier), about_pin(t)), place)), end)
        return dot(rod, rod) - ROD**2

    pin = jet(0)
    # A slope of values is enough: series converge by one order a step.
    slope = (gap(Jet(1e-6)).a - gap(Jet(-1e-6)).a) / 2e-6
    for _ in range(12):
        pin = pin - gap(pin) / slope
    return leaf - NOMINAL, carrier, arm, pin


def corner(side, hand, axle, turns):
    """Places and axes of a corner in the frame of the chassis, hanging on leaf and carrier."""
    leaf, carrier, arm, pin = turns
    a = leaf + NOMINAL
    upper = [jet(0), cos(a) * LEAF + 0.1585, sin(a) * LEAF + (0.6 - HEIGHT)]
    lower = plus(upper, turned(about_x(carrier), vector(0, 0.084, -0.302)))
    wheel = product(about_x(carrier), about_pin(pin))
    centre = plus(lower, turned(wheel, vector(0, 0.043, 0.127)))
    arms = about_x(arm)
    out = {
        "centre": centre,
        "arm": plus(lower, turned(arms, vector(0, -0.1565, 0.0365))),
        "unit": plus(lower, turned(arms, vector(side * 0.075, -0.072, 0.012))),
        "top": vector(side * 0.075, 0.297, 0.632 - HEIGHT),
    }
    image = [1.0, hand, 1.0]
    out = {name: plus([p[i] * image[i] for i in range(3)], vector(axle, 0, 0)) for name, p in out.items()}
    for name, m in (("wheel axes", wheel), ("arm axes", arms)):
        out[name] = [[m[i][j] * (image[i] * image[j]) for j in range(3)] for i in range(3)]
    out["leaf"] = (0.607 - HEIGHT) - upper[2]
    return out


def vehicle(u, turns=None):
    """Chassis and corners for ten coordinates; turns of joints may be given instead of closing the loops."""
    axes = product(product(about_y(u[3]), about_x(u[4])), about_z(u[5]))
    origin = u[:3]
    corners = []
    for k, (side, hand, axle) in enumerate(CORNERS):
        c = corner(side, hand, axle, turns[k] if turns else joints(side, u[6 + k]))
        for name in ("centre", "arm", "unit", "top"):
            c[name] = plus(origin, turned(axes, c[name]))
        for name in ("wheel axes", "arm axes"):
            c[name] = product(axes, c[name])
        corners.append(c)
    return {"origin": origin, "axes": axes, "corners": corners}


def arm_inertia(hand):
    y, z = 0.313 / ARM, -0.073 * hand / ARM
    b, c = 0.023235, 0.068864
    off = (b - c) * y * z
    return [[0.052099, 0, 0], [0, b * y * y + c * z * z, off], [0, off, b * z * z + c * y * y]]


BODIES = [(1260.0, CHASSIS, lambda s: (s["origin"], s["axes"]), None)]
for number in range(4):
    BODIES.append(
        (6.0, arm_inertia(CORNERS[number][1]), lambda s, k=number: (s["corners"][k]["arm"], s["corners"][k]["arm axes"]), None)
    )
    BODIES.append(
        (57.35, WHEEL, lambda s, k=number: (s["corners"][k]["centre"], s["corners"][k]["wheel axes"]), number)
    )


def rate(axes):
    f = lambda i, j: sum(axes[i][k].b * axes[j][k].a for k in range(3))
    return [f(2, 1), f(0, 2), f(1, 0)]


def change_of_rate(axes):
    f = lambda i, j: sum(2 * axes[i][k].c * axes[j][k].a + axes[i][k].b * axes[j][k].b for k in range(3))
    return [f(2, 1), f(0, 2), f(1, 0)]


def spun(axes, inertia, w):
    own = [sum(axes[i][j].a * w[i] for i in range(3)) for j in range(3)]
    if isinstance(inertia[0], list):
        own = [sum(inertia[i][j] * own[j] for j in range(3)) for i in range(3)]
    else:
        own = [inertia[i] * own[i] for i in range(3)]
    return [sum(axes[i][j].a * own[j] for j in range(3)) for i in range(3)]


class Laws:
    """Which laws: units `cubic` or by their `whole` length; tyres `centre` (load alone, at the wheel centre), `contact` (load
    alone, at the contact point), `calspan` or `published`; wheels that turn."""

    def __init__(self, unit="cubic", tyre="centre", turning=False):
        self.unit, self.tyre, self.turning = unit, tyre, turning
        self.tread, self.tread_rates = [0.0] * 4, [0.0] * 4
        self.shown = []


def pull(length, speed, laws, data):
    if laws.unit == "whole":
        return data[0] * length + 9945.627 * speed
    spring = -4.0092e6 + (2.8397e7 + (-6.7061e7 + 5.2796e7 * length) * length) * length
    return spring + (9945.627 + (33955.72 + (-59832.25 - 395651.0 * speed) * speed) * speed) * speed


def calspan(load, slip, camber):
    friction = (-4.64e-5 * load + 1.216 + 2.18e-11 * load**2) * 1.0274
    s = 14.47 * load * (load - 12930.0) - 2625.0 * 12930.0
    extra = -12930.0 * 2.29 * (18175.0 - load) * load / (18175.0 * s) * camber
    bar = s / (12930.0 * friction * load) * (slip + extra)
    side = friction * load * (bar - bar * abs(bar) / 3 + bar**3 / 27)
    return side, (-1.71e-5 * load + 1.71e-5 * abs(side)) * side


def tyre(k, c, laws):
    """Force, moment and where they act from the wheel centre."""
    data = FRONT if k < 2 else REAR
    axes = c["wheel axes"]
    centre, velocity = [x.a for x in c["centre"]], [x.b for x in c["centre"]]
    load = (RADIUS[k] - centre[2]) * STIFFNESS
    if laws.tyre == "centre":
        laws.shown.append((load, 0.0))
        return [0, 0, load], [0, 0, 0], [0, 0, 0]
    axle = [axes[i][1].a for i in range(3)]
    forward = cross(axle, [0, 0, 1.0])
    size = math.sqrt(dot(forward, forward))
    forward = [x / size for x in forward]
    sideways, spoke = cross([0, 0, 1.0], forward), cross(forward, axle)
    radius = centre[2] / spoke[2]
    camber = math.atan(axle[2] / spoke[2])
    arm = [-radius * x for x in spoke]
    if laws.tyre == "published":
        _, cornering, leaning, trail, damping = data
        slip = math.atan(dot(velocity, sideways) / dot(velocity, forward))
        side = -dot(velocity, sideways) * damping
        force = [side * sideways[i] for i in range(2)] + [load]
        moment = [leaning * camber * forward[0], leaning * camber * forward[1], cornering * slip]
        return force, moment, [arm[i] - trail * forward[i] for i in range(3)]
    load = STIFFNESS * (RADIUS[k] - radius) / math.cos(camber)
    side = aligning = 0.0
    if laws.tyre == "calspan":
        omega = rate(axes)
        tread = [a + b for a, b in zip(velocity, cross(omega, arm))]
        speed = dot(tread, forward) + dot(omega, axle) * radius
        deflected = laws.tread[k]
        side, aligning = calspan(load, math.atan(deflected / RELAXATION), camber)
        laws.tread_rates[k] = dot(tread, sideways) - abs(speed) * deflected / RELAXATION
    laws.shown.append((load, side))
    return [side * sideways[0], side * sideways[1], load], [0, 0, aligning], arm


def forces(q, qd, laws, turns=None, qdd=None):
    """What is left of the equations of motion, and the mass matrix; accelerations are those of qdd and of the turns."""
    n = len(q)
    qdd = qdd or [0.0] * n
    now = vehicle([Jet(q[i], qd[i], 0.5 * qdd[i]) for i in range(n)], turns)
    ways = [vehicle([Jet(q[i], float(i == j)) for i in range(n)]) for j in range(n)]
    left, mass = [0.0] * n, [[0.0] * n for _ in range(n)]
    wheels = {}
    for m, inertia, get, wheel in BODIES:
        place, axes = get(now)
        omega = rate(axes)
        turn = spun(axes, inertia, omega)
        if wheel is not None and laws.turning:
            turn = [h + inertia[1] * SPEED / RADIUS[wheel] * axes[i][1].a for i, h in enumerate(turn)]
        moment = [a + b for a, b in zip(spun(axes, inertia, change_of_rate(axes)), cross(omega, turn))]
        both = [get(way) for way in ways]
        lines, angles = [[x.b for x in place] for place, _ in both], [rate(axes) for _, axes in both]
        if wheel is not None:
            wheels[wheel] = (lines, angles)
        for i in range(n):
            left[i] += m * (dot([2 * x.c for x in place], lines[i]) + G * lines[i][2]) + dot(moment, angles[i])
            for j in range(n):
                mass[i][j] += m * dot(lines[i], lines[j]) + dot(angles[i], spun(axes, inertia, angles[j]))
    laws.shown = []
    for k, c in enumerate(now["corners"]):
        def length(state):
            d = minus(state["corners"][k]["unit"], state["corners"][k]["top"])
            return sqrt(dot(d, d))

        unit = length(now)
        unit_force = pull(unit.a, unit.b, laws, FRONT if k < 2 else REAR)
        leaf_force = 35906.0 * (c["leaf"].a - 0.152)
        force, moment, arm = tyre(k, c, laws)
        if laws.shown and len(laws.shown) == k + 1:
            laws.shown[k] += (unit_force, leaf_force)
        lines, angles = wheels[k]
        for i, way in enumerate(ways):
            left[i] += unit_force * length(way).b + leaf_force * way["corners"][k]["leaf"].b
            there = [a + b for a, b in zip(lines[i], cross(angles[i], arm))]
            left[i] -= dot(force, there) + dot(moment, angles[i])
    return left, mass


def solve(a, b):
    n = len(b)
    a = [row[:] + [b[i]] for i, row in enumerate(a)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[p] = a[p], a[i]
        for r in range(i + 1, n):
            f = a[r][i] / a[i][i]
            for c in range(i, n + 1):
                a[r][c] -= f * a[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (a[i][n] - sum(a[i][j] * x[j] for j in range(i + 1, n))) / a[i][i]
    return x


def differences(f, x, h=1e-6):
    """Columns of the derivative."""
    columns = []
    for j in range(len(x)):
        high, low = x[:], x[:]
        high[j] += h
        low[j] -= h
        columns.append([(a - b) / (2 * h) for a, b in zip(f(high), f(low))])
    return columns


def root(f, x):
    for _ in range(12):
        columns = differences(f, x)
        rows = [[column[i] for column in columns] for i in range(len(x))]
        step = solve(rows, [-v for v in f(x)])
        x = [a + b for a, b in zip(x, step)]
        if max(map(abs, step)) < 1e-11:
            break
    return x


LEVEL = [2, 3, 6, 7, 8, 9]
START = [0.0, 0.0, HEIGHT, 0.0, 0.0, 0.0] + [NOMINAL] * 4


def put(x):
    q = START[:]
    for i, value in zip(LEVEL, x):
        q[i] = value
    return q


def rest(laws):
    def f(x):
        left, _ = forces(put(x), [0.0] * 10, laws)
        return [left[i] for i in LEVEL]

    return put(root(f, [START[i] for i in LEVEL]))


def eigenvalues(a):
    values = [complex(z) for z in mpmath.eig(mpmath.matrix(a), left=False, right=False)]
    return sorted((z for z in values if z.imag > -1e-9), key=abs)


def straight():
    """The straight run with the Calspan law: position, treads, modes."""
    laws, qd = Laws(tyre="calspan"), [SPEED] + [0.0] * 9

    def f(x):
        laws.tread = x[6:]
        left, _ = forces(put(x[:6]), qd, laws)
        return [left[i] for i in LEVEL] + [1e3 * r for r in laws.tread_rates]

    x = root(f, [START[i] for i in LEVEL] + [0.0] * 4)
    q, tread, n = put(x[:6]), x[6:], 9
    laws.tread = tread
    _, mass = forces(q, qd, laws)
    mass = [[mass[i][j] for j in range(1, 10)] for i in range(1, 10)]

    def g(z):
        laws.tread = [a + b for a, b in zip(tread, z[2 * n :])]
        moved = [q[0]] + [a + b for a, b in zip(q[1:], z[:n])]
        left, _ = forces(moved, [SPEED] + z[n : 2 * n], laws)
        return solve(mass, [-v for v in left[1:]]) + laws.tread_rates[:]

    columns = differences(g, [0.0] * (2 * n + 4))
    size = 2 * n + 4
    a = [[float(j == i + n) for j in range(size)] for i in range(n)]
    a += [[columns[j][i] for j in range(size)] for i in range(n + 4)]
    laws.tread = tread
    forces(q, qd, laws)
    return q, laws.shown, eigenvalues(a)


def published(held):
    """The modal run of the published program; with held accelerations of joints, as its table has been made, or with none."""
    q, qd = rest(Laws()), [SPEED] + [0.0] * 9
    laws = Laws("whole", "published", True)
    left, mass = forces(q, qd, laws)
    qdd = solve(mass, [-x for x in left]) if held else [0.0] * 10
    bends = []
    for k, (side, _, _) in enumerate(CORNERS):
        bends.append([turn.b * qdd[6 + k] for turn in joints(side, Jet(q[6 + k], 1.0))])

    def f(z):
        moved = [a + b for a, b in zip(q, z[:10])]
        still, _ = forces(moved, z[10:], laws)
        if not held:
            return still
        # With accelerations, but without velocities: what they need beyond the same without both.
        turns = []
        for k, (side, _, _) in enumerate(CORNERS):
            now = joints(side, Jet(moved[6 + k]))
            turns.append([Jet(turn.a, 0.0, 0.5 * bend) for turn, bend in zip(now, bends[k])])
        rigid = [SPEED] + [0.0] * 9
        with_them, _ = forces(moved, rigid, laws, turns, qdd)
        without, _ = forces(moved, rigid, laws)
        return [a + b - c for a, b, c in zip(still, with_them, without)]

    columns = differences(f, [0.0] * 10 + qd, 1e-5)
    a = [[float(j == i + 10) for j in range(20)] for i in range(10)]
    columns = [solve(mass, [-x for x in column]) for column in columns]
    a += [[columns[j][i] for j in range(20)] for i in range(10)]
    return eigenvalues(a)


def show(values):
    for z in values:
        print(f"  {z.real:11.5f} {z.imag:+11.5f} i" if abs(z.imag) > 1e-6 else f"  {z.real:11.5f}")


if __name__ == "__main__":
    for where, law in (("wheel centres, as published", "centre"), ("contact points", "contact")):
        laws = Laws(tyre=law)
        q = rest(laws)
        forces(q, [0.0] * 10, laws)
        print(f"rest, loads at the {where}: z {q[2]:.10f} m, pitch {q[3]:.10f} rad")
        for name, k in (("front", 0), ("rear", 2)):
            load, _, unit, leaf = laws.shown[k]
            print(f"  {name}: tyre {load:.4f} N, unit {unit:.4f} N, leaf {leaf:.4f} N")
    q, shown, values = straight()
    print(f"straight run: z {q[2]:.11f} m, pitch {q[3]:.11f} rad, loads {shown[0][0]:.4f} N and {shown[2][0]:.4f} N; modes")
    show(values)
    for held, what in ((True, "analyse_modale.txt: joint accelerations held"), (False, "modal_result.res: no accelerations")):
        print(f"published, {what}")
        show(published(held))
