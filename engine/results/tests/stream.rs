//! Writing, reading, recovering and going on.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Scratch, assert_rows, columns, metadata, options, row, written};
use holonom_results::{
    Column, Error, FileKind, LossReason, Metadata, Position, Table, Writer, WriterOptions,
};

#[test]
fn round_trip_to_the_bit() {
    for (rows, chunk) in [(0, 10), (1, 10), (10, 10), (57, 10), (57, 1)] {
        let file = written(rows, chunk);
        let table = Table::open(&file).unwrap();
        assert!(table.is_complete() && table.lost().is_none());
        assert_eq!(table.kind(), FileKind::ArrowStream);
        assert_eq!(table.columns(), columns());
        assert_eq!(table.metadata(), &metadata());
        assert_rows(&table, rows);
    }
}

#[test]
fn bits_of_nan_are_kept() {
    let file = Scratch::new("arrows");
    let odd = f64::from_bits(0xfff8_0000_dead_beef);
    let mut writer = Writer::create(&file, &[Column::time()], &Metadata::new(), &options(4)).unwrap();
    writer.push(&[odd]).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        Table::open(&file).unwrap().column("t").unwrap()[0].to_bits(),
        odd.to_bits()
    );
}

#[test]
fn many_columns() {
    let file = Scratch::new("arrows");
    let mut columns = vec![Column::time()];
    columns.extend((1..3000).map(|i| Column::new(format!("c{i}"), "m", "")));
    let mut writer = Writer::create(&file, &columns, &Metadata::new(), &WriterOptions::default()).unwrap();
    let mut row = vec![0.0; 3000];
    for index in 0..100 {
        row.iter_mut()
            .enumerate()
            .for_each(|(c, value)| *value = (index * c) as f64);
        writer.push(&row).unwrap();
    }
    writer.finish().unwrap();
    let table = Table::open(&file).unwrap();
    assert_eq!(
        table.column("c2999").unwrap(),
        (0..100).map(|i| 2999.0 * f64::from(i)).collect::<Vec<_>>()
    );
    let chosen = table.columns_at(&[7, 3, 7]).unwrap();
    assert_eq!((chosen[0][2], chosen[1][2], chosen[2][2]), (14.0, 6.0, 14.0));
}

/// A crash may cut the file anywhere.
#[test]
fn cut_at_every_byte() {
    let file = written(35, 10);
    let whole = file.bytes();
    let mut boundaries = Vec::new();
    let mut header = 0;
    let mut last = None;
    for length in 0..whole.len() {
        let cut = Scratch::with("arrows", &whole[..length]);
        match Table::open(&cut) {
            Err(error) => {
                assert!(last.is_none(), "byte {length}: {error}");
                assert!(
                    matches!(error, Error::Header { .. } | Error::NotRecognised { .. }),
                    "{error}"
                );
                header = length + 1;
            }
            Ok(table) => {
                let loss = table.lost().expect("a cut file is not complete");
                assert_eq!(loss.at + loss.bytes, length as u64);
                assert_eq!(loss.row, table.rows());
                if last != Some(table.rows()) {
                    boundaries.push((length, table.rows()));
                    assert_eq!(loss.reason, LossReason::Unfinished);
                    assert_rows(&table, table.rows() as usize);
                } else {
                    assert_eq!(loss.reason, LossReason::Truncated);
                }
                last = Some(table.rows());
            }
        }
    }
    assert_eq!(
        boundaries.iter().map(|(_, rows)| *rows).collect::<Vec<_>>(),
        [0, 10, 20, 30, 35]
    );
    assert_eq!(boundaries[0].0, header);
    // Every body starts at a multiple of 64.
    assert!(boundaries.iter().all(|(at, _)| at % 64 == 0));
}

/// No single bit may change unnoticed.
#[test]
fn every_flipped_bit_is_found() {
    let file = written(9, 4);
    let whole = file.bytes();
    for byte in 0..whole.len() {
        // Bit 5 turns small letters into capitals.
        for bit in [byte % 8, 5] {
            let mut bytes = whole.clone();
            bytes[byte] ^= 1 << bit;
            // A new file each time: some file systems wait for the disk when one is replaced.
            let changed = Scratch::with("arrows", &bytes);
            if let Ok(table) = Table::open(&changed) {
                assert!(!table.is_complete(), "bit {bit} of byte {byte} was not noticed");
                assert_rows(&table, table.rows() as usize);
            }
        }
    }
}

#[test]
fn bytes_after_the_end_are_reported() {
    let mut bytes = written(9, 4).bytes();
    bytes.extend([1, 2, 3]);
    let table = Table::open(Scratch::with("arrows", &bytes)).map(|table| table.lost().cloned());
    // The file is gone by now, but opening has read all it needs.
    let loss = table.unwrap().unwrap();
    assert_eq!((loss.reason, loss.bytes, loss.row), (LossReason::Trailing, 3, 9));
}

#[test]
fn resumed_equals_uninterrupted() {
    let reference = {
        let file = Scratch::new("arrows");
        let mut writer = Writer::create(&file, &columns(), &metadata(), &options(10)).unwrap();
        for index in 0..47 {
            writer.push(&row(index)).unwrap();
            if index == 22 {
                writer.checkpoint().unwrap();
            }
        }
        writer.finish().unwrap();
        file.bytes()
    };
    for beyond in [0, 1, 8, 20] {
        let file = Scratch::new("arrows");
        let mut writer = Writer::create(&file, &columns(), &metadata(), &options(10)).unwrap();
        (0..=22).for_each(|index| writer.push(&row(index)).unwrap());
        let text = serde_json::to_string(&writer.checkpoint().unwrap()).unwrap();
        // What came after the checkpoint is written again, so its values do not matter.
        (0..beyond).for_each(|_| writer.push(&[9.0; 4]).unwrap());
        drop(writer);
        let position: Position = serde_json::from_str(&text).unwrap();
        assert_eq!(position.rows, 23);
        let mut writer = Writer::resume(&file, &position, &columns(), &options(10)).unwrap();
        assert_eq!(writer.rows(), 23);
        (23..47).for_each(|index| writer.push(&row(index)).unwrap());
        writer.finish().unwrap();
        assert!(file.bytes() == reference, "{beyond} rows beyond the checkpoint");
    }
}

#[test]
fn a_finished_file_can_go_on() {
    let file = written(10, 4);
    let end = Table::open(&file).unwrap();
    assert!(end.is_complete());
    let bytes = file.bytes().len() as u64 - 8;
    let position = Position {
        rows: 10,
        bytes,
        chunks: 3,
    };
    let mut writer = Writer::resume(&file, &position, &columns(), &options(4)).unwrap();
    (10..20).for_each(|index| writer.push(&row(index)).unwrap());
    writer.finish().unwrap();
    assert_rows(&Table::open(&file).unwrap(), 20);
}

#[test]
fn resume_refuses_what_does_not_fit() {
    let file = written(20, 4);
    let good = {
        let copy = Scratch::new("arrows");
        let mut writer = Writer::create(&copy, &columns(), &metadata(), &options(4)).unwrap();
        (0..8).for_each(|index| writer.push(&row(index)).unwrap());
        writer.position()
    };
    let before = file.bytes();
    let refused = |position: Position, columns: &[Column]| {
        let error = Writer::resume(&file, &position, columns, &options(4))
            .err()
            .unwrap();
        assert!(matches!(error, Error::Resume { .. }), "{error}");
        error.to_string()
    };
    assert!(refused(Position { rows: 9, ..good }, &columns()).contains("row 9"));
    assert!(
        refused(
            Position {
                bytes: good.bytes + 8,
                ..good
            },
            &columns()
        )
        .contains("checkpoint")
    );
    refused(
        Position {
            bytes: 1 << 40,
            ..good
        },
        &columns(),
    );
    let mut other = columns();
    other[1].name = "crank.speed".to_string();
    assert!(refused(good, &other).contains("`crank.speed`"));
    assert!(refused(good, &other[..2]).contains("4 columns"));
    assert!(file.bytes() == before, "a refusal must not touch the file");
    // Damage before the position is found.
    let mut bytes = before;
    let at = good.bytes as usize - 100;
    bytes[at] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    refused(good, &columns());
}

#[test]
fn dropped_writers_leave_their_rows() {
    let file = Scratch::new("arrows");
    let mut writer = Writer::create(&file, &columns(), &metadata(), &options(100)).unwrap();
    (0..7).for_each(|index| writer.push(&row(index)).unwrap());
    assert_eq!((writer.position().rows, writer.rows()), (0, 7));
    drop(writer);
    let table = Table::open(&file).unwrap();
    assert_eq!(table.lost().unwrap().reason, LossReason::Unfinished);
    assert_rows(&table, 7);
}

#[test]
fn rows_do_not_wait_forever() {
    let file = Scratch::new("arrows");
    let options = WriterOptions::default().interval(0.0);
    let mut writer = Writer::create(&file, &columns(), &metadata(), &options).unwrap();
    for index in 0..3 {
        writer.push(&row(index)).unwrap();
        assert_rows(&Table::open(&file).unwrap(), index + 1);
    }
}

#[test]
fn bad_calls_are_refused() {
    let file = Scratch::new("arrows");
    let create = |columns: &[Column], options: &WriterOptions| {
        Writer::create(&file, columns, &Metadata::new(), options)
    };
    assert!(matches!(
        create(&columns()[1..], &options(1)),
        Err(Error::Columns { .. })
    ));
    let late = WriterOptions::default().interval(f64::NAN);
    assert!(matches!(create(&columns(), &late), Err(Error::Setting { .. })));
    let mut writer = create(&columns(), &options(1)).unwrap();
    assert!(matches!(
        writer.push(&[1.0]),
        Err(Error::RowLength {
            expected: 4,
            found: 1
        })
    ));
    let nowhere = std::env::temp_dir()
        .join("holonom-no-such-folder")
        .join("x.arrows");
    let error = Writer::create(&nowhere, &columns(), &metadata(), &options(1))
        .err()
        .unwrap();
    assert!(error.to_string().starts_with("cannot create"), "{error}");
}

/// A full disk: the device takes no byte.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let error = Writer::create("/dev/full", &columns(), &metadata(), &options(1))
        .err()
        .unwrap();
    assert!(error.to_string().contains("cannot write"), "{error}");
}

#[test]
fn names_and_patterns() {
    let file = written(3, 4);
    let table = Table::open(&file).unwrap();
    assert_eq!(table.select(&["crank.*", "t", "*.x"]).unwrap(), [1, 2, 0]);
    let error = table.column("crank.angel").unwrap_err().to_string();
    assert!(error.contains("did you mean `crank.angle`?"), "{error}");
    assert!(matches!(table.select(&["wheel.*"]), Err(Error::NoMatch { .. })));
    assert!(matches!(table.select(&["["]), Err(Error::Pattern(_))));
    assert!(matches!(table.select(&[""]), Err(Error::Pattern(_))));
    assert!(matches!(
        table.chunks_of(&[4]),
        Err(Error::ColumnIndex {
            index: 4,
            columns: 4,
            ..
        })
    ));
    let chunks: Vec<_> = table.chunks().unwrap().map(|chunk| chunk.unwrap()).collect();
    assert_eq!(chunks.iter().map(|chunk| chunk.rows).sum::<usize>(), 3);
    assert_eq!(chunks[0].first_row, 0);
}
