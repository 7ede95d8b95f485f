//! Constructors of controls.

use crate::Signal;
use crate::compile::names::GROUND;
use crate::description::{Control, ControlKind, Description, Pursuit};
use crate::elements::controls::{SpeedLaw, SteeringLaw};

impl Description {
    /// Adds a control.
    ///
    /// ```
    /// use holonom_multibody::{Description, Signal};
    /// use holonom_multibody::description::{Body, Control, Force, Joint};
    ///
    /// let model = Description::new("held pendulum")
    ///     .body(Body::new("bob", 2.0).centre([1.0, 0.0, 0.0]))
    ///     .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, -1.0, 0.0]))
    ///     .control(Control::sensor("angle", "pin.angle"))
    ///     .control(Control::pid("controller", Signal::of("angle", &["angle"])?, [300.0, 100.0, 60.0]))
    ///     .force(Force::motor("motor", "pin", Signal::of("controller", &["controller"])?))
    ///     .compile()?;
    /// assert_eq!(model.states.len(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn control(mut self, control: Control) -> Self {
        self.controls.push(control);
        self
    }
}

/// Constructors. What they do not ask for is as in an absent field of a model file.
impl Control {
    /// A control of any kind.
    pub fn new(name: impl Into<String>, kind: ControlKind) -> Self {
        Self {
            name: name.into(),
            kind,
        }
    }

    /// A channel of the mechanism.
    pub fn sensor(name: impl Into<String>, channel: impl Into<String>) -> Self {
        let channel = channel.into();
        let kind = ControlKind::Sensor {
            channel,
            factor: 1.0,
            axes: GROUND.to_string(),
        };
        Self::new(name, kind)
    }

    /// Lets a sensor see positions and orientations from a frame, and take components of velocities,
    /// forces and torques in its axes, instead of those of the ground.
    ///
    /// ```
    /// use holonom_multibody::description::Control;
    ///
    /// let along = Control::sensor("speed", "car.velocity.x").axes("car");
    /// ```
    pub fn axes(mut self, frame: impl Into<String>) -> Self {
        if let ControlKind::Sensor { axes, .. } = &mut self.kind {
            *axes = frame.into();
        }
        self
    }

    /// A function of t and other controls.
    pub fn expression(name: impl Into<String>, value: Signal) -> Self {
        Self::new(name, ControlKind::Expression { value })
    }

    /// A controller with gains P, I, D that keeps its input at zero; set another target with
    /// [`target`](Self::target).
    pub fn pid(
        name: impl Into<String>,
        input: Signal,
        [proportional, integral, derivative]: [f64; 3],
    ) -> Self {
        let kind = ControlKind::Pid {
            input,
            target: Signal::constant(0.0),
            proportional,
            integral,
            derivative,
            filter: 0.01,
            limited: false,
            low: 0.0,
            high: 0.0,
            start: 0.0,
            derivative_of: 0,
        };
        Self::new(name, kind)
    }

    /// Sets what the input of a PID controller should be. No effect on other kinds.
    pub fn target(mut self, signal: Signal) -> Self {
        if let ControlKind::Pid { target, .. } = &mut self.kind {
            *target = signal;
        }
        self
    }

    /// Takes the derivative part of a PID controller from what is measured instead of the error. No effect on
    /// other kinds.
    pub fn derivative_of_input(mut self) -> Self {
        if let ControlKind::Pid { derivative_of, .. } = &mut self.kind {
            *derivative_of = 1;
        }
        self
    }

    /// Limits the output of a PID controller. No effect on other kinds.
    pub fn limits(mut self, lowest: f64, highest: f64) -> Self {
        if let ControlKind::Pid {
            limited, low, high, ..
        } = &mut self.kind
        {
            (*limited, *low, *high) = (true, lowest, highest);
        }
        self
    }

    /// A transfer function: coefficients of numerator and denominator, the highest power first.
    pub fn transfer_function(
        name: impl Into<String>,
        input: Signal,
        numerator: impl Into<Vec<f64>>,
        denominator: impl Into<Vec<f64>>,
    ) -> Self {
        let kind = ControlKind::TransferFunction {
            input,
            numerator: numerator.into(),
            denominator: denominator.into(),
            start: Vec::new(),
        };
        Self::new(name, kind)
    }

    /// A first-order lag with a time constant in s.
    pub fn lag(name: impl Into<String>, input: Signal, time_constant: f64) -> Self {
        let kind = ControlKind::Lag {
            input,
            time_constant,
            start: 0.0,
        };
        Self::new(name, kind)
    }

    /// What the input was a time in s ago, see [`DeadTime`](crate::elements::controls::DeadTime).
    pub fn dead_time(name: impl Into<String>, input: Signal, delay: f64) -> Self {
        let kind = ControlKind::DeadTime {
            input,
            delay,
            order: 8.0,
        };
        Self::new(name, kind)
    }

    /// Where a frame is beside a path; `quantity` is one of
    /// [`PathSensor::QUANTITIES`](crate::elements::controls::PathSensor::QUANTITIES), the arc where it is
    /// none of them.
    pub fn path_sensor(name: impl Into<String>, pursuit: Pursuit, quantity: &str) -> Self {
        let known = crate::elements::controls::PathSensor::QUANTITIES;
        let kind = ControlKind::PathSensor {
            pursuit,
            quantity: known.iter().position(|q| *q == quantity).unwrap_or(0),
            factor: 1.0,
        };
        Self::new(name, kind)
    }

    /// A driver who steers along a path.
    ///
    /// ```
    /// use holonom_multibody::description::{Body, Control, Description, Joint, JointKind, Path, Pursuit};
    /// use holonom_multibody::elements::controls::SteeringLaw;
    /// use holonom_multibody::path::PathKind;
    ///
    /// let law = SteeringLaw { wheelbase: 2.6, ..SteeringLaw::default() };
    /// let model = Description::new("driven")
    ///     .body(Body::new("car", 1200.0).inertia_diagonal([400.0, 1800.0, 2000.0]))
    ///     .joint(Joint::new("motion", JointKind::Planar, "ground", "car").start_at(0, 0.0, 20.0))
    ///     .path(Path::new("course", PathKind::iso_3888_1(1.8)))
    ///     .control(Control::driver_steering("driver", Pursuit::new("course", "car"), law))
    ///     .compile()?;
    /// assert_eq!(model.states.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["driver.arc", "driver.angle"]);
    /// # Ok::<(), holonom_multibody::compile::ModelErrors>(())
    /// ```
    pub fn driver_steering(name: impl Into<String>, pursuit: Pursuit, law: SteeringLaw) -> Self {
        Self::new(name, ControlKind::DriverSteering { pursuit, law })
    }

    /// A driver who holds a speed, m/s, of a frame along its x axis.
    pub fn driver_speed(
        name: impl Into<String>,
        frame: impl Into<String>,
        target: Signal,
        law: SpeedLaw,
    ) -> Self {
        let kind = ControlKind::DriverSpeed {
            frame: frame.into(),
            reversed: false,
            target,
            feed_forward: Signal::constant(0.0),
            law,
        };
        Self::new(name, kind)
    }
}
