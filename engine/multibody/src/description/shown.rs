//! The fields of bodies, rods and joints.

use super::{Body, Joint, Rod};
use crate::fields::{FROM, Field, Fields, TO};

impl Body {
    /// Shows the fields of a body, its name and markers excepted.
    pub fn fields(&mut self, visitor: &mut dyn Fields) {
        visitor.number(&Field::required("mass", "kg", "Mass."), &mut self.mass);
        let doc = "Centre of mass, in the body's frame.";
        visitor.vector(&Field::optional("centre", "m", doc), &mut self.centre);
        let doc = "Moments of inertia about the centre of mass, in the axes of the body's frame: xx, yy, zz, optionally followed by the matrix entries xy, yz, zx.";
        visitor.symmetric(&Field::optional("inertia", "kg m²", doc), &mut self.inertia);
        let doc = "Accept moments of inertia that no rigid body can have, as some URDF files contain them.";
        visitor.flag(&Field::optional("unphysical", "", doc), &mut self.unphysical);
    }
}

impl Rod {
    /// Shows the fields of a rod, its name excepted.
    pub fn fields(&mut self, visitor: &mut dyn Fields) {
        visitor.frame(&FROM, &mut self.from);
        visitor.frame(&TO, &mut self.to);
        visitor.number(
            &Field::required("length", "m", "Distance between the ends."),
            &mut self.length,
        );
        let doc = "Mass, distributed uniformly along the rod.";
        visitor.number(&Field::optional("mass", "kg", doc), &mut self.mass);
    }
}

impl Joint {
    /// Shows the fields of a joint: the frames, the axis where it can be chosen, and what is
    /// special to the kind. Name, coordinates, orientation and hint are not among them.
    pub fn fields(&mut self, visitor: &mut dyn Fields) {
        let info = self.kind.info();
        visitor.frame(&FROM, &mut self.from);
        visitor.frame(&TO, &mut self.to);
        if info.has_axis {
            let doc = "Main axis in both frames; its length does not matter.";
            visitor.vector(&Field::optional("axis", "", doc), &mut self.axis);
        }
        self.kind.fields(visitor);
    }
}
