//! `holonom export` and `compare` as a user meets them.

mod common;

use common::{code, folder, holonom, refused, report, stderr, stdout};
use holonom_results::Table;
use std::path::PathBuf;

/// Two runs of one model with different tolerances.
fn runs(name: &str) -> PathBuf {
    let folder = folder(name);
    for (out, rtol) in [("coarse", "1e-4"), ("fine", "1e-8")] {
        let output = holonom(
            &folder,
            &["run", "four-bar", "--t-end", "1", "--rtol", rtol, "-o", out],
        );
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
    folder
}

#[test]
fn compare_keeps_limits() {
    let folder = runs("compare");
    let compare = |extra: &[&str]| {
        holonom(
            &folder,
            &[&["compare", "coarse.parquet", "fine.parquet"], extra].concat(),
        )
    };
    assert_eq!(code(&compare(&[])), 0);
    assert_eq!(code(&compare(&["--limit", "0.1", "--channel", "A.*"])), 0);
    let over = compare(&["--limit", "1e-12"]);
    assert!(
        code(&over) == 1 && stdout(&over).contains("A.angle") && stderr(&over).contains("limit"),
        "{}",
        stderr(&over)
    );
    let json = report(&compare(&["--json"]));
    assert_eq!(json["same_times"], true);
    let same = report(&holonom(
        &folder,
        &["compare", "fine.parquet", "fine.arrows", "--limit", "0", "--json"],
    ));
    assert!(
        same["channels"]
            .as_array()
            .is_some_and(|all| all.iter().all(|c| c["max_abs"] == 0.0))
    );
    refused(&compare(&["--channel", "A.angel"]), &["A.angle"]);
    refused(&compare(&["--limit", "nan"]), &["limit"]);
    refused(
        &holonom(&folder, &["compare", "coarse.parquet", "none.parquet"]),
        &["none.parquet"],
    );
}

#[test]
fn export_writes_the_same_numbers() {
    let folder = runs("export");
    let output = holonom(
        &folder,
        &["export", "fine.arrows", "-o", "a.csv", "--channel", "A.*"],
    );
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let (csv, parquet) = (
        Table::open(folder.join("a.csv")),
        Table::open(folder.join("fine.parquet")),
    );
    let (csv, parquet) = (csv.expect("CSV"), parquet.expect("Parquet"));
    assert_eq!(
        csv.column("A.angle").expect("column"),
        parquet.column("A.angle").expect("column")
    );
    assert!(csv.column("D.angle").is_err());
    assert_eq!(
        code(&holonom(&folder, &["export", "fine.arrows", "-o", "b.parquet"])),
        0
    );
    refused(
        &holonom(&folder, &["export", "fine.arrows", "-o", "a.xls"]),
        &[".parquet, .csv or .csv.gz"],
    );
    refused(
        &holonom(
            &folder,
            &["export", "fine.arrows", "-o", "a.csv", "--channel", "Q.*"],
        ),
        &["Q.*"],
    );
    refused(
        &holonom(&folder, &["export", "none.arrows", "-o", "a.csv"]),
        &["none.arrows"],
    );
    refused(
        &holonom(&folder, &["export", "fine.parquet", "-o", "fine.parquet"]),
        &["itself"],
    );
}

/// Compressed CSV holds what CSV holds; a file of that name that is no result is kept.
#[test]
fn compressed_csv_is_written_like_csv() {
    let folder = folder("compressed");
    let run = ["run", "four-bar", "--t-end", "0.2", "-o", "bar.csv.gz"];
    let output = holonom(&folder, &run);
    assert_eq!(code(&output), 0);
    for name in ["bar.csv.gz", "bar.parquet", "bar.arrows"] {
        assert!(folder.join(name).exists(), "{name}");
    }
    let again = ["export", "bar.parquet", "-o", "again.csv.gz"];
    assert!(stdout(&holonom(&folder, &again)).contains("again.csv.gz: "));
    let read = |name: &str| std::fs::read(folder.join(name)).expect("written");
    assert_eq!(read("bar.csv.gz"), read("again.csv.gz"));
    assert_eq!(
        code(&holonom(&folder, &["export", "bar.parquet", "-o", "bar.csv"])),
        0
    );
    assert!(read("bar.csv").len() > read("bar.csv.gz").len());
    std::fs::write(folder.join("bar.csv.gz"), "my notes").expect("written");
    refused(&holonom(&folder, &run), &["bar.csv.gz", "not a Holonom result"]);
    assert_eq!(read("bar.csv.gz"), b"my notes");
    refused(
        &holonom(
            &folder,
            &["export", "bar.parquet", "-o", "a.parquet", "--channel", "A.*"],
        ),
        &["--channel", "Parquet"],
    );
}

#[test]
fn reproduce_reports_in_the_common_shape() {
    let folder = folder("reproduce");
    assert!(stdout(&holonom(&folder, &["reproduce", "list"])).contains("arnold-chain"));
    let output = holonom(&folder, &["reproduce", "arnold-chain", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
    assert_eq!(
        (&json["name"], json["rows"].as_array().expect("rows").len()),
        (&"arnold-chain".into(), 6)
    );
    assert!(!json["missing"].as_array().expect("missing").is_empty());
    let checks = json["checks"].as_array().expect("checks");
    let all = checks.iter().all(|check| check["holds"] == true);
    assert_eq!(
        (json["holds"].as_bool(), code(&output)),
        (Some(all), i32::from(!all))
    );
    assert!(all, "{checks:?}");
    // With figures; these are quick.
    for (name, rows, figure) in [
        ("arnold-fig-7", 2, "arnold-fig-7.svg"),
        ("arnold-grouping", 5, "arnold-grouping.svg"),
        ("burgermeister-fig-6", 14, "burgermeister-fig-6.svg"),
    ] {
        let output = holonom(&folder, &["reproduce", name, "--json", "--plot", "figures"]);
        let json: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
        assert_eq!(json["rows"].as_array().map(Vec::len), Some(rows), "{name}");
        assert_eq!(
            (json["holds"].as_bool(), code(&output)),
            (Some(true), 0),
            "{json}"
        );
        let svg = std::fs::read_to_string(folder.join("figures").join(figure)).expect("written");
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
            "{name}"
        );
    }
    // A long run, made short.
    let short = ["reproduce", "burgermeister-fig-3", "--steps", "20000", "--json"];
    let output = stdout(&holonom(&folder, &short));
    let json: serde_json::Value = serde_json::from_str(&output).expect("one JSON object");
    assert_eq!(json["rows"][0]["steps"], 20_000);
    assert!(json["missing"].to_string().contains("--steps"), "{json}");
    refused(
        &holonom(&folder, &["reproduce", "arnold-chain", "--steps", "100"]),
        &["no adjustable number of steps"],
    );
    // Studies over generated mechanisms: a seed, a count, and the model file of a seed.
    let few = [
        "reproduce",
        "generated-oracle",
        "--seed",
        "4",
        "--count",
        "2",
        "--json",
    ];
    let output = stdout(&holonom(&folder, &few));
    let json: serde_json::Value = serde_json::from_str(&output).expect("one JSON object");
    assert_eq!(json["checks"][0]["id"], "generated-oracle/accelerations");
    let write = [
        "reproduce",
        "generated-oracle",
        "--seed",
        "4",
        "--write",
        "case.toml",
    ];
    assert_eq!(code(&holonom(&folder, &write)), 0);
    assert_eq!(code(&holonom(&folder, &["check", "case.toml"])), 0);
    refused(
        &holonom(&folder, &["reproduce", "arnold-chain", "--seed", "3"]),
        &["not a study of generated mechanisms"],
    );
    refused(
        &holonom(&folder, &["reproduce", "arnold-chian"]),
        &["did you mean `arnold-chain`?"],
    );
}
