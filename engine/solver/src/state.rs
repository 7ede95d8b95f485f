//! [`State`]: everything that a part of a run keeps between two steps, under the name of the part.
//!
//! A checkpoint holds the states of a stepper, a linear solver, a Jacobian engine and a refresh policy. Each of these
//! brings a type of its own, which nobody else needs to know: in memory a state is that value, in a file it is its JSON.

use serde::de::DeserializeOwned;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// The state of one part of a run.
///
/// ```
/// use holonom_solver::State;
/// let state = State::new("counting", vec![1.5, 2.5]);
/// let text = serde_json::to_string(&state)?;
/// let read: State = serde_json::from_str(&text)?;
/// assert_eq!(read.get::<Vec<f64>>("counting"), Some(vec![1.5, 2.5]));
/// // A state of another part is no use.
/// assert_eq!(read.get::<Vec<f64>>("other"), None);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct State {
    of: Cow<'static, str>,
    content: Content,
}

#[derive(Clone)]
enum Content {
    /// As it was taken.
    Taken(Arc<dyn Taken>),
    /// As it was read from a file.
    Read(Arc<Value>),
}

/// A value that can be written.
trait Taken: Any + Send + Sync {
    fn value(&self) -> Result<Value, serde_json::Error>;
    fn any(&self) -> &dyn Any;
}

impl<T: Serialize + Send + Sync + 'static> Taken for T {
    fn value(&self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

impl State {
    /// The state of the part with this name.
    pub fn new<T: Serialize + Send + Sync + 'static>(of: &'static str, state: T) -> Self {
        Self {
            of: of.into(),
            content: Content::Taken(Arc::new(state)),
        }
    }

    /// Name of the part.
    pub fn of(&self) -> &str {
        &self.of
    }

    /// The state, if it is one of the part with this name and of this type.
    pub fn get<T: DeserializeOwned + Clone + 'static>(&self, of: &str) -> Option<T> {
        if self.of != of {
            return None;
        }
        match &self.content {
            // The value behind the pointer, not the pointer itself.
            Content::Taken(taken) => (**taken).any().downcast_ref::<T>().cloned(),
            Content::Read(value) => T::deserialize(&**value).ok(),
        }
    }

    fn value(&self) -> Result<Cow<'_, Value>, serde_json::Error> {
        match &self.content {
            Content::Taken(taken) => (**taken).value().map(Cow::Owned),
            Content::Read(value) => Ok(Cow::Borrowed(value)),
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("State");
        shown.field("of", &self.of);
        match self.value() {
            Ok(value) => shown.field("content", &value),
            Err(error) => shown.field("content", &error),
        };
        shown.finish()
    }
}

/// Equal if they are written alike.
impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        match (self.value(), other.value()) {
            (Ok(a), Ok(b)) => self.of == other.of && a == b,
            _ => false,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Written<'a> {
    of: Cow<'a, str>,
    state: Cow<'a, Value>,
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let state = self.value().map_err(S::Error::custom)?;
        let of = Cow::Borrowed(&*self.of);
        Written { of, state }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let Written { of, state } = Written::deserialize(from)?;
        Ok(Self {
            of: of.into_owned().into(),
            content: Content::Read(Arc::new(state.into_owned())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_other_parts_or_types_are_refused() {
        let state = State::new("a", 1.5_f64);
        assert_eq!(state.get::<f64>("a"), Some(1.5));
        assert_eq!(state.get::<f64>("b"), None);
        assert_eq!(state.get::<String>("a"), None);
    }

    #[test]
    fn what_is_in_memory_keeps_numbers_that_json_has_not() {
        let state = State::new("a", vec![f64::INFINITY, -0.0]);
        let kept = state.get::<Vec<f64>>("a").expect("the same type");
        assert!(kept[0].is_infinite() && kept[1].is_sign_negative());
    }
}
