//! Checkpoints of runs that a user could not go on with.

use super::*;

fn mass(start: f64, force: &str) -> String {
    format!(
        r#"
[model]
format = 1
name = "p"
[ground]
markers.g = [-1, 0, 0]
[[body]]
name = "m"
mass = 1
[[joint]]
name = "j"
kind = "prismatic"
from = "ground"
to = "m"
axis = [1, 0, 0]
displacement = {start}
[[force]]
name = "f"
{force}
[simulation]
t_end = 10
output_step = 0.01
"#
    )
}

/// Numbers of a method may be infinite when a checkpoint is taken.
#[test]
fn checkpoints_at_every_step_are_read() {
    let force =
        "kind = \"maxwell\"\nfrom = \"ground.g\"\nto = \"m\"\nstiffness = 100\ndamping = 5\nfree_length = 1";
    let folder = place("resumed", &mass(0.3, force));
    let usual = ["run", "model.toml", "--csv"];
    for stepper in ["auto", "radau", "bdf", "generalized-alpha", "dormand-prince"] {
        let run = |extra: &[&str]| holonom(&folder, &[&usual[..], &["--stepper", stepper], extra].concat());
        assert_eq!(code(&run(&["-o", "whole"])), 0);
        for steps in ["1", "8", "9", "10", "11", "12"] {
            assert_eq!(code(&run(&["-o", "parts", "--max-steps", steps])), 1);
            let resumed = run(&["-o", "parts", "--resume"]);
            assert_eq!(code(&resumed), 0, "{stepper}, {steps}: {}", stderr(&resumed));
            let [parts, whole] =
                ["parts.csv", "whole.csv"].map(|name| std::fs::read(folder.join(name)).unwrap());
            assert!(parts == whole, "{stepper}, {steps} steps");
        }
    }
}
