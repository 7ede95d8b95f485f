//! What the fields of things are called, what they mean and where they are.
//!
//! One function per kind of thing shows its fields to a visitor. Reading and writing of model
//! files, their schema, the documentation, `holonom list` and the renaming of references in
//! included parts all come from it, so that a kind is described once.
//!
//! ```
//! use holonom_multibody::description::Rod;
//! use holonom_multibody::fields::{Need, note};
//!
//! let fields = note(|visitor| Rod::new("", "", "", 0.0).fields(visitor));
//! let [.., mass] = fields.as_slice() else { unreachable!() };
//! assert_eq!((mass.field.name, mass.field.unit, mass.field.need), ("mass", "kg", Need::Default));
//! assert_eq!(mass.default.as_deref(), Some("0"));
//! ```

use crate::document::Document;
use crate::names::CoordinateRef;
use crate::signal::Signal;
use holonom_expression::Expression;

/// What a field is called and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name in model files.
    pub name: &'static str,
    /// Unit of the value; empty where there is none.
    pub unit: &'static str,
    /// One sentence for users.
    pub doc: &'static str,
    /// Whether it can be left out.
    pub need: Need,
}

/// Whether a field can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It must be given.
    Required,
    /// The value that the template holds is what an absent field means.
    Default,
}

impl Field {
    /// A field that must be given.
    pub const fn required(name: &'static str, unit: &'static str, doc: &'static str) -> Self {
        Self {
            name,
            unit,
            doc,
            need: Need::Required,
        }
    }

    /// A field that can be left out: the value of the template counts then.
    pub const fn optional(name: &'static str, unit: &'static str, doc: &'static str) -> Self {
        Self {
            name,
            unit,
            doc,
            need: Need::Default,
        }
    }
}

macro_rules! visitors {
    ($($(#[$doc:meta])* $method:ident($($name:ident: $type:ty),+);)*) => {
        /// What is done with the fields of a thing: a reader fills them, a writer looks at them, a schema
        /// only notes them.
        ///
        /// A visitor is shown the fields in the order in which they are documented. It may change the
        /// values; who only wants to look shows it a copy.
        pub trait Fields {
            $($(#[$doc])* fn $method(&mut self, field: &Field, $($name: $type),+);)*
            /// A number or an expression of time that a position follows: its rate must be continuous. It depends on no
            /// control.
            fn motion(&mut self, field: &Field, value: &mut Signal) {
                self.signal(field, value);
            }
            /// A number or an expression of time that a velocity follows: it must be continuous. It depends on no
            /// control.
            fn velocity(&mut self, field: &Field, value: &mut Signal) {
                self.signal(field, value);
            }
        }

        /// [`Fields`] for a visitor that is interested in some of the fields only.
        #[allow(unused_variables)]
        pub trait Look {
            $($(#[$doc])* fn $method(&mut self, field: &Field, $($name: $type),+) {})*
        }

        impl<T: Look> Fields for T {
            $(fn $method(&mut self, field: &Field, $($name: $type),+) {
                Look::$method(self, field, $($name),+);
            })*
        }
    };
}

visitors! {
    /// A number.
    number(value: &mut f64);
    /// Some numbers.
    numbers(value: &mut Vec<f64>);
    /// Three components.
    vector(value: &mut [f64; 3]);
    /// Entries xx, yy, zz, xy, yz, zx of a symmetric matrix; the first three may be all that is
    /// given.
    symmetric(value: &mut [f64; 6]);
    /// A number or an expression of time.
    signal(value: &mut Signal);
    /// Three components over time.
    signals(value: &mut [Signal; 3]);
    /// Three components as expressions of these variables.
    expressions(variables: &[&'static str], value: &mut [Expression; 3]);
    /// An expression of these variables.
    expression(variables: &[&'static str], value: &mut Expression);
    /// A symmetric 6 × 6 matrix; its diagonal may be all that is given.
    matrix(value: &mut [[f64; 6]; 6]);
    /// A frame: `body` or `body.marker`.
    frame(value: &mut String);
    /// Some frames, in order.
    frames(value: &mut Vec<String>);
    /// A channel: thing and quantity, such as `knee.angle.velocity`.
    channel(value: &mut String);
    /// A coordinate: `joint` for the first or only one, or `joint.coordinate`.
    coordinate(value: &mut CoordinateRef);
    /// Coordinates with factors.
    terms(value: &mut Vec<(CoordinateRef, f64)>);
    /// Yes or no.
    flag(value: &mut bool);
    /// One of several names, by its number.
    choice(names: &[&'static str], value: &mut usize);
    /// A road by its name; empty for the plane z = 0 of the ground.
    road(value: &mut String);
    /// A path by its name.
    path(value: &mut String);
    /// A constraint by its name.
    constraint(value: &mut String);
    /// A text in a file of its own.
    document(value: &mut Document);
    /// A word or the name of a file.
    text(value: &mut String);
    /// Points in space.
    points(value: &mut Vec<[f64; 3]>);
}

/// The first of two frames.
pub const FROM: Field = Field::required("from", "", "First frame.");
/// The second of two frames.
pub const TO: Field = Field::required("to", "", "Second frame.");

/// The sort of value that a field takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A number.
    Number,
    /// Three numbers.
    Vector,
    /// Three or six numbers: xx, yy, zz, xy, yz, zx.
    Symmetric,
    /// A number or an expression of time.
    Signal,
    /// Three of them.
    Signals,
    /// Three expressions of these variables.
    Expressions(Vec<&'static str>),
    /// An expression of these variables.
    Expression(Vec<&'static str>),
    /// Six numbers, the diagonal, or six rows of six.
    Matrix,
    /// `body` or `body.marker`.
    Frame,
    /// A list of frames.
    Frames,
    /// `joint` or `joint.coordinate`.
    Coordinate,
    /// Coordinates with factors.
    Terms,
    /// Yes or no.
    Flag,
    /// One of these names.
    Choice(Vec<&'static str>),
    /// Name of a road.
    Road,
    /// Name of a constraint.
    Constraint,
    /// Name of a file, or a table with its text.
    Document,
    /// Any number of numbers.
    Numbers,
    /// Name of a channel.
    Channel,
    /// Name of a path.
    Path,
    /// A word or the name of a file.
    Text,
    /// Points in space.
    Points,
}

impl Sort {
    /// In words.
    pub fn text(&self) -> String {
        match self {
            Self::Number => "number".to_string(),
            Self::Vector => "3 numbers".to_string(),
            Self::Symmetric => "3 or 6 numbers".to_string(),
            Self::Signal => "number or function of time".to_string(),
            Self::Signals => "3 numbers or functions of time".to_string(),
            Self::Expressions(variables) => format!("3 expressions of {}", variables.join(", ")),
            Self::Expression(variables) => format!("expression of {}", variables.join(", ")),
            Self::Matrix => "6 numbers or 6 rows of 6".to_string(),
            Self::Frame => "frame".to_string(),
            Self::Frames => "list of frames".to_string(),
            Self::Coordinate => "coordinate".to_string(),
            Self::Terms => "coordinates with factors".to_string(),
            Self::Flag => "true or false".to_string(),
            Self::Choice(names) => names.join(" | "),
            Self::Road => "road".to_string(),
            Self::Constraint => "constraint".to_string(),
            Self::Document => "file, or { text = … }".to_string(),
            Self::Numbers => "list of numbers".to_string(),
            Self::Channel => "channel".to_string(),
            Self::Path => "path".to_string(),
            Self::Text => "text".to_string(),
            Self::Points => "list of points".to_string(),
        }
    }
}

/// A field as noted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The field.
    pub field: Field,
    /// What it takes.
    pub sort: Sort,
    /// The value that an absent field means, as written in a model file; none where the field
    /// must be given.
    pub default: Option<String>,
}

/// Notes the fields that are shown to it.
///
/// ```
/// use holonom_multibody::fields::note;
/// use holonom_multibody::elements::forces::FORCES;
///
/// for force in FORCES {
///     let fields = note(|visitor| (force.template)().fields(visitor));
///     println!("{}: {} fields", force.name, fields.len());
/// }
/// ```
pub fn note(show: impl FnOnce(&mut dyn Fields)) -> Vec<Noted> {
    let mut notes = Notes(Vec::new());
    show(&mut notes);
    notes.0
}

struct Notes(Vec<Noted>);

impl Notes {
    fn add(&mut self, field: &Field, sort: Sort, value: String) {
        self.0.push(Noted {
            field: *field,
            sort,
            default: (field.need == Need::Default).then_some(value),
        });
    }
}

fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("[{}]", words.join(", "))
}

/// The diagonal of a matrix that has nothing else.
///
/// ```
/// use holonom_multibody::fields::diagonal;
/// let mut matrix = [[0.0; 6]; 6];
/// matrix[2][2] = 3.0;
/// assert_eq!(diagonal(&matrix), Some([0.0, 0.0, 3.0, 0.0, 0.0, 0.0]));
/// matrix[0][1] = 1.0;
/// assert_eq!(diagonal(&matrix), None);
/// ```
pub fn diagonal(matrix: &[[f64; 6]; 6]) -> Option<[f64; 6]> {
    let off = |i: usize, j: usize| i != j && matrix[i][j] != 0.0;
    let any = (0..6).any(|i| (0..6).any(|j| off(i, j)));
    (!any).then(|| core::array::from_fn(|k| matrix[k][k]))
}

/// Templates hold constants.
fn constant(signal: &Signal) -> f64 {
    signal.evaluate(0.0)[0]
}

impl Fields for Notes {
    fn number(&mut self, field: &Field, value: &mut f64) {
        self.add(field, Sort::Number, value.to_string());
    }
    fn numbers(&mut self, field: &Field, value: &mut Vec<f64>) {
        self.add(field, Sort::Numbers, list(value.iter()));
    }
    fn channel(&mut self, field: &Field, value: &mut String) {
        self.add(field, Sort::Channel, format!("{value:?}"));
    }
    fn vector(&mut self, field: &Field, value: &mut [f64; 3]) {
        self.add(field, Sort::Vector, list(*value));
    }
    fn symmetric(&mut self, field: &Field, value: &mut [f64; 6]) {
        let shown = if value[3..] == [0.0; 3] { 3 } else { 6 };
        self.add(field, Sort::Symmetric, list(&value[..shown]));
    }
    fn signal(&mut self, field: &Field, value: &mut Signal) {
        self.add(field, Sort::Signal, constant(value).to_string());
    }
    fn signals(&mut self, field: &Field, value: &mut [Signal; 3]) {
        self.add(field, Sort::Signals, list(value.iter().map(constant)));
    }
    fn expressions(&mut self, field: &Field, variables: &[&'static str], value: &mut [Expression; 3]) {
        self.add(field, Sort::Expressions(variables.to_vec()), list(value.iter()));
    }
    fn expression(&mut self, field: &Field, variables: &[&'static str], value: &mut Expression) {
        self.add(field, Sort::Expression(variables.to_vec()), value.to_string());
    }
    fn matrix(&mut self, field: &Field, value: &mut [[f64; 6]; 6]) {
        let text = match diagonal(value) {
            Some(diagonal) => list(diagonal),
            None => list(value.map(list)),
        };
        self.add(field, Sort::Matrix, text);
    }
    fn frame(&mut self, field: &Field, value: &mut String) {
        self.add(field, Sort::Frame, format!("{value:?}"));
    }
    fn frames(&mut self, field: &Field, value: &mut Vec<String>) {
        self.add(field, Sort::Frames, format!("{value:?}"));
    }
    fn coordinate(&mut self, field: &Field, value: &mut CoordinateRef) {
        self.add(field, Sort::Coordinate, format!("{:?}", value.joint));
    }
    fn terms(&mut self, field: &Field, value: &mut Vec<(CoordinateRef, f64)>) {
        let terms = value.iter().map(|(c, factor)| format!("{} = {factor}", c.joint));
        self.add(
            field,
            Sort::Terms,
            format!("{{{}}}", terms.collect::<Vec<_>>().join(", ")),
        );
    }
    fn flag(&mut self, field: &Field, value: &mut bool) {
        self.add(field, Sort::Flag, value.to_string());
    }
    fn choice(&mut self, field: &Field, names: &[&'static str], value: &mut usize) {
        let chosen = names.get(*value).copied().unwrap_or_default();
        self.add(field, Sort::Choice(names.to_vec()), format!("{chosen:?}"));
    }
    fn road(&mut self, field: &Field, value: &mut String) {
        self.add(field, Sort::Road, format!("{value:?}"));
    }
    fn path(&mut self, field: &Field, value: &mut String) {
        self.add(field, Sort::Path, format!("{value:?}"));
    }
    fn constraint(&mut self, field: &Field, value: &mut String) {
        self.add(field, Sort::Constraint, format!("{value:?}"));
    }
    fn document(&mut self, field: &Field, value: &mut Document) {
        self.add(field, Sort::Document, format!("{:?}", value.name));
    }
    fn text(&mut self, field: &Field, value: &mut String) {
        self.add(field, Sort::Text, format!("{value:?}"));
    }
    fn points(&mut self, field: &Field, value: &mut Vec<[f64; 3]>) {
        self.add(field, Sort::Points, list(value.iter().map(list)));
    }
}
