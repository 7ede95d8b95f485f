//! A sample, or several, of every kind of force element. A new kind adds its own to [`samples`].

use crate::tyres::{calspan, linear, magic, tmeasy};
use holonom_algebra::{Generic, Pose};
use holonom_expression::curve::{Curve, Extrapolation, Interpolation};
use holonom_expression::{Expression, ScalarLaw, Scope};
use holonom_multibody::Signal;
use holonom_multibody::description::{Carcass, Mount};
use holonom_multibody::elements::constraints::{WheelRail, WheelRailShape};
use holonom_multibody::elements::forces::*;
use holonom_multibody::elements::references::{
    Attached, JointCoordinate, Prepare, RoadPlace, RollingContact,
};
use holonom_multibody::rail::{CreepLaw, FallingFriction, Reduction};
use holonom_multibody::road::{Flat, Surface};
use holonom_multibody::tree::Attachment;
use holonom_multibody::tyre::{Linear, MagicFormula, TyreLaw};
use std::sync::Arc;

/// Where samples are attached.
pub struct Places {
    /// Three frames on different nodes.
    pub frames: [Attachment; 3],
    /// Two frames that turn about a common z axis.
    pub hinge: [Attachment; 2],
    /// Two nodes with scalar coordinates.
    pub coordinates: [usize; 2],
}

/// A force element and what can be said about its kind.
pub struct Sample {
    pub kind: &'static str,
    pub element: ForceElement,
    /// It gives no energy but what it has stored.
    pub passive: bool,
    /// At rest it does nothing but what follows from its energy.
    pub potential: bool,
    /// Values of its own states.
    pub own: Vec<f64>,
}

fn law(text: &str, variable: &str) -> Expression {
    Expression::parse(text, &Scope::new().variable(variable), None).unwrap()
}

fn rubber() -> Curve {
    let (x, y) = (
        vec![-2.0, -0.5, 0.0, 0.4, 1.1, 3.0],
        vec![-30.0, -9.0, 0.0, 7.0, 29.0, 140.0],
    );
    Curve::new("rubber", x, y, Interpolation::Monotone, Extrapolation::Linear).unwrap()
}

fn bushing_law() -> BushingLaw {
    let mut law_of_all =
        BushingLaw::diagonal([30.0, 25.0, 40.0, 8.0, 9.0, 7.0], [3.0, 2.0, 1.0, 0.5, 0.4, 0.6]);
    for (i, j, k, c) in [
        (0, 1, 4.0, 0.2),
        (0, 4, -3.0, 0.1),
        (3, 5, 1.5, 0.0),
        (2, 3, 2.0, -0.1),
    ] {
        (law_of_all.stiffness[i][j], law_of_all.stiffness[j][i]) = (k, k);
        (law_of_all.damping[i][j], law_of_all.damping[j][i]) = (c, c);
    }
    law_of_all.preload_force = [1.0, -2.0, 0.5];
    law_of_all.preload_torque = [0.3, 0.0, -0.2];
    law_of_all.force[1] = law("5*s^3 + 2*s*abs(s)", "s");
    law_of_all.torque[2] = law("4*sin(s)", "s");
    law_of_all
}

/// A sample, or several, of every kind.
pub fn samples(places: &Places) -> Vec<Sample> {
    let [from, to, third] = places.frames;
    let [left, right] = places.coordinates;
    let mut list: Vec<Sample> = Vec::new();
    let mut add = |kind: &'static str, passive: bool, element: ForceElement| {
        let own = (0..element.states().len()).map(|k| 0.3 - 0.5 * k as f64);
        list.push(Sample {
            kind,
            own: own.collect(),
            potential: element.stores_energy(),
            element,
            passive,
        });
    };
    let wave = |x: f64| Signal::harmonic(x, 2.0, 0.3);
    let applied = Applied {
        frame: to,
        force: [1.0, -2.0, 3.0].map(wave),
        torque: [0.1, 0.2, -0.3].map(wave),
        follower: true,
    };
    add("applied", false, applied.into());
    let spring = SpringDamper {
        from,
        to,
        stiffness: 30.0,
        damping: 5.0,
        free_length: 0.4,
        preload: 3.0,
    };
    add("spring-damper", true, spring.into());
    // A length that changes strains the damping at rest, too.
    let hoist = |length: Signal, damping_time: f64| Cable {
        from,
        over: vec![third, to, from],
        to,
        length,
        law: CableLaw {
            axial_stiffness: 60.0,
            damping_time,
            onset: 0.1,
        },
    };
    add("cable", true, hoist(Signal::constant(2.0), 0.05).into());
    add(
        "cable",
        false,
        hoist(
            Signal::Sum(vec![Signal::constant(1.8), Signal::harmonic(0.3, 2.0, 0.1)]),
            0.0,
        )
        .into(),
    );
    let torsion = TorsionSpring {
        from: places.hinge[0],
        to: places.hinge[1],
        stiffness: 7.0,
        damping: 0.8,
        free_angle: 0.4,
    };
    add("torsion-spring", true, torsion.into());
    let joint = JointSpring {
        coordinate: left,
        stiffness: 11.0,
        damping: 0.7,
        free_position: -0.3,
        motor: Signal::constant(0.0),
    };
    add("joint-spring", true, joint.into());
    let scope = ExpressionLaw::scope();
    let own = |text: &str| Expression::parse(text, &scope, None).unwrap();
    let written = ExpressionLaw::new(
        ["-3*x + y*z", "-vy + r12^2", "sin(wz) - t*z"].map(own),
        ["-wx", "1.5*r31", "x*vx"].map(own),
    );
    let user = || User {
        from,
        to,
        law: Arc::new(Generic::new(written.clone().unwrap()).unwrap()),
        switched: None,
    };
    add("user", false, user().into());
    add("expression", false, user().into());
    let damped = |spring: ScalarLaw| SpringLaw {
        spring: spring.over("x"),
        damper: law("4*v + v*abs(v)", "v"),
        free: 0.7,
    };
    for spring in [
        ScalarLaw::from(rubber()),
        ScalarLaw::from(law("20*x + 9*x^3 + exp(x)", "x")),
    ] {
        let curves = damped(spring);
        let curves = || Prepare::prepare(&curves).unwrap();
        add(
            "nonlinear-spring",
            true,
            NonlinearSpring::<Attached> {
                from,
                to,
                law: curves(),
            }
            .into(),
        );
        let joint = NonlinearJointSpring {
            coordinate: left,
            law: curves(),
        };
        add("nonlinear-joint-spring", true, joint.into());
    }
    add(
        "bushing",
        true,
        Bushing::<Attached> {
            from,
            to,
            law: Box::new(bushing_law()).prepare().unwrap(),
        }
        .into(),
    );
    let diagonal = BushingLaw::diagonal([30.0, 25.0, 40.0, 8.0, 9.0, 7.0], [3.0, 2.0, 1.0, 0.5, 0.4, 0.6]);
    add(
        "bushing",
        true,
        Bushing::<Attached> {
            from,
            to,
            law: Box::new(diagonal).prepare().unwrap(),
        }
        .into(),
    );
    let bar = AntiRollBar {
        bar: from,
        left: to,
        right: third,
        law: AntiRollLaw {
            stiffness: 12.0,
            damping: 0.9,
            lever: 0.4,
            free_twist: 0.2,
        },
    };
    add("anti-roll-bar", true, bar.into());
    let bar = JointAntiRollBar {
        left,
        right,
        law: JointAntiRollLaw {
            stiffness: 12.0,
            damping: 0.9,
            ratios: [0.8, -1.3],
            free_twist: 0.2,
        },
    };
    add("joint-anti-roll-bar", true, bar.into());
    for (area, exponent) in [
        ("0.3", 1.38),
        ("0.3 + 0.1*tanh(x)", 1.0),
        ("0.2 + 0.01*rubber(x)", 1.4),
    ] {
        let scope = Scope::new().variable("x").table(Arc::new(rubber()));
        let gas = GasLaw {
            height: 1.2,
            volume: 0.6,
            area: Expression::parse(area, &scope, None).unwrap(),
            load: 40.0,
            exponent,
            ambient: 100.0,
            damping: 2.0,
            ..GasLaw::default()
        };
        add(
            "air-spring",
            true,
            AirSpring::<Attached> {
                from,
                to,
                law: gas.prepare().unwrap(),
            }
            .into(),
        );
    }
    let stop = StopLaw {
        stiffness: 60.0,
        damping: 8.0,
        onset: 0.3,
    };
    for rebound in [false, true] {
        let bump = BumpStop {
            from,
            to,
            length: 2.5,
            rebound,
            law: stop,
        };
        add("bump-stop", true, bump.into());
    }
    let ends = JointStop {
        coordinate: left,
        lower: -0.2,
        upper: 0.3,
        law: stop,
    };
    add("joint-stop", true, ends.into());
    let contact = ContactLaw {
        stiffness: 50.0,
        dissipation: 0.4,
        friction: 0.6,
        slip_speed: 0.1,
        ..ContactLaw::default()
    };
    for shape in [
        Shape::sphere(1.0),
        Shape::cylinder(0.8, 0.9),
        Shape::cylinder(1.0, 0.0),
        Shape::cuboid([1.5, 1.1, 0.9]),
    ] {
        let contact = PlaneContact {
            plane: from,
            body: to,
            shape,
            law: contact,
        };
        add("plane-contact", true, contact.into());
    }
    let spheres = SphereContact {
        from,
        to,
        radii: [1.4, 1.6],
        law: contact,
    };
    add("sphere-contact", true, spheres.into());
    for cylinders in [
        Cylinders::crossed([0.9, 0.8]),
        Cylinders::parallel([1.2, 1.4], 0.7),
    ] {
        let contact = CylinderContact {
            from,
            to,
            cylinders,
            law: contact,
        };
        add("cylinder-contact", true, contact.into());
    }
    let actuator = Actuator {
        from,
        to,
        force: wave(3.0),
        torque: wave(0.4),
    };
    add("actuator", false, actuator.into());
    for limit in [2.0, f64::INFINITY] {
        let servo = Servo {
            coordinate: left,
            target: wave(0.5),
            law: ServoLaw {
                stiffness: 9.0,
                damping: 0.6,
                limit,
            },
        };
        add("servo", false, servo.into());
    }
    let series = Maxwell {
        from,
        to,
        stiffness: 30.0,
        damping: 5.0,
        free_length: 0.4,
        start: 0.1,
    };
    add("maxwell", true, series.into());
    let cut = |axis: usize, turns: bool, rows: core::ops::Range<usize>| JointCoordinate::Cut {
        from,
        to,
        axis,
        turns,
        rows,
    };
    let tree = JointCoordinate::Tree {
        node: left,
        turns: true,
    };
    for coordinate in [tree, cut(2, true, 0..3), cut(1, false, 0..2)] {
        let friction = JointFriction::<Attached> {
            coordinate,
            friction: 1.1,
            stribeck_friction: 0.6,
            coefficient: 0.3,
            stribeck: 0.2,
            stribeck_velocity: 0.4,
            transition_velocity: 0.1,
            viscous: 0.2,
            normal_force: 5.0,
            from_reaction: true,
            radius: 0.7,
        };
        add("joint-friction", true, friction.into());
    }
    for law in CreepLaw::ALL {
        for right in [false, true] {
            let shape = WheelRailShape::cone(0.6, 0.1, 0.7);
            let contact = RollingContact {
                constraint: WheelRail {
                    wheel: to,
                    rail: from,
                    shape: shape.geometry(right).unwrap(),
                },
                row: 0,
                ground: Attachment {
                    node: 0,
                    frame: Pose::identity(),
                },
            };
            let data = CreepData {
                law,
                // So soft that not every sample slides.
                modulus: 1e6,
                reduction: Reduction {
                    adhesion: 0.8,
                    slip: if right { 0.3 } else { 0.8 },
                },
                falling: FallingFriction {
                    ratio: if right { 0.4 } else { 1.0 },
                    decay: 0.6,
                },
                ..CreepData::default()
            };
            let data = data.prepare().unwrap();
            add("creep", false, Creep::<Attached> { contact, data }.into());
        }
    }
    // Tyres store the vertical deflection. What a deflected tread gives back is not counted, so
    // that they are not passive in any state; that they take power in steady motion is a test of
    // their own. Camber thrust and shifts of the curves act at rest and have no potential: only
    // the tyre without them is one.
    let straight = Linear {
        camber_stiffness: 0.0,
        ..linear()
    };
    let formula = MagicFormula {
        unloaded_radius: 1.5,
        vertical_stiffness: 2000.0,
        ..magic()
    };
    for (kind, law, potential) in [
        ("linear-tyre", TyreLaw::Linear(straight), true),
        ("linear-tyre", TyreLaw::Linear(linear()), false),
        ("calspan-tyre", TyreLaw::Calspan(calspan()), false),
        ("tmeasy-tyre", TyreLaw::Tmeasy(Box::new(tmeasy())), true),
        ("tmeasy-tyre", TyreLaw::Tmeasy(Box::new(tmeasy())), false),
        ("tyre", TyreLaw::MagicFormula(Box::new(formula)), false),
    ] {
        let mut carcass = Carcass::new(1.5, 2000.0);
        carcass.damping = 50.0;
        carcass.stiffening = 300.0;
        carcass.rolling_resistance = 0.01;
        let road = RoadPlace {
            frame: from,
            surface: Surface::Flat(Flat),
            signs: [1.0; 2],
            friction: 0.9,
        };
        let mount = Mount {
            wheel: to,
            road,
            mirrored: !potential,
            enveloping: 0.0,
        };
        let data = TyreLaws { carcass, law };
        let tyre: Tyre = Tyre { mount, data };
        // A tread that is not deflected has no force to move with.
        let own = if potential { [0.0; 2] } else { [0.05, -0.03] };
        list.push(Sample {
            kind,
            element: tyre.into(),
            passive: false,
            potential,
            own: own.to_vec(),
        });
    }
    list
}
