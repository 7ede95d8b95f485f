//! [`Diagnostic`]: what is wrong with a description, as data; its text is made when it is printed.

use core::fmt;
use holonom_dae::UnknownName;
use holonom_expression::ExpressionError;

/// Kinds of things that diagnostics are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThingKind {
    /// The mechanism as a whole.
    Mechanism,
    /// A body.
    Body,
    /// A marker on a body or on the ground.
    Marker,
    /// A joint.
    Joint,
    /// A constraint.
    Constraint,
    /// A rod.
    Rod,
    /// A force element.
    Force,
    /// A road.
    Road,
    /// A track.
    Track,
    /// A path.
    Path,
    /// A control.
    Control,
    /// An included part, called by its prefix.
    Include,
    /// A start hint, called by its second frame.
    StartHint,
    /// A shape, called by its frame; further ones on the same frame have #2, #3, … behind it.
    Shape,
    /// A table of a model file.
    Table,
    /// An input of a model file.
    Input,
    /// A channel that is recorded.
    Channel,
    /// A setting of a run.
    Setting,
}

impl ThingKind {
    /// Its name in messages and model files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mechanism => "mechanism",
            Self::Body => "body",
            Self::Marker => "marker",
            Self::Joint => "joint",
            Self::Constraint => "constraint",
            Self::Rod => "rod",
            Self::Force => "force",
            Self::Road => "road",
            Self::Track => "track",
            Self::Path => "path",
            Self::Control => "control",
            Self::Include => "include",
            Self::StartHint => "start hint for",
            Self::Shape => "shape on",
            Self::Table => "table",
            Self::Input => "input",
            Self::Channel => "channel",
            Self::Setting => "setting",
        }
    }

    /// The thing of this kind with a name.
    pub fn named(self, name: impl Into<String>) -> Thing {
        Thing {
            kind: self,
            name: name.into(),
            body: None,
        }
    }
}

/// A thing that diagnostics are about; printed like `joint "knee"`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thing {
    /// Its kind.
    pub kind: ThingKind,
    /// Its name.
    pub name: String,
    /// Of a marker the body; none on the ground.
    pub body: Option<String>,
}

impl Thing {
    /// A marker on a body, or on the ground.
    pub fn marker(name: impl Into<String>, body: Option<String>) -> Self {
        Self {
            body,
            ..ThingKind::Marker.named(name)
        }
    }

    /// Something that is wrong with it.
    pub fn fault(&self, fault: impl Into<String>) -> Diagnostic {
        Diagnostic {
            subject: Some(Box::new(self.clone())),
            ..Diagnostic::new(fault)
        }
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, &self.body) {
            (ThingKind::Mechanism, _) => f.write_str("the mechanism"),
            (ThingKind::Marker, Some(body)) => write!(f, "marker \"{}\" on body \"{body}\"", self.name),
            (ThingKind::Marker, None) => write!(f, "marker \"{}\" on ground", self.name),
            (kind, _) => write!(f, "{} \"{}\"", kind.name(), self.name),
        }
    }
}

/// Sorts of faults that programs may want to tell from others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Any other.
    #[default]
    Plain,
    /// A number is not finite.
    NotFinite,
    /// Nothing resists a motion: masses or moments of inertia are missing.
    Massless,
    /// A name of something that does not exist.
    Missing(ThingKind),
    /// A name is used twice; for two things of one kind or not.
    Repeated {
        /// Both things are of one kind.
        same_kind: bool,
    },
    /// What is there does not make a mechanism: something is not connected, cannot move or cannot be cut.
    Connection,
    /// A matrix is not that of a rotation.
    Rotation,
}

/// A fault of a description: where it is, what is wrong, and what helps.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The thing at fault; none for the mechanism as a whole.
    pub subject: Option<Box<Thing>>,
    /// The field at fault, as it is called in model files; more of them where it may be given in several ways.
    pub fields: Vec<&'static str>,
    /// A text in the thing that is at fault, such as the name of something that does not exist.
    pub said: Option<String>,
    /// What sort of fault it is.
    pub sort: Sort,
    /// What is wrong.
    pub fault: String,
    /// What helps.
    pub remedy: Option<String>,
    /// The fault is a sentence that names its subject.
    sentence: bool,
}

impl From<&ExpressionError> for Diagnostic {
    fn from(error: &ExpressionError) -> Self {
        let fault = Self::new(&error.message);
        match &error.help {
            Some(help) => fault.remedy(help),
            None => fault,
        }
    }
}

impl Diagnostic {
    /// A fault in words that its subject, if it has one, stands in front of.
    pub fn new(fault: impl Into<String>) -> Self {
        Self {
            subject: None,
            fields: Vec::new(),
            said: None,
            sort: Sort::Plain,
            fault: fault.into(),
            remedy: None,
            sentence: false,
        }
    }

    /// A fault that is described by a whole sentence, which names its subject.
    pub fn sentence(fault: impl Into<String>) -> Self {
        Self {
            sentence: true,
            ..Self::new(fault)
        }
    }

    /// A quantity, given with its field if it has one, is out of its bounds.
    pub(crate) fn out_of_bounds([field, what]: [&'static str; 2], value: f64, bounds: &str) -> Self {
        let fault = match field {
            "" => Self::new(format!("{what} is {value}, but must be {bounds}")),
            _ => Self::new(format!("{what} (`{field}`) is {value}, but must be {bounds}")).field(field),
        };
        fault.remedy("correct it")
    }

    /// The same about a thing.
    #[must_use]
    pub fn of(mut self, subject: &Thing) -> Self {
        self.subject = Some(Box::new(subject.clone()));
        self
    }

    /// The same with what helps.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The same with a name that may have been meant, or else with what helps.
    #[must_use]
    pub fn did_you_mean(self, suggestion: Option<impl fmt::Display>, otherwise: &str) -> Self {
        match suggestion {
            Some(name) => self.remedy(format!("did you mean \"{name}\"?")),
            None => self.remedy(otherwise),
        }
    }

    /// The same with the field at fault.
    #[must_use]
    pub fn field(mut self, field: &'static str) -> Self {
        self.fields.push(field);
        self
    }

    /// The same with the text at fault.
    #[must_use]
    pub fn said(mut self, text: impl Into<String>) -> Self {
        self.said = Some(text.into());
        self
    }

    /// The same of a sort.
    #[must_use]
    pub fn sort(mut self, sort: Sort) -> Self {
        self.sort = sort;
        self
    }

    /// What is wrong, with the name of the thing.
    pub fn headline(&self) -> String {
        match &self.subject {
            Some(subject) if !self.sentence => format!("{subject}: {}", self.fault),
            _ => self.fault.clone(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        match &self.remedy {
            Some(remedy) => write!(f, "; {remedy}"),
            None => Ok(()),
        }
    }
}

impl core::error::Error for Diagnostic {}

/// All faults of a description, in the order in which they were found; printed one per line.
///
/// ```
/// use holonom_multibody::Description;
/// use holonom_multibody::description::{Body, Joint};
/// use holonom_multibody::diagnostic::{ThingKind, Sort};
///
/// let errors = Description::new("demo")
///     .body(Body::new("wheel", -1.0))
///     .joint(Joint::free("float", "ground", "whel"))
///     .compile()
///     .unwrap_err();
/// assert_eq!(errors.0.len(), 2);
/// assert_eq!(errors.0[0].fields, ["mass"]);
/// assert_eq!(errors.0[1].subject.as_deref(), Some(&ThingKind::Joint.named("float")));
/// assert_eq!(errors.0[1].sort, Sort::Missing(ThingKind::Body));
/// assert!(errors.to_string().contains("did you mean \"wheel\"?"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ModelErrors(pub Vec<Diagnostic>);

impl fmt::Display for ModelErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl core::error::Error for ModelErrors {}

/// A body, or the ground, in words.
pub(crate) fn owner(body: &str) -> String {
    match body {
        "ground" => "the ground".to_string(),
        _ => format!("body \"{body}\""),
    }
}

/// Names in quotation marks.
pub(crate) fn quoted(names: &[String]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    all.join(", ")
}

impl From<&UnknownName> for Diagnostic {
    fn from(error: &UnknownName) -> Self {
        Self::sentence(format!("unknown {} `{}`", error.what, error.found))
            .remedy(format!("choose from {}", error.known))
    }
}
