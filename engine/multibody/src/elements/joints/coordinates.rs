//! Coordinates of a joint from the motion of its frames: what a cut joint has no state for.

use super::Primitive;
use crate::elements::constraints::relative::Relative;
use core::f64::consts::TAU;
use holonom_algebra::{Real, Twist, Vec3};

/// Value (0), rate (1) or acceleration (2) of the scalar coordinate that belongs to a motion.
///
/// With a the axes of the first frame, b those of the second, d between their origins, (w, u) the
/// velocity and (ẇ, u̇) the acceleration that the first frame sees. A slide along axis k comes
/// before all turns, so it is a_k·d with the rates a_k·u and a_k·u̇. One turn is about a_z, which is
/// b_z. Of two turns, R = Rx(α) Ry(β): b_y = (0, cos α, sin α) and x_a·b = (cos β, 0, sin β), and
/// w = α̇ a_x + β̇ b_y with a_x and b_y at a right angle, which stay so: both are also the axes for ẇ.
pub(crate) fn of_motion<T: Real>(motion: Option<Primitive>, order: usize, relative: &Relative<'_, T>) -> T {
    let turn = |axis: Vec3<T>| axis.dot(rates(order, relative).angular);
    match motion {
        Some(Primitive::Slide(k)) => {
            let axis = relative.first_axis(k);
            match order {
                0 => axis.dot(relative.distance),
                _ => axis.dot(rates(order, relative).linear),
            }
        }
        Some(Primitive::Turn(0)) if order == 0 => {
            let y = relative.second_axis(1);
            let (sin, cos) = (relative.first_axis(2).dot(y), relative.first_axis(1).dot(y));
            sin.atan2(cos)
        }
        Some(Primitive::Turn(1)) if order == 0 => {
            let x = relative.first_axis(0);
            x.dot(relative.second_axis(2))
                .atan2(x.dot(relative.second_axis(0)))
        }
        Some(Primitive::Turn(_)) if order == 0 => angle_about_z(relative),
        Some(Primitive::Turn(1)) => turn(relative.second_axis(1)),
        Some(Primitive::Turn(k)) => turn(relative.first_axis(k)),
        Some(Primitive::Screw { pitch }) => {
            if order > 0 {
                return turn(relative.first_axis(2));
            }
            // The displacement counts the turns.
            let angle = angle_about_z(relative);
            let thread = relative.first_axis(2).dot(relative.distance) / pitch;
            angle + TAU * ((thread - angle).value() / TAU).round()
        }
        Some(Primitive::Ball) | None => T::constant(f64::NAN),
    }
}

/// Angular velocity (1) or acceleration (2) of the second frame seen from the first, in the axes of
/// the second. The derivative of w by its components there is the one that the first frame sees:
/// ω_to × w = ω_from × w, because they differ by w.
pub(crate) fn spin<T: Real>(order: usize, relative: &Relative<'_, T>) -> Vec3<T> {
    let w = rates(order, relative).angular;
    Vec3([0, 1, 2].map(|k| relative.second_axis(k).dot(w)))
}

/// Angle of the second x axis in the first x–y plane, in (−π, π].
pub(crate) fn angle_about_z<T: Real>(relative: &Relative<'_, T>) -> T {
    let x = relative.second_axis(0);
    relative.first_axis(1).dot(x).atan2(relative.first_axis(0).dot(x))
}

fn rates<T: Real>(order: usize, relative: &Relative<'_, T>) -> Twist<T> {
    let velocity = relative.velocity();
    match order {
        1 => velocity,
        _ => relative.acceleration(&velocity),
    }
}
