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

/// A step that goes beyond the end of a run is kept where functions of time are smooth in it, and refused where one
/// changes that it could not know of.
#[test]
fn smooth_functions_of_time_do_not_stop_an_extension() {
    let pull = "kind = \"expression\"\nfrom = \"ground\"\nto = \"m\"\n";
    let smooth = format!("{pull}force = [\"50*(0.1*t-x)-3*sign(vx)\", 0, 0]");
    let folder = place("extended", &mass(0.0, &smooth));
    let run = |end: &str, extra: &[&str]| {
        let usual = ["run", "model.toml", "-o", "r", "--t-end", end];
        holonom(&folder, &[&usual[..], extra].concat())
    };
    assert_eq!(code(&run("5", &[])), 0);
    let extended = run("10", &["--resume"]);
    assert_eq!(code(&extended), 0, "{}", stderr(&extended));
    let jumps = format!("{pull}force = [\"-x + if(t < 5.0001, 0, 1)\", 0, 0]");
    std::fs::write(folder.join("model.toml"), mass(1.0, &jumps)).unwrap();
    assert_eq!(code(&run("5", &[])), 0);
    let extended = run("10", &["--resume"]);
    if code(&extended) != 0 {
        assert!(
            stderr(&extended).contains("a function of time at t = 5.0001"),
            "{}",
            stderr(&extended)
        );
    }
}
