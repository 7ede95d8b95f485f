//! The tyre element: objectivity, power, lift-off, standstill, derivatives.

use crate::stand::{Random, close};
use holonom_algebra::{Dual4, DualOrientation, Mat3, Orientation, Pose, Quaternion, Real, Vec3, Wrench};
use holonom_expression::{Expression, Scope};
use holonom_multibody::description::{Axis, Body, Carcass, Description, Force, Joint, JointKind, Mount};
use holonom_multibody::elements::forces::{ForceLaw, Tyre, TyreLaws};
use holonom_multibody::elements::references::RoadPlace;
use holonom_multibody::elements::scene::{Loads, Scene};
use holonom_multibody::kinematics::world::WorldNode;
use holonom_multibody::road::{Bump, Flat, Height, Surface};
use holonom_multibody::tree::Attachment;
use holonom_multibody::tree::Tree;
use holonom_multibody::tyre::{Calspan, Linear, MagicFormula, Tmeasy, TmeasyAxis, TyreLaw};
use holonom_multibody::workspace::Workspace;

const WHEEL: usize = 1;
const ROAD: usize = 2;
/// Laws, each on a flat road first.
const LAWS: usize = 4;

/// Motion of the wheel and of the road, and the deflections of the tread.
#[derive(Clone)]
struct State<T: Real> {
    world: Vec<WorldNode<T>>,
    own: [T; 2],
}

impl<T: Real> State<T> {
    fn scene<'a>(&'a self, tree: &'a Tree) -> Scene<'a, T> {
        Scene {
            controls: &[],
            sides: &[],
            tree,
            world: &self.world,
            q: &[],
            v: &[],
            a: &[],
            signals: &[],
            t: T::zero(),
            x: &self.own,
            own: &self.own,
            lambda: &[],
        }
    }

    fn loads(&self, tyre: &Tyre) -> Vec<Wrench<T>> {
        let tree = Tree::new(Vec3::zero());
        let mut wrenches = vec![Wrench::zero(); 3];
        let mut loads = Loads {
            wrenches: &mut wrenches,
            generalised: &mut [],
            driven: &mut [],
        };
        tyre.evaluate(&self.scene(&tree), &mut loads);
        wrenches
    }

    fn rates(&self, tyre: &Tyre) -> [T; 2] {
        let tree = Tree::new(Vec3::zero());
        let mut out = [T::zero(); 2];
        tyre.rates(&self.scene(&tree), &mut out);
        out
    }

    fn contact(&self, tyre: &Tyre) -> [T; 6] {
        let tree = Tree::new(Vec3::zero());
        tyre.contact_forces(&self.scene(&tree))
    }

    fn power(&self, tyre: &Tyre) -> T {
        let mut sum = T::zero();
        for (load, w) in self.loads(tyre).iter().zip(&self.world) {
            sum += w.omega.dot(load.moment) + w.velocity.dot(load.force);
        }
        sum
    }
}

/// A wheel upright at a height, rolling along x at a speed with an angular velocity of the axle.
fn rolling(height: f64, speed: f64, spin: f64) -> State<f64> {
    let mut world = vec![WorldNode::ground(); 3];
    world[WHEEL].position = Vec3([0.2, -0.1, height]);
    world[WHEEL].velocity = Vec3([speed, 0.0, 0.0]);
    world[WHEEL].omega = Vec3([0.0, spin, 0.0]);
    State { world, own: [0.0; 2] }
}

fn tyre(law: TyreLaw, surface: Surface) -> Tyre {
    let mut carcass = Carcass::new(0.3, 200e3);
    carcass.damping = 500.0;
    carcass.stiffening = 1e6;
    carcass.rolling_resistance = 0.01;
    let at = |node: usize| Attachment {
        node,
        frame: Pose::identity(),
    };
    let road = RoadPlace {
        frame: at(ROAD),
        surface,
        signs: [1.0, 1.0],
        friction: 1.0,
    };
    let mount = Mount {
        wheel: at(WHEEL),
        road,
        mirrored: false,
        enveloping: 0.0,
    };
    let data = TyreLaws { carcass, law };
    Tyre { mount, data }
}

pub fn linear() -> Linear {
    Linear {
        slip_stiffness: 80e3,
        cornering_stiffness: 50e3,
        camber_stiffness: 2e3,
        friction_y: 0.9,
        trail: 0.03,
        ..Linear::default()
    }
}

pub fn magic() -> MagicFormula {
    MagicFormula {
        unloaded_radius: 0.3,
        vertical_stiffness: 200e3,
        vertical_damping: 500.0,
        fnomin: 4000.0,
        pcx1: 1.65,
        pdx1: 1.1,
        pex1: 0.2,
        pkx1: 22.0,
        phx1: 0.001,
        rbx1: 10.0,
        rbx2: 8.0,
        rcx1: 1.0,
        ptx1: 2.0,
        pcy1: 1.3,
        pdy1: 1.0,
        pey1: -0.5,
        pey3: 0.1,
        pky1: -14.0,
        pky2: 1.6,
        pvy3: -0.2,
        rby1: 7.0,
        rby2: 2.5,
        rcy1: 1.0,
        rvy1: 0.02,
        rvy5: 1.9,
        rvy6: 10.0,
        pty1: 2.1,
        pty2: 2.0,
        qbz1: 8.5,
        qbz10: 0.3,
        qcz1: 1.2,
        qdz1: 0.1,
        qdz6: 0.002,
        qsx2: 0.4,
        qsx3: 0.05,
        qsy1: 0.01,
        ssz1: 0.01,
        breff: 8.0,
        dreff: 0.25,
        freff: 0.01,
        ..MagicFormula::default()
    }
}

pub fn calspan() -> Calspan {
    Calspan {
        slip_stiffness: 60e3,
        ..Calspan::default()
    }
}

pub fn tmeasy() -> Tmeasy {
    Tmeasy {
        nominal_load: 3000.0,
        x: TmeasyAxis {
            slope: [90e3, 160e3],
            peak_force: [3200.0, 6000.0],
            peak_slip: [0.11, 0.12],
            sliding_force: [3000.0, 5400.0],
            sliding_slip: [0.4, 0.5],
        },
        y: TmeasyAxis {
            slope: [60e3, 95e3],
            peak_force: [3000.0, 5500.0],
            peak_slip: [0.18, 0.2],
            sliding_force: [2900.0, 5300.0],
            sliding_slip: [0.6, 0.8],
        },
        trail: [0.16, 0.18],
        trail_zero: [0.2, 0.22],
        trail_end: [0.4, 0.45],
        stiffness_x: 150e3,
        stiffness_y: 100e3,
    }
}

fn wavy() -> Surface {
    let scope = Scope::new().variable("x").variable("y");
    let height = Expression::parse("0.02*sin(3*x)*cos(2*y) + 0.03*y", &scope, None).unwrap();
    Surface::new(&Height { height }.into()).unwrap()
}

fn tyres() -> Vec<Tyre> {
    let mut list = Vec::new();
    for surface in [Surface::Flat(Flat), wavy()] {
        for law in [
            TyreLaw::Linear(linear()),
            TyreLaw::Calspan(calspan()),
            TyreLaw::Tmeasy(Box::new(tmeasy())),
            TyreLaw::MagicFormula(Box::new(magic())),
        ] {
            list.push(tyre(law, surface.clone()));
        }
    }
    let mut last = list[7].clone();
    (last.mount.enveloping, last.mount.mirrored, last.mount.road.signs) = (0.1, true, [-1.0, 1.0]);
    list.push(last);
    list
}

/// A wheel somewhere on the road, leaning and sliding a little.
fn random(r: &mut Random) -> State<f64> {
    let mut state = rolling(0.28 + 0.01 * r.next(), 8.0 * r.next(), 20.0 * r.next());
    let tilt = Quaternion([1.0, 0.1 * r.next(), 3.0 * r.next(), 0.3 * r.next()]);
    let n = tilt.0.iter().map(|x| x * x).sum::<f64>().sqrt();
    state.world[WHEEL].rotation = Mat3(Quaternion(tilt.0.map(|x| x / n)).rotation_matrix());
    state.world[WHEEL].velocity += r.vector();
    state.world[WHEEL].omega += r.vector();
    state.own = [0.02 * r.next(), 0.03 * r.next()];
    state
}

/// Moves everything by one rigid motion with velocity.
fn moved(state: &State<f64>, pose: &Pose<f64>, velocity: Vec3<f64>, omega: Vec3<f64>) -> State<f64> {
    let mut state = state.clone();
    for node in &mut state.world[1..] {
        node.rotation = pose.rotation.matrix(&node.rotation);
        let arm = pose.rotation.times(node.position);
        node.position = pose.position + arm;
        node.velocity = pose.rotation.times(node.velocity) + velocity + omega.cross(node.position);
        node.omega = pose.rotation.times(node.omega) + omega;
    }
    state
}

#[test]
fn a_moved_and_turned_world_sees_the_same() {
    let mut r = Random::new(5);
    for tyre in tyres() {
        for _ in 0..20 {
            let state = random(&mut r);
            let pose = r.pose();
            let other = moved(&state, &pose, r.vector().scale(9.0), r.vector().scale(3.0));
            let (a, b) = (state.loads(&tyre), other.loads(&tyre));
            for node in [WHEEL, ROAD] {
                let (force, moment) = (
                    pose.rotation.times(a[node].force),
                    pose.rotation.times(a[node].moment),
                );
                for k in 0..3 {
                    close(b[node].force.0[k], force.0[k], 1e-9, "force");
                    close(b[node].moment.0[k], moment.0[k], 1e-8, "moment");
                }
            }
            let (a, b) = (state.rates(&tyre), other.rates(&tyre));
            close(b[0], a[0], 1e-10, "rate of u");
            close(b[1], a[1], 1e-10, "rate of w");
            // The same power: the loads on wheel and road balance each other.
            close(other.power(&tyre), state.power(&tyre), 1e-8, "power");
        }
    }
}

#[test]
fn derivatives_by_duals_are_differences() {
    let mut r = Random::new(9);
    for tyre in tyres() {
        for _ in 0..10 {
            let state = random(&mut r);
            // Along a motion: everything changes at once, the rotation by a small turn.
            let change: Vec<[Vec3<f64>; 4]> = (0..3).map(|_| [0; 4].map(|_| r.vector())).collect();
            let own = [r.next(), r.next()];
            let shifted = |h: f64| {
                let mut s = state.clone();
                for (node, [p, v, w, turn]) in s.world.iter_mut().zip(&change).skip(1) {
                    node.position += p.scale(h);
                    node.velocity += v.scale(h);
                    node.omega += w.scale(h);
                    let columns = [0, 1, 2].map(|k| {
                        let c = node.rotation.column(k);
                        c + turn.cross(c).scale(h)
                    });
                    node.rotation = Mat3::from_columns(columns[0], columns[1], columns[2]);
                }
                s.own = [s.own[0] + h * own[0], s.own[1] + h * own[1]];
                s
            };
            let d = |x: f64, rate: f64| Dual4::constant(x).with_derivative(0, rate);
            let dv = |x: Vec3<f64>, rate: Vec3<f64>| Vec3([0, 1, 2].map(|k| d(x.0[k], rate.0[k])));
            let dual = State {
                world: state
                    .world
                    .iter()
                    .zip(&change)
                    .enumerate()
                    .map(|(index, (node, [p, v, w, turn]))| {
                        if index == 0 {
                            return WorldNode::ground();
                        }
                        WorldNode {
                            rotation: DualOrientation::constant(&node.rotation).with_turn(0, *turn),
                            position: dv(node.position, *p),
                            velocity: dv(node.velocity, *v),
                            omega: dv(node.omega, *w),
                            ..WorldNode::ground()
                        }
                    })
                    .collect(),
                own: [d(state.own[0], own[0]), d(state.own[1], own[1])],
            };
            let h = 1e-7;
            let (up, down) = (shifted(h), shifted(-h));
            let (a, b, c) = (up.contact(&tyre), down.contact(&tyre), dual.contact(&tyre));
            for k in 0..6 {
                let difference = (a[k] - b[k]) / (2.0 * h);
                close(
                    c[k].derivative(0),
                    difference,
                    3e-4,
                    &format!("{tyre:?}: force {k}"),
                );
            }
            let (a, b, c) = (up.rates(&tyre), down.rates(&tyre), dual.rates(&tyre));
            for k in 0..2 {
                let difference = (a[k] - b[k]) / (2.0 * h);
                close(
                    c[k].derivative(0),
                    difference,
                    1e-4,
                    &format!("{tyre:?}: rate {k}"),
                );
            }
        }
    }
}

/// The load goes to zero at lift-off, for every velocity; nothing acts in the air.
#[test]
fn lift_off_is_continuous() {
    for tyre in tyres().iter().take(LAWS) {
        for closing in [-3.0, 0.0, 3.0] {
            let at = |height: f64| {
                let mut state = rolling(height, 10.0, 30.0);
                state.world[WHEEL].velocity.0[2] = -closing;
                state.own = [0.02, 0.03];
                let forces = state.contact(tyre);
                assert!(forces[2] >= 0.0);
                forces
            };
            assert_eq!(at(0.3 + 1e-9), [0.0; 6]);
            for force in at(0.3 - 1e-9) {
                assert!(force.abs() < 1e-3, "{force}");
            }
            let mut before = at(0.2);
            for k in 1..=11_000 {
                let now = at(0.2 + 1e-5 * f64::from(k));
                for (a, b) in now.iter().zip(&before) {
                    assert!((a - b).abs() < 40.0, "{closing}: {a} {b}");
                }
                before = now;
            }
        }
        // In the air the deflections fade.
        let mut state = rolling(0.4, 0.0, 30.0);
        state.own = [0.02, -0.03];
        let rates = state.rates(tyre);
        close(rates[0], -0.02 / 0.02, 1e-9, "fading");
        close(rates[1], 0.03 / 0.02, 1e-9, "fading");
    }
}

/// At rest all is finite with all derivatives, and the deflection is a spring.
#[test]
fn standstill_is_regular() {
    for tyre in tyres() {
        let mut state = rolling(0.28, 0.0, 0.0);
        for own in [0.0, 1e-12, 0.01, -5.0] {
            state.own = [own, -own];
            let dual = State {
                world: state
                    .world
                    .iter()
                    .map(|node| {
                        let v = |x: Vec3<f64>, k: usize| {
                            let mut x = Vec3::<Dual4>::constant(x);
                            x.0[0] = x.0[0].with_derivative(k, 1.0);
                            x.0[1] = x.0[1].with_derivative(k, -0.3);
                            x
                        };
                        WorldNode {
                            rotation: DualOrientation::constant(&node.rotation),
                            position: v(node.position, 0),
                            velocity: v(node.velocity, 1),
                            omega: v(node.omega, 2),
                            ..WorldNode::ground()
                        }
                    })
                    .collect(),
                own: [
                    Dual4::constant(own).with_derivative(3, 1.0),
                    Dual4::constant(-own).with_derivative(3, 1.0),
                ],
            };
            for x in dual.contact(&tyre).into_iter().chain(dual.rates(&tyre)) {
                assert!(x.is_finite(), "{tyre:?}: {x:?}");
            }
            if tyre.mount.road.surface.is_flat() {
                assert_eq!(state.rates(&tyre), [0.0, 0.0]);
            }
        }
    }
}

/// A wheel that rolls freely takes power, as much as its resistance says; a sliding one more.
#[test]
fn rolling_takes_power() {
    for tyre in tyres().iter().take(LAWS) {
        let height = 0.28;
        // Effective radius: the spin at which nothing slides.
        let speed = 15.0;
        let slip = |spin: f64| rolling(height, speed, spin).rates(tyre)[0];
        let (mut low, mut high) = (40.0, 70.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if slip(middle) < 0.0 {
                low = middle
            } else {
                high = middle
            }
        }
        let free = rolling(height, speed, low);
        let moment = free.contact(tyre)[4];
        assert!(moment < 0.0);
        let [fx, ..] = free.contact(tyre);
        // The shift of the Magic Formula pulls a little at zero slip, without sliding: no power.
        close(
            free.power(tyre),
            moment * low,
            1e-6,
            &format!("free rolling, F_x {fx}"),
        );
        // Steady sliding: u and w where their rates vanish.
        for (spin, side) in [(1.1 * low, 0.0), (0.7 * low, 1.0), (low, -2.0), (0.0, 0.5)] {
            let mut state = rolling(height, speed, spin);
            state.world[WHEEL].velocity.0[1] = side;
            for k in 0..2 {
                let (mut a, mut b) = (-3.0, 3.0);
                for _ in 0..90 {
                    state.own[k] = 0.5 * (a + b);
                    if state.rates(tyre)[k] > 0.0 {
                        a = state.own[k]
                    } else {
                        b = state.own[k]
                    }
                }
            }
            let power = state.power(tyre);
            assert!(power < 0.0, "{tyre:?} {spin} {side}: {power}");
            assert!(state.contact(tyre)[1] * side <= 0.0);
        }
    }
}

/// The load is k δ + k₂ δ² + d δ̇ and acts through the contact point.
#[test]
fn load_and_contact_point() {
    let tyre = tyre(TyreLaw::Linear(linear()), Surface::Flat(Flat));
    let mut state = rolling(0.28, 0.0, 0.0);
    state.world[WHEEL].velocity.0[2] = -0.1;
    let loads = state.loads(&tyre);
    close(
        loads[WHEEL].force.0[2],
        200e3 * 0.02 + 1e6 * 0.0004 + 500.0 * 0.1,
        1e-12,
        "load",
    );
    assert_eq!(loads[WHEEL].moment, Vec3::zero());
    // The reaction on the road, at the point below the wheel.
    close(
        loads[ROAD].force.0[2],
        -loads[WHEEL].force.0[2],
        1e-12,
        "reaction",
    );
    close(
        loads[ROAD].moment.0[1],
        0.2 * loads[WHEEL].force.0[2],
        1e-12,
        "reaction",
    );
    // On a slope of 1/10 the normal leans back.
    let scope = Scope::new().variable("x").variable("y");
    let height = Expression::parse("0.1*x", &scope, None).unwrap();
    let mut sloped = tyre.clone();
    sloped.mount.road.surface = Surface::new(&Height { height }.into()).unwrap();
    let state = rolling(0.02 + 0.28 * 1.01_f64.sqrt(), 0.0, 0.0);
    let force = state.loads(&sloped)[WHEEL].force;
    close(force.0[0] / force.0[2], -0.1, 1e-12, "slope");
    close(
        force.norm(),
        200e3 * 0.02 + 1e6 * 0.0004,
        1e-9,
        "load on the slope",
    );
}

/// On an uneven road, too, the load gives back the energy of the deflection, as exactly as the
/// contact point is known: two corrections leave a part in a thousand on waves of 2 m.
#[test]
fn the_load_is_the_slope_of_the_energy_on_waves() {
    let mut slippery = tyre(TyreLaw::Linear(linear()), wavy());
    slippery.mount.road.friction = 0.0;
    slippery.data.carcass.rolling_resistance = 0.0;
    slippery.data.carcass.damping = 0.0;
    let tree = Tree::new(Vec3::zero());
    let mut r = Random::new(11);
    let mut pressed = 0;
    for _ in 0..40 {
        let state = random(&mut r);
        let energy = |h: f64| {
            let mut moved = state.clone();
            let node = &mut moved.world[WHEEL];
            node.position += node.velocity.scale(h);
            let columns = [0, 1, 2].map(|k| {
                let c = node.rotation.column(k);
                c + node.omega.cross(c).scale(h)
            });
            node.rotation = Mat3::from_columns(columns[0], columns[1], columns[2]);
            slippery.energy(&moved.scene(&tree)).unwrap()
        };
        let h = 1e-6;
        let gained = (energy(h) - energy(-h)) / (2.0 * h);
        let power = state.power(&slippery);
        // The force times the speed at which the centre moves.
        let scale = state.contact(&slippery)[2] * state.world[WHEEL].velocity.norm();
        pressed += usize::from(scale > 1.0);
        assert!(
            (power + gained).abs() < 1e-3 * scale + 1e-6,
            "{power} and {gained}, {scale}"
        );
    }
    assert!(pressed > 10, "{pressed}");
}

/// A bump as short as the averaged length is seen with its mean height.
#[test]
fn enveloping_averages_the_road() {
    let bump = Bump {
        start: 0.1,
        length: 0.2,
        height: 0.01,
    };
    let mut tyre = tyre(TyreLaw::Linear(linear()), Surface::new(&bump.into()).unwrap());
    let load = |tyre: &Tyre| rolling(0.295, 0.0, 0.0).contact(tyre)[2];
    let single = load(&tyre);
    close(single, 200e3 * 0.015 + 1e6 * 0.000225, 1e-9, "on top");
    tyre.mount.enveloping = 0.2;
    // Mean of the bump: half its height, up to the error of five points.
    close(load(&tyre), 200e3 * 0.01 + 1e6 * 0.0001, 0.02, "mean");
}

/// Exchanging left and right of everything exchanges left and right of the forces.
#[test]
fn mirrored_data() {
    let mut r = Random::new(3);
    for mut tyre in tyres().into_iter().take(LAWS) {
        for _ in 0..10 {
            tyre.mount.mirrored = false;
            let state = random(&mut r);
            let mut other = state.clone();
            let node = &mut other.world[WHEEL];
            let s = |i: usize| if i == 1 { -1.0 } else { 1.0 };
            let image = |v: Vec3<f64>| Vec3([v.0[0], -v.0[1], v.0[2]]);
            let axial = |v: Vec3<f64>| Vec3([-v.0[0], v.0[1], -v.0[2]]);
            let rotation = node.rotation;
            node.rotation = Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| s(i) * s(j) * rotation.0[i][j])));
            node.position = image(node.position);
            node.velocity = image(node.velocity);
            node.omega = axial(node.omega);
            other.own[1] = -other.own[1];
            let a = state.loads(&tyre)[WHEEL];
            tyre.mount.mirrored = true;
            let b = other.loads(&tyre)[WHEEL];
            let (force, moment) = (image(a.force), axial(a.moment));
            for k in 0..3 {
                close(b.force.0[k], force.0[k], 1e-10, "force");
                close(b.moment.0[k], moment.0[k], 1e-9, "moment");
            }
        }
    }
}

/// The image of a wheel on the nameless road hangs below the image of that road.
#[test]
fn mirrored_in_the_road_itself() {
    let wheel = Description::new("wheel")
        .body(Body::new("wheel", 20.0).inertia([1.0, 2.0, 1.0, 0.0, 0.0, 0.0]))
        .joint(Joint::new("joint", JointKind::FreeCardan, "ground", "wheel"))
        .force(Force::linear_tyre(
            "tyre",
            Mount::new("wheel"),
            Carcass::new(0.3, 200e3),
            linear(),
        ));
    for (axis, sign) in [(Axis::X, 1.0), (Axis::Y, 1.0), (Axis::Z, -1.0)] {
        let model = wheel.clone().mirrored(axis).compile().unwrap();
        let mut work = Workspace::<f64>::new(&model);
        let q = [0.0, 0.0, sign * 0.28, 0.0, 0.0, 0.0];
        let mut out = [0.0; 6];
        work.set_time(&model, 0.0);
        work.set_positions(&model, &q);
        work.set_velocities(&model, &[0.0; 6]);
        work.set_states(&model.x0);
        work.clear_loads();
        work.add_forces(&model);
        work.project_loads(&model, &mut out);
        close(out[2], sign * 4000.0, 1e-9, "load");
    }
}

/// What a tyre shows, and sensors read: load and deflection, forces, slips of the tread at speed, camber.
#[test]
fn shown_values() {
    let tyre = tyre(TyreLaw::Linear(linear()), Surface::Flat(Flat));
    let mut state = rolling(0.28, 20.0, 20.0 / 0.3);
    state.own = [0.006, -0.01];
    let lean = 0.05_f64;
    state.world[WHEEL].rotation = Mat3([
        [1.0, 0.0, 0.0],
        [0.0, lean.cos(), -lean.sin()],
        [0.0, lean.sin(), lean.cos()],
    ]);
    let tree = Tree::new(Vec3::zero());
    let names: Vec<&str> = tyre.outputs().iter().map(|shown| shown.name).collect();
    let mut out = vec![0.0; names.len()];
    tyre.shown(&state.scene(&tree), &mut out);
    let shown = |name: &str| out[names.iter().position(|n| *n == name).unwrap()];
    let [x, y, load, _, _, aligning] = state.contact(&tyre);
    for (name, value) in [
        ("longitudinal", x),
        ("lateral", y),
        ("load", load),
        ("aligning", aligning),
    ] {
        assert_eq!(shown(name), value, "{name}");
    }
    close(shown("deflection"), 0.3 - 0.28 / lean.cos(), 1e-12, "deflection");
    close(shown("camber"), lean, 1e-12, "camber");
    // The relaxation lengths are 0.3 m and 0.5 m; at 20 m/s the damping of standstill is (0.5/20)⁴ of it.
    close(shown("longitudinal_slip"), 0.006 / 0.3, 1e-5, "along");
    close(shown("lateral_slip"), -0.01 / 0.5, 1e-5, "across");
}
