//! Trees as robots have them; the same as the kernels are measured with.

use holonom::multibody::Description;
use holonom::multibody::description::{Body, Joint, frame};

/// Every body of these models: 1 kg, off-centre.
fn segment(name: &str) -> Body {
    Body::new(name, 1.0)
        .centre([0.02, 0.01, 0.15])
        .inertia_diagonal([0.02, 0.018, 0.005])
}

fn axis(letter: char) -> [f64; 3] {
    match letter {
        'x' => [1.0, 0.0, 0.0],
        'y' => [0.0, 1.0, 0.0],
        _ => [0.0, 0.0, 1.0],
    }
}

/// Builds a tree body by body; a body's joint sits at `offset` on its parent.
struct Builder {
    description: Description,
    count: usize,
}

impl Builder {
    fn new(name: &str) -> Self {
        Self {
            description: Description::new(name),
            count: 0,
        }
    }

    /// Adds a body on another one (`None`: the ground), turning about an axis; gives its number.
    fn add(&mut self, parent: Option<usize>, letter: char, offset: [f64; 3]) -> usize {
        let i = self.count;
        self.count += 1;
        let (name, seat) = (format!("b{i}"), format!("seat{i}"));
        let d = core::mem::replace(&mut self.description, Description::new(""));
        let from = match parent {
            None => format!("ground.{seat}"),
            Some(p) => format!("b{p}.{seat}"),
        };
        let mut d = d.body(segment(&name));
        match parent {
            None => d = d.ground_marker(&seat, frame::at(offset)),
            Some(p) => {
                let body = core::mem::replace(&mut d.bodies[p], Body::new("", 0.0));
                d.bodies[p] = body.marker(&seat, frame::at(offset));
            }
        }
        let joint = if letter == 'f' {
            Joint::free(format!("j{i}"), from, &name)
        } else {
            Joint::revolute(format!("j{i}"), from, &name)
                .axis(axis(letter))
                .start(0.1 + 0.02 * i as f64, 0.0)
        };
        self.description = d.joint(joint);
        i
    }

    fn limb(&mut self, root: usize, letters: &str, first: [f64; 3], next: [f64; 3]) -> usize {
        let mut at = root;
        for (k, letter) in letters.chars().enumerate() {
            at = self.add(Some(at), letter, if k == 0 { first } else { next });
        }
        at
    }
}

/// A chain of `n` segments of 0.3 m that turn about the given axes in turn.
fn chain(name: &str, n: usize, letters: &str) -> Description {
    let mut b = Builder::new(name);
    let mut at = None;
    for letter in letters.chars().cycle().take(n) {
        at = Some(b.add(at, letter, [0.0, 0.0, 0.3]));
    }
    b.description
}

/// An arm with seven revolute joints about z and y in turn.
pub fn arm7() -> Description {
    chain("arm", 7, "zy")
}

/// A chain of `n` revolute joints about z, y and x in turn.
pub fn kernel_chain(n: usize) -> Description {
    chain("chain", n, "zyx")
}

/// A free base with two legs, a torso, two arms and a head: 36 degrees of freedom.
pub fn tree36() -> Description {
    let mut b = Builder::new("tree");
    let base = b.add(None, 'f', [0.0, 0.0, 1.0]);
    for side in [-1.0, 1.0] {
        b.limb(base, "zxyyyx", [0.0, 0.1 * side, -0.1], [0.0, 0.0, -0.15]);
    }
    let torso = b.limb(base, "zy", [0.0, 0.0, 0.1], [0.0, 0.0, 0.2]);
    for side in [-1.0, 1.0] {
        b.limb(torso, "yxzyzyx", [0.0, 0.2 * side, 0.2], [0.0, 0.0, -0.12]);
    }
    b.limb(torso, "zy", [0.0, 0.0, 0.3], [0.0, 0.0, 0.05]);
    b.description
}
