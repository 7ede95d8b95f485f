//! [`Called`]: elements of one kind, with a name.

/// An element of one kind with its name. Its methods are those of the kind; it becomes a `Force`, `Constraint`
/// or `Control` where one is wanted.
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

/// Kinds of elements, by what they become.
pub trait ElementKind: Sized {
    /// A `Force`, `Constraint` or `Control`.
    type Element: From<Called<Self>>;
}
