//! Scenes of the shipped models, meshes from files, pictures and binary glTF.
#![allow(clippy::unwrap_used)]

use holonom_algebra::{Pose, Vec3};
use holonom_multibody::description::{Axis, Body, Description, Joint, Shape, ShapeKind, frame};
use holonom_scene::glb::Motion;
use holonom_scene::raster::{Style, draw};
use holonom_scene::{Camera, Mesh, MeshError, Placement, Poser, Scene, View};

fn pendulum() -> Description {
    Description::new("pendulum")
        .body(Body::new("bob", 2.0).centre([0.0, 0.0, -1.0]))
        .joint(Joint::revolute("pin", "ground", "bob").axis([0.0, 1.0, 0.0]))
}

#[test]
fn shapes_stand_where_they_are_said_to_be() {
    let at = frame::along([0.1, 0.2, 0.3], [1.0, 0.0, 0.0]);
    let shape = Shape::new(
        "bob",
        ShapeKind::Cylinder {
            radius: 0.1,
            length: 0.4,
        },
    )
    .at(at)
    .coloured("red");
    let description = pendulum().shape(shape);
    let model = description.compile().unwrap();
    let scene = Scene::new(&description, &model);
    let own: Vec<_> = scene.parts.iter().filter(|part| part.of == "bob").collect();
    let [part] = own[..] else { panic!("{own:?}") };
    assert_eq!(
        part.place,
        Placement::On {
            body: 1,
            frame: at,
            scale: [0.1, 0.1, 0.4]
        }
    );
    assert!((part.colour[0] - 0.8).abs() < 1e-12);
}

#[test]
fn stand_ins_give_way_to_other_shapes() {
    let stand_in = Shape::new("bob", ShapeKind::Sphere { radius: 0.5 }).stand_in();
    let other = Shape::new("bob", ShapeKind::Box { size: [0.1; 3] });
    let parts = |description: Description| {
        let model = description.compile().unwrap();
        let scene = Scene::new(&description, &model);
        scene
            .parts
            .iter()
            .filter(|part| part.of == "bob")
            .map(|part| part.mesh)
            .collect::<Vec<_>>()
    };
    assert_eq!(parts(pendulum().shape(stand_in.clone())).len(), 1);
    let both = parts(pendulum().shape(stand_in.clone()).shape(other));
    assert_eq!(both.len(), 1);
    assert_ne!(both, parts(pendulum().shape(stand_in)));
}

/// The points of a mirrored shape are the mirrored points.
#[test]
fn mirror_images_of_shapes_are_mirror_images() {
    let kinds = [
        ShapeKind::Box {
            size: [0.1, 0.2, 0.3],
        },
        ShapeKind::Cone {
            radius: 0.1,
            length: 0.3,
        },
        ShapeKind::Cylinder {
            radius: 0.1,
            length: 0.3,
        },
        ShapeKind::Tube {
            points: vec![[0.0; 3], [0.1, 0.2, 0.3]],
            radius: 0.02,
        },
    ];
    for kind in kinds {
        for (number, axis) in [Axis::X, Axis::Y, Axis::Z].into_iter().enumerate() {
            let at = frame::oriented([0.1, -0.2, 0.3], [0.8, 0.1, -0.5, 0.2]);
            let description = pendulum().shape(Shape::new("bob", kind.clone()).at(at));
            let corners = |description: &Description| {
                let model = description.compile().unwrap();
                let mut scene = Scene::new(description, &model);
                scene.parts.retain(|part| part.of == "bob");
                let mut points = Vec::new();
                for part in &scene.parts {
                    let (place, scale) = part.place.transform(&[Pose::identity(), Pose::identity()]);
                    for p in &scene.meshes[part.mesh].positions {
                        let p = core::array::from_fn(|k| f64::from(p[k]) * scale[k]);
                        points.push(place.point(Vec3(p)).0);
                    }
                }
                points
            };
            let (own, image) = (
                corners(&description),
                corners(&description.clone().mirrored(axis)),
            );
            for mut point in own {
                point[number] = -point[number];
                let near = image
                    .iter()
                    .map(|q| (Vec3(*q) - Vec3(point)).norm())
                    .fold(f64::INFINITY, f64::min);
                // Round bodies have corners at other places of the same circles.
                assert!(near < 0.03, "{kind:?} {axis:?}: {near}");
            }
        }
    }
}

#[test]
fn meshes_are_read_and_broken_ones_are_named() {
    let stl = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
    assert_eq!(Mesh::read("a.stl", stl.as_bytes()).unwrap().triangles(), 1);
    let obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
    assert_eq!(Mesh::read("a.OBJ", obj.as_bytes()).unwrap().triangles(), 2);
    let mut binary = vec![0_u8; 80];
    binary.extend(u32::MAX.to_le_bytes());
    for (name, bytes, word) in [
        ("a.stl", &binary[..], "triangles"),
        ("a.stl", b"", "cut off"),
        ("a.stl", b"solid a\nfacet nonsense", "cannot be read"),
        ("a.obj", b"v 0 0 0\nf 1 2 9\n", "cannot be read"),
        ("a.obj", b"# nothing\n", "no triangles"),
        ("a.obj", b"v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", ""),
        ("a.glb", b"glTF\x02\0\0\0\xff\xff\xff\xff", "cannot be read"),
        ("a.gltf", b"{}", "cannot be read"),
        ("a.dae", b"<COLLADA/>", "COLLADA"),
        ("a.txt", b"", "ends in none"),
    ] {
        let error: MeshError = Mesh::read(name, bytes)
            .err()
            .unwrap_or_else(|| panic!("{name} {word}"));
        let text = error.to_string();
        assert!(text.contains(word) && text.contains(name), "{text}");
    }
}

#[test]
fn a_mesh_in_binary_gltf_is_read_upright() {
    let description = pendulum().shape(Shape::new(
        "bob",
        ShapeKind::Cone {
            radius: 0.5,
            length: 2.0,
        },
    ));
    let model = description.compile().unwrap();
    let mut scene = Scene::new(&description, &model);
    scene.parts.retain(|part| part.of == "bob");
    let bytes = holonom_scene::glb::write(
        &scene,
        &Motion {
            times: &[0.0],
            poses: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        },
    );
    let bounds = Mesh::read("own.glb", &bytes).unwrap().bounds().unwrap();
    for k in 0..3 {
        let half = [0.5, 0.5, 1.0][k];
        assert!(
            (bounds[1][k] - half).abs() < 1e-3 && (bounds[0][k] + half).abs() < 1e-3,
            "{bounds:?}"
        );
    }
}

fn picture(width: usize, dark: bool) -> holonom_scene::raster::Picture {
    let description = pendulum();
    let model = description.compile().unwrap();
    let scene = Scene::new(&description, &model);
    let mut poser = Poser::new(&model);
    let poses = poser.poses(&model, 0.0, &[0.4]).to_vec();
    let camera = Camera::around(scene.centre, scene.radius, View::Corner, scene.up, &[]);
    let style = Style {
        width,
        height: width / 2,
        dark,
        ground: Some(-1.4),
    };
    draw(&scene, &poses, &camera, &style)
}

#[test]
fn pictures_have_the_same_bits_everywhere() {
    let picture = picture(160, false);
    let hash = picture.rgb.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(format!("{hash:016x}"), PICTURE);
    // Something is in it, and the middle is not the background.
    let colours: std::collections::HashSet<&[u8]> = picture.rgb.chunks_exact(3).collect();
    assert!(colours.len() > 100);
}

/// Of the picture above: changes of the drawing change it, other machines must not.
const PICTURE: &str = "04075b5d51f9dd6f";

#[test]
fn the_bob_is_where_the_camera_projects_it() {
    let description = pendulum();
    let model = description.compile().unwrap();
    let scene = Scene::new(&description, &model);
    for view in [View::Corner, View::X, View::Y] {
        let camera = Camera::around(scene.centre, scene.radius, view, scene.up, &[]);
        let poses = Poser::new(&model).poses(&model, 0.0, &[0.4]).to_vec();
        let (width, height) = (320, 200);
        let style = Style {
            width,
            height,
            dark: true,
            ground: None,
        };
        let picture = draw(&scene, &poses, &camera, &style);
        let bob = poses[1].point(Vec3([0.0, 0.0, -1.0]));
        let [x, y, depth] = camera.project(bob);
        assert!(depth > 0.0);
        let px = (0.5 * width as f64 + 0.5 * height as f64 * x) as usize;
        let py = (0.5 * height as f64 - 0.5 * height as f64 * y) as usize;
        let at = 3 * (py * width + px);
        let [r, _, b] = [picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]];
        // The first colour of bodies is blue; the dark background is much darker.
        assert!(b > 60 && b > r, "{view:?}: {:?}", &picture.rgb[at..at + 3]);
    }
}

#[test]
fn poses_that_are_no_numbers_are_left_out_of_pictures() {
    let description = pendulum();
    let model = description.compile().unwrap();
    let scene = Scene::new(&description, &model);
    let lost = Pose::new(holonom_algebra::Mat3::identity(), Vec3([f64::NAN; 3]));
    let camera = Camera::around([0.0; 3], 1.0, View::Corner, scene.up, &[]);
    let style = Style {
        width: 64,
        height: 40,
        dark: false,
        ground: Some(0.0),
    };
    let picture = draw(&scene, &[Pose::identity(), lost], &camera, &style);
    assert_eq!(picture.rgb.len(), 64 * 40 * 3);
}
