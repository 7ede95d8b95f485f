//! Controls: what their names stand for, and their order.

use super::paths;
use super::sensors::Wanted;
use crate::description::Description;
use crate::diagnostic::{Diagnostic, Sort, Thing, ThingKind};
use crate::elements::controls::ControlElement;
use crate::elements::references::{PathPlace, ResolveControl, SensedChannel};
use crate::fields::{Field, Look};
use crate::model::{LawFunction, Model, ModelControl, ModelForce, ModelLaw, ModelSwitch, SwitchedLaw};
use crate::observable::Observable;
use crate::path::PathCurve;
use crate::signal::Signal;
use crate::tree::Attachment;
use holonom_expression::Expression as Formula;
use holonom_text::nearest;
use std::collections::HashMap;
use std::sync::Arc;

/// Lets functions of time know the controls they name; as [`Fields`] it visits those of a thing.
pub(super) struct Bind<'a> {
    /// `t`, then all controls.
    pub names: Vec<&'a str>,
    place: Thing,
    /// Numbers of the controls that were found in what it visited.
    pub read: Vec<usize>,
    /// All functions of time that it visited.
    pub excitations: Vec<Signal>,
    /// All expressions that name controls, over t and all controls.
    pub mixed: Vec<Formula>,
    /// A road that it visited is uneven.
    pub places: bool,
    /// Laws with features of the state, as written in expressions.
    pub laws: Vec<ModelLaw>,
    /// Comparisons with `==` and `!=` in all that it visited, with their places.
    pub equalities: Vec<String>,
    /// Switches on the state in all that it visited.
    pub switches: Vec<ModelSwitch>,
    /// The force element that it visits.
    pub force: Option<usize>,
    /// Laws of one variable that it has visited in it.
    inputs: usize,
    /// Names of roads that are not flat.
    uneven: Vec<&'a str>,
    pub errors: Vec<Diagnostic>,
}

impl<'a> Bind<'a> {
    pub fn new(description: &'a Description) -> Self {
        let controls = description.controls.iter().map(|c| c.name.as_str());
        let roads = description.roads.iter().filter(|road| !road.kind.info().flat);
        Self {
            names: core::iter::once("t").chain(controls).collect(),
            place: ThingKind::Mechanism.named(""),
            read: Vec::new(),
            excitations: Vec::new(),
            mixed: Vec::new(),
            places: false,
            laws: Vec::new(),
            equalities: Vec::new(),
            switches: Vec::new(),
            force: None,
            inputs: 0,
            uneven: roads.map(|road| road.name.as_str()).collect(),
            errors: Vec::new(),
        }
    }

    /// Begins with another thing.
    pub fn at(&mut self, place: Thing) {
        self.place = place;
        self.read.clear();
        self.inputs = 0;
    }

    fn bind(&mut self, signal: &mut Signal) {
        self.compares_in(signal);
        signal.change_expressions(&mut |expression| self.bound(expression));
        self.excited_by(signal.parts());
    }

    /// Notes comparisons that hold only for an instant.
    fn compares(&mut self, expression: &Formula) {
        for text in expression.equalities() {
            let told = format!("`{text}` in {}", self.place);
            if !self.equalities.contains(&told) {
                self.equalities.push(told);
            }
        }
    }

    /// The same in a function of time.
    pub fn compares_in(&mut self, signal: &Signal) {
        signal.each_expression(&mut |expression| self.compares(expression));
    }

    /// Notes functions of time, each once.
    pub fn excited_by(&mut self, parts: impl IntoIterator<Item = Signal>) {
        for part in parts {
            if !self.excitations.contains(&part) {
                self.excitations.push(part);
            }
        }
    }

    /// Notes the functions of time in a law, which may know it or not.
    fn law(&mut self, law: &Formula) {
        let time = law.variables().iter().position(|name| name == "t");
        if let Some(time) = time {
            let parts = law.parts_of(time).into_iter();
            self.excited_by(parts.map(|part| Signal::Expression(Arc::new(part))));
        }
    }

    fn bound(&mut self, expression: &Formula) -> Option<Formula> {
        let used: Vec<&String> = expression
            .variables()
            .iter()
            .enumerate()
            .filter(|&(k, name)| name != "t" && expression.uses(k))
            .map(|(_, name)| name)
            .collect();
        if used.is_empty() {
            // Others that it may know but does not use do not count.
            let more = expression.variables().len() > 1;
            return more.then(|| expression.over_variables(&["t"]).ok()).flatten();
        }
        for name in used {
            match self.names.iter().skip(1).position(|known| known == name) {
                Some(control) if self.read.contains(&control) => {}
                Some(control) => self.read.push(control),
                None => {
                    let known = self.names.iter().skip(1).copied();
                    let fault = self.place.fault(format!("there is no control \"{name}\""));
                    let fault = fault.did_you_mean(nearest(name, known), "add one of that name");
                    let sort = Sort::Missing(ThingKind::Control);
                    self.errors.push(fault.said(name).sort(sort));
                }
            }
        }
        let bound = expression.over_variables(&self.names).ok()?;
        if !self.mixed.contains(&bound) {
            self.mixed.push(bound.clone());
        }
        let featured = bound.has_features(0);
        let compiled = self.switched(&bound, 0, None, &[]).unwrap_or(bound);
        if featured {
            self.laws.push(ModelLaw {
                force: None,
                first: 0,
                place: self.place.to_string(),
                pieces: compiled.has_pieces(),
                function: LawFunction::Expression(compiled.clone()),
            });
        }
        Some(compiled)
    }

    /// An expression with its switches on the state numbered, where it has any; `time` is the variable that is none of
    /// the state. Of a law of a force element `names` are its inputs.
    fn switched(
        &mut self,
        expression: &Formula,
        time: usize,
        law: Option<SwitchedLaw>,
        names: &[&str],
    ) -> Option<Formula> {
        let first = self.switches.len();
        let (switched, found) = expression.switched(first, |variable| variable == time)?;
        let place = &self.place;
        for mut switch in found {
            if law.is_some()
                && let Ok(function) = switch.function.over_variables(names)
            {
                switch.function = function;
            }
            self.switches.push(ModelSwitch {
                name: format!("`{}` in {place}", switch.text),
                switch,
                law,
            });
        }
        Some(switched)
    }

    /// Numbers the switches in a law of a force element. Laws of one variable have inputs of their own, in the order
    /// in which they are visited; others share all inputs.
    fn characteristic(&mut self, names: &[&str], law: &mut Formula) {
        self.compares(law);
        let Some(force) = self.force else { return };
        let mut first = 0;
        if names.len() == 1 {
            first = self.inputs;
            self.inputs += 1;
        }
        let time = law.variables().iter().position(|name| name == "t");
        let place = Some(SwitchedLaw { force, first });
        let featured = law.has_features(time.unwrap_or(usize::MAX));
        if let Some(switched) = self.switched(law, time.unwrap_or(usize::MAX), place, names) {
            *law = switched;
        }
        if let (true, Ok(function)) = (featured, law.over_variables(names)) {
            self.laws.push(ModelLaw {
                force: Some(force),
                first,
                place: self.place.to_string(),
                pieces: function.has_pieces(),
                function: LawFunction::Expression(function),
            });
        }
    }
}

impl Look for Bind<'_> {
    fn signal(&mut self, _: &Field, value: &mut Signal) {
        self.bind(value);
    }
    fn signals(&mut self, _: &Field, value: &mut [Signal; 3]) {
        value.iter_mut().for_each(|signal| self.bind(signal));
    }
    fn expressions(&mut self, _: &Field, names: &[&'static str], laws: &mut [Formula; 3]) {
        laws.iter().for_each(|law| self.law(law));
        laws.iter_mut().for_each(|law| self.characteristic(names, law));
    }
    fn expression(&mut self, _: &Field, names: &[&'static str], law: &mut Formula) {
        self.characteristic(names, law);
    }
    fn road(&mut self, _: &Field, name: &mut String) {
        self.places |= self.uneven.contains(&name.as_str());
    }
}

/// What sensors may read.
pub(super) struct Readable<'a> {
    pub description: &'a Description,
    pub model: &'a Model,
}

/// Compiles all controls into the model, without their own states and without what sensors read; the
/// caller adds these.
pub(super) fn compile(
    readable: &Readable<'_>,
    bind: &mut Bind<'_>,
    wanted: &mut Vec<Wanted>,
) -> Vec<ModelControl> {
    let mut controls = Vec::new();
    // What is wrong with them has been reported before.
    let curves = paths::curves(readable.description, &mut Vec::new());
    for (number, control) in readable.description.controls.iter().enumerate() {
        bind.at(ThingKind::Control.named(&control.name));
        let mut kind = control.kind.clone();
        kind.fields(bind);
        let mut references = References {
            readable,
            curves: &curves,
            number,
            wanted,
        };
        if let Some(element) = kind.attach(&mut references) {
            controls.push(ModelControl {
                name: control.name.clone(),
                element,
                states: 0..0,
                controls: bind.read.clone(),
            });
        }
    }
    controls
}

/// The references of a control.
struct References<'s, 'a> {
    readable: &'s Readable<'a>,
    curves: &'s HashMap<&'a str, Arc<PathCurve>>,
    number: usize,
    wanted: &'s mut Vec<Wanted>,
}

impl ResolveControl for References<'_, '_> {
    fn frame(&self, name: &str) -> Option<Attachment> {
        paths::frame(self.readable.model, name)
    }

    fn path(&self, name: &str) -> Option<PathPlace> {
        paths::place(self.readable.description, self.readable.model, self.curves, name)
    }

    fn channel(&mut self, name: &str, axes: &str) -> Option<SensedChannel> {
        let axes = self.frame(axes)?;
        self.wanted.push(Wanted {
            control: self.number,
            axes,
        });
        Some(SensedChannel {
            name: name.to_string(),
            control: self.number,
            observed: None,
        })
    }
}

/// The order in which outputs are computed: each after those it uses directly. Otherwise the
/// names of a ring.
pub(super) fn order(controls: &[ModelControl], forces: &[ModelForce]) -> Result<Vec<usize>, Vec<String>> {
    // What the output of a control needs first.
    let needs = |k: usize| -> Vec<usize> {
        let control = &controls[k];
        match &control.element {
            ControlElement::Sensor(sensor) => {
                match sensor
                    .channel
                    .observed
                    .as_ref()
                    .map(|observed| &observed.observable)
                {
                    Some(Observable::Control { control }) => vec![*control],
                    Some(
                        Observable::Force { force }
                        | Observable::Power { force }
                        | Observable::Stored { force },
                    ) => forces[*force].controls.clone(),
                    _ => Vec::new(),
                }
            }
            element if element.direct() => control.controls.clone(),
            _ => Vec::new(),
        }
    };
    let (mut order, mut done) = (Vec::with_capacity(controls.len()), vec![false; controls.len()]);
    for start in 0..controls.len() {
        // Depth first, with the way back to name a ring by.
        let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
        if !done[start] {
            path.push((start, needs(start)));
        }
        while let Some((k, open)) = path.last_mut() {
            let k = *k;
            match open.pop() {
                Some(next) if done[next] => {}
                Some(next) => {
                    if let Some(at) = path.iter().position(|(seen, _)| *seen == next) {
                        return Err(path[at..]
                            .iter()
                            .map(|(k, _)| controls[*k].name.clone())
                            .collect());
                    }
                    path.push((next, needs(next)));
                }
                None => {
                    done[k] = true;
                    order.push(k);
                    path.pop();
                }
            }
        }
    }
    Ok(order)
}
