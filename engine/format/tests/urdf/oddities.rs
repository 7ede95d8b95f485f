//! Files that are not quite URDF: what they mean is what other programs make of them.

use crate::common::{Placement, close, odd, same};
use holonom_format::{Files, ModelFile};

#[test]
fn impossible_inertias_are_used_as_written() {
    let robot = odd("inertia");
    assert_eq!(robot.freedoms(), 2);
    // All about z: 3, the negative one's 1, the placeholder's, and what has moments without mass.
    let (fixed, rotor) = (3.0 + 1.0 + 1e-6 + 2.0, 0.25);
    close(
        &robot.mass_matrix(&[0.3, 0.4]),
        &[fixed + rotor, rotor, 0.0, rotor],
    );
    let unphysical: Vec<&str> = robot
        .imported
        .description
        .bodies
        .iter()
        .filter(|b| b.unphysical)
        .map(|b| b.name.as_str())
        .collect();
    assert_eq!(
        unphysical,
        ["large", "negative", "placeholder", "massless", "rotor"]
    );
}

/// They are the same in a model file, which says that they are meant.
#[test]
fn impossible_inertias_survive_a_model_file() {
    let robot = odd("inertia");
    let description = &robot.imported.description;
    let text = holonom_format::write(&ModelFile::new(description.clone())).unwrap();
    let reread = |text: &str| {
        let files = Files::in_memory([("robot.toml", text)]);
        holonom_format::read("robot.toml", &files, &[]).unwrap()
    };
    let again = reread(&text);
    assert_eq!(again.description.bodies, description.bodies);
    assert!(again.description.compile().is_ok());
    // Without the flag it is refused.
    let plain = text.replace("unphysical = true\n", "");
    assert_ne!(plain, text);
    assert!(reread(&plain).description.compile().is_err());
}

#[test]
fn what_moves_nothing_is_locked() {
    let robot = odd("massless");
    assert_eq!(robot.model.velocity_names, ["j"]);
    let far = Placement::ORIGIN.turned([1.0, 0.0, 0.0], 0.7);
    same(robot.pose("far", &[0.7]), far);
}

#[test]
fn vendors_do_not_disturb() {
    let robot = odd("vendors");
    assert_eq!((robot.freedoms(), robot.mass()), (1, 2.5));
    close(&robot.mass_matrix(&[0.0]), &[0.1 + 2.0 * 0.01 + 0.001]);
}

#[test]
fn text_that_is_almost_xml_is_read() {
    let robot = odd("text");
    assert_eq!((robot.freedoms(), robot.mass()), (1, 2.0));
    // The axis behind the comment.
    let arm = Placement::ORIGIN.turned([0.0, 1.0, 0.0], 0.4);
    same(robot.pose("arm", &[0.4]), arm);
}

#[test]
fn of_two_elements_the_first_counts() {
    let robot = odd("twice");
    assert_eq!(robot.mass(), 2.0);
    same(
        robot.pose("arm", &[0.4]),
        Placement::ORIGIN.turned([0.0, 1.0, 0.0], 0.4),
    );
}

#[test]
fn followers_of_nothing_move_and_those_of_fixed_joints_stand() {
    let robot = odd("followers");
    let base = ["jd.x", "jd.y", "jd.z"].map(String::from);
    let names = &robot.model.velocity_names;
    assert!(base.iter().all(|name| names.contains(name)), "{names:?}");
    assert!(names.contains(&"ja".to_string()) && names.contains(&"je".to_string()));
    assert!(!names.contains(&"jc".to_string()), "{names:?}");
    assert!(robot.imported.description.constraints.is_empty());
    let q = robot.model.q0.clone();
    same(
        robot.pose("c", &q),
        Placement::ORIGIN.turned([1.0, 0.0, 0.0], 0.3),
    );
}

#[test]
fn limits_without_room_are_no_stops() {
    let robot = odd("limits");
    let forces: Vec<&str> = robot
        .imported
        .description
        .forces
        .iter()
        .map(|f| f.name.as_str())
        .collect();
    assert_eq!(forces, ["one_stop"]);
    // The nearer limit.
    assert_eq!(robot.model.q0, [0.0, 0.0, -0.5]);
}

/// An author's name in a comment, in the encoding of another time.
#[test]
fn latin_1_is_read_with_a_note() {
    let text = std::fs::read_to_string(crate::common::folder("good/pendulum.urdf")).unwrap();
    let text = text.replacen("<robot", "<!-- J\u{e9}r\u{f4}me --><robot", 1);
    let latin: Vec<u8> = text
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let path = std::env::temp_dir().join(format!("holonom-latin-{}.urdf", std::process::id()));
    std::fs::write(&path, latin).unwrap();
    let read = holonom_format::read(&path, &Files::disk(), &[]);
    // Two bytes for each letter: nobody means that as Latin-1.
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&path, wide).unwrap();
    let refused = holonom_format::read(&path, &Files::disk(), &[]);
    std::fs::remove_file(&path).unwrap();
    let read = read.unwrap();
    assert!(read.notes.0.iter().any(|note| note.text.contains("Latin-1")));
    assert_eq!(read.description.bodies[0].mass, 2.0);
    assert!(refused.unwrap_err().to_string().contains("save it as UTF-8"));
}
