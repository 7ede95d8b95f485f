//! Files of other software (pyarrow 26, see `data/README.md`): numbers of all kinds, gaps,
//! dictionaries, Snappy, both versions of pages.
#![allow(clippy::unwrap_used)]

use holonom_results::{Column, FileKind, Table};
use std::path::PathBuf;

fn open(name: &str) -> Table {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    Table::open(path).unwrap()
}

fn expected(name: &str, i: usize) -> f64 {
    let x = i as f64;
    match name {
        "t" => 0.01 * x,
        "f32" => 0.5 * x,
        "i64" => x * x - 7.0,
        "u8" => (i % 251) as f64,
        "flag" => f64::from(u8::from(i.is_multiple_of(3))),
        "gaps" if i.is_multiple_of(5) => f64::NAN,
        "gaps" => x,
        "few" => (i % 4) as f64,
        other => panic!("no column {other}"),
    }
}

#[test]
fn all_of_them() {
    for (file, kind) in [
        ("pyarrow.arrows", FileKind::ArrowStream),
        ("pyarrow.arrow", FileKind::ArrowFile),
        ("pyarrow-snappy.parquet", FileKind::Parquet),
        ("pyarrow-plain-v2.parquet", FileKind::Parquet),
        ("pyarrow-split.parquet", FileKind::Parquet),
    ] {
        let table = open(file);
        assert_eq!((table.kind(), table.rows()), (kind, 300), "{file}");
        assert!(table.is_complete(), "{file}: {:?}", table.lost());
        assert_eq!(table.metadata()["model.name"], "other", "{file}");
        for column in table.columns() {
            let values = table.column(&column.name).unwrap();
            assert_eq!(values.len(), 300);
            for (i, value) in values.into_iter().enumerate() {
                let wanted = expected(&column.name, i);
                let same = value == wanted || (value.is_nan() && wanted.is_nan());
                assert!(
                    same,
                    "{file}, {}, row {i}: {value} instead of {wanted}",
                    column.name
                );
            }
        }
        if table.columns().len() == 7 {
            assert_eq!(
                table.columns()[6],
                Column::new("few", "N", "few values"),
                "{file}"
            );
        }
    }
}
