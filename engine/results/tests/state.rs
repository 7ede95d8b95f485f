//! The state behind the channels: hidden by names, read by numbers, kept in copies.
#![allow(clippy::unwrap_used)]

mod common;

use common::Scratch;
use holonom_results::{
    Column, CompareOptions, CsvOptions, Metadata, Table, Writer, WriterOptions, compare, keys, to_csv,
    to_parquet,
};

fn columns() -> Vec<Column> {
    let state = |name: &str| Column::new(name, "", "of the state");
    vec![
        Column::time(),
        Column::new("x", "m", ""),
        state("state:q"),
        state("state:v"),
    ]
}

fn written(rows: usize, chunk_rows: usize, state: &str) -> Scratch {
    let file = Scratch::new("arrows");
    let metadata = Metadata::from([(keys::STATE.to_string(), state.to_string())]);
    let mut options = WriterOptions::default();
    options.chunk_rows = chunk_rows;
    let mut writer = Writer::create(&file, &columns(), &metadata, &options).unwrap();
    for k in 0..rows {
        let x = k as f64;
        writer.push(&[x, 2.0 * x, 3.0 * x, -x]).unwrap();
    }
    writer.finish().unwrap();
    file
}

#[test]
fn the_state_is_no_channel() {
    let file = written(500, 64, "2");
    let copy = Scratch::new("parquet");
    to_parquet(&Table::open(&file).unwrap(), &copy).unwrap();
    for path in [&file, &copy] {
        let table = Table::open(path).unwrap();
        assert_eq!(table.columns().len(), 2);
        assert_eq!(table.state_columns()[1].name, "state:v");
        assert!(table.index("state:q").is_err() && table.select(&["state*"]).is_err());
        assert_eq!(table.select(&["*"]).unwrap(), [0, 1]);
        assert_eq!(table.chunks().unwrap().next().unwrap().unwrap().columns.len(), 2);
        let read = table.columns_at(&table.state().collect::<Vec<_>>()).unwrap();
        assert_eq!((read[0][499], read[1][3]), (1497.0, -3.0));
    }
    let text = Scratch::new("csv");
    to_csv(&Table::open(&file).unwrap(), &text, &CsvOptions::default()).unwrap();
    assert!(!String::from_utf8(text.bytes()).unwrap().contains("state"));
    let (a, b) = (Table::open(&file).unwrap(), Table::open(&copy).unwrap());
    let compared = compare(&a, &b, &CompareOptions::default()).unwrap();
    assert_eq!(compared.channels.len(), 1);
}

#[test]
fn rows_in_the_middle_are_those_of_the_whole() {
    let file = written(1000, 64, "2");
    let copy = Scratch::new("parquet");
    to_parquet(&Table::open(&file).unwrap(), &copy).unwrap();
    for path in [&file, &copy] {
        let table = Table::open(path).unwrap();
        for (first, last) in [
            (0, 1),
            (63, 65),
            (64, 128),
            (700, 1000),
            (999, 2000),
            (1000, 1010),
            (5, 5),
        ] {
            let rows = table.rows_at(&[0, 3], first..last).unwrap();
            let wanted: Vec<f64> = (first..last.min(1000)).map(|k| k as f64).collect();
            assert_eq!(rows[0], wanted, "{first}..{last}");
            assert!(rows[1].iter().zip(&wanted).all(|(v, t)| *v == -t));
        }
        let mut chunks = table.chunks_from(&[0], 333).unwrap();
        let chunk = chunks.next().unwrap().unwrap();
        assert_eq!((chunk.first_row, chunk.columns[0][0]), (333, 333.0));
    }
}

#[test]
fn an_impossible_state_is_refused() {
    for state in ["4", "9999999", "-1", "many"] {
        let file = written(3, 64, state);
        let error = Table::open(&file).err().unwrap().to_string();
        assert!(error.contains("columns of state"), "{error}");
    }
}
