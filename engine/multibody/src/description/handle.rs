//! [`Handle`]s of parts, which can stand for their names, and [`Called`]: elements of one kind.

use super::{Body, Constraint, Control, CoordinateRef, Description, Force, Joint, Rod};
use crate::elements::constraints::ConstraintKind;
use crate::elements::controls::ControlKind;
use crate::elements::forces::ForceKind;
use core::marker::PhantomData;

/// An element of one kind with its name. Its methods are those of the kind; it becomes a [`Force`], [`Constraint`]
/// or [`Control`] where one is wanted.
///
/// ```
/// use holonom_multibody::description::Force;
/// use holonom_multibody::elements::forces::StopLaw;
///
/// let stop = Force::bump_stop("stop", "ground", "bob", 0.2, StopLaw::default()).rebound();
/// assert!(stop.kind.rebound);
/// let force: Force = stop.into();
/// ```
///
/// Methods that would mean nothing do not exist:
///
/// ```compile_fail
/// use holonom_multibody::description::Force;
/// let spring = Force::spring_damper("spring", "ground", "bob", 1e3, 10.0, 0.2).rebound();
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Called<K> {
    /// Name, unique in the mechanism.
    pub name: String,
    /// What it is.
    pub kind: K,
}

impl<K> Called<K> {
    /// An element with a name.
    pub fn new(name: impl Into<String>, kind: K) -> Self {
        let name = name.into();
        Self { name, kind }
    }
}

impl<K: Into<ForceKind>> From<Called<K>> for Force {
    fn from(element: Called<K>) -> Self {
        Self::new(element.name, element.kind)
    }
}

impl<K: Into<ConstraintKind>> From<Called<K>> for Constraint {
    fn from(element: Called<K>) -> Self {
        Self::new(element.name, element.kind)
    }
}

impl<K: Into<ControlKind>> From<Called<K>> for Control {
    fn from(element: Called<K>) -> Self {
        Self::new(element.name, element.kind)
    }
}

/// A part that has been added to a description, such as a [`Body`]. It stands for its name wherever one is wanted:
/// a misspelt name cannot be said with it.
///
/// ```
/// use holonom_multibody::Description;
/// use holonom_multibody::description::{Body, Constraint, Joint, frame};
///
/// let mut model = Description::new("double pendulum");
/// let rod = |name: &str| Body::thin_rod(name, 1.0, [0.5, 0.0, 0.0]).marker("end", frame::at([0.5, 0.0, 0.0]));
/// let upper = model.add(rod("upper"));
/// let lower = model.add(rod("lower"));
/// let shoulder = model.add(Joint::revolute("shoulder", "ground", &upper).axis([0.0, 1.0, 0.0]));
/// let elbow = model.add(Joint::revolute("elbow", upper.at("end"), &lower).axis([0.0, 1.0, 0.0]));
/// model.add(Constraint::coupling("gear", [(&shoulder, 1.0), (&elbow, -2.0)], 0.0));
/// assert_eq!(model.compile()?.rows.len(), 1);
/// # Ok::<(), holonom_multibody::diagnostic::ModelErrors>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Handle<P> {
    name: String,
    part: PhantomData<fn() -> P>,
}

impl<P> Clone for Handle<P> {
    fn clone(&self) -> Self {
        Self::of(&self.name)
    }
}

impl<P> Handle<P> {
    fn of(name: &str) -> Self {
        Self {
            name: name.to_string(),
            part: PhantomData,
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Handle<Body> {
    /// A marker on the body, as a frame.
    pub fn at(&self, marker: &str) -> String {
        format!("{}.{marker}", self.name)
    }
}

impl Handle<Joint> {
    /// A coordinate of the joint by its number.
    pub fn coordinate(&self, index: usize) -> CoordinateRef {
        (self.name(), index).into()
    }
}

impl<P> AsRef<str> for Handle<P> {
    fn as_ref(&self) -> &str {
        &self.name
    }
}

impl<P> From<&Handle<P>> for String {
    fn from(handle: &Handle<P>) -> Self {
        handle.name.clone()
    }
}

/// The first coordinate of a joint.
impl From<&Handle<Joint>> for CoordinateRef {
    fn from(joint: &Handle<Joint>) -> Self {
        joint.coordinate(0)
    }
}

/// What [`Description::add`] takes.
pub trait Part {
    /// The part as the description keeps it.
    type Kept;

    /// Adds it and gives its handle.
    fn add_to(self, description: &mut Description) -> Handle<Self::Kept>;
}

macro_rules! parts {
    ($($part:ident $list:ident,)*) => {$(
        impl Part for $part {
            type Kept = Self;

            fn add_to(self, description: &mut Description) -> Handle<Self> {
                let handle = Handle::of(&self.name);
                description.$list.push(self);
                handle
            }
        }
    )*};
}

parts! {
    Body bodies,
    Joint joints,
    Constraint constraints,
    Rod rods,
    Force forces,
    Control controls,
}

/// Kinds of elements, by what they become.
pub trait ElementKind: Sized {
    /// A [`Force`], [`Constraint`] or [`Control`].
    type Element: From<Called<Self>> + Part<Kept = Self::Element>;
}

impl<K: ElementKind> Part for Called<K> {
    type Kept = K::Element;

    fn add_to(self, description: &mut Description) -> Handle<K::Element> {
        K::Element::from(self).add_to(description)
    }
}

impl Description {
    /// Adds a part: a body, joint, constraint, rod, force element or control.
    pub fn add<P: Part>(&mut self, part: P) -> Handle<P::Kept> {
        part.add_to(self)
    }
}
