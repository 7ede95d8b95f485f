//! [`Handle`]s of parts, which can stand for their names.

use super::{Body, Called, Constraint, Control, CoordinateRef, Description, ElementKind, Force, Joint, Rod};
use core::marker::PhantomData;

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

impl<K: ElementKind> Part for Called<K>
where
    K::Element: Part<Kept = K::Element>,
{
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
