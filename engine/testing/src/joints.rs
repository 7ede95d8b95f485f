//! Kinds of joints.

use holonom_multibody::description::JointKind;
use holonom_multibody::description::fields::{Field, Look};

/// A kind of joint with all numbers in it set to `x`: with zeros, as absent fields leave them, some are faulty.
pub fn with_numbers(mut kind: JointKind, x: f64) -> JointKind {
    struct Set(f64);
    impl Look for Set {
        fn number(&mut self, _: &Field, value: &mut f64) {
            *value = self.0;
        }
    }
    kind.fields(&mut Set(x));
    kind
}
