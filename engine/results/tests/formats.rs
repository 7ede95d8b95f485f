//! Parquet and CSV, comparison, and files that are not what they should be.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Scratch, assert_rows, columns, metadata, row, written};
use holonom_results::{
    Column, CompareOptions, CsvOptions, Error, FORMATS, FileKind, Interpolation, LossReason, Metadata, Table,
    Writer, WriterOptions, compare, to_csv, to_parquet,
};
use proptest::prelude::*;

fn parquet(rows: usize) -> Scratch {
    let (source, file) = (written(rows, 16), Scratch::new("parquet"));
    let summary = to_parquet(&Table::open(&source).unwrap(), &file).unwrap();
    assert_eq!(
        (summary.rows, summary.columns, summary.bytes),
        (rows as u64, 4, file.bytes().len() as u64)
    );
    file
}

#[test]
fn parquet_keeps_everything() {
    for rows in [0, 1, 16, 50] {
        let file = parquet(rows);
        let table = Table::open(&file).unwrap();
        assert_eq!(table.kind(), FileKind::Parquet);
        assert_eq!(table.columns(), columns());
        assert_eq!(table.metadata(), &metadata());
        assert!(table.is_complete());
        assert_rows(&table, rows);
    }
}

/// Written along with the stream, the copy is the file that a conversion makes, to the byte.
#[test]
fn a_copy_made_on_the_way_is_that_of_a_conversion() {
    for (rows, chunk_rows) in [(0, 16), (1, 16), (40, 7), (100_000, 4096)] {
        let [source, copy, later] = ["arrows", "parquet", "parquet"].map(Scratch::new);
        let options = WriterOptions::default().chunk_rows(chunk_rows);
        let mut writer =
            Writer::create_with_parquet(&source, &copy, &columns(), &metadata(), &options).unwrap();
        for index in 0..rows {
            writer.push(&row(index)).unwrap();
        }
        assert!(!copy.0.exists(), "it appears when it is whole");
        let finished = writer.finish_all().unwrap();
        let summary = to_parquet(&Table::open(&source).unwrap(), &later).unwrap();
        let made = finished.copy.unwrap();
        assert_eq!((made.rows, made.bytes), (summary.rows, summary.bytes));
        assert!(copy.bytes() == later.bytes(), "{rows} rows");
    }
}

#[test]
fn an_unfinished_writer_leaves_no_copy() {
    let (source, copy) = (Scratch::new("arrows"), Scratch::new("parquet"));
    let options = WriterOptions::default();
    let mut writer = Writer::create_with_parquet(&source, &copy, &columns(), &metadata(), &options).unwrap();
    writer.push(&row(0)).unwrap();
    drop(writer);
    assert!(!copy.0.exists());
    let mut part = copy.0.clone().into_os_string();
    part.push(".part");
    assert!(!std::path::Path::new(&part).exists());
    assert_eq!(Table::open(&source).unwrap().rows(), 1);
}

/// Several groups of rows and several pages.
#[test]
fn large_parquet() {
    let (source, file) = (Scratch::new("arrows"), Scratch::new("parquet"));
    let columns = [Column::time(), Column::new("x", "m", "")];
    let mut writer = Writer::create(&source, &columns, &Metadata::new(), &WriterOptions::default()).unwrap();
    let rows = 1_200_000;
    for index in 0..rows {
        writer.push(&[index as f64, -(index as f64)]).unwrap();
    }
    writer.finish().unwrap();
    to_parquet(&Table::open(&source).unwrap(), &file).unwrap();
    let table = Table::open(&file).unwrap();
    let x = table.column("x").unwrap();
    assert_eq!(x.len(), rows);
    assert!(x.iter().enumerate().all(|(index, x)| *x == -(index as f64)));
}

#[test]
fn flipped_bits_of_parquet_values_are_found() {
    let file = parquet(20);
    let whole = file.bytes();
    let clean = Table::open(&file).unwrap().columns_at(&[0, 1, 2, 3]).unwrap();
    // The first page: its header, then the numbers of the time.
    let start = whole
        .windows(8)
        .position(|bytes| bytes == 0.01_f64.to_le_bytes())
        .unwrap();
    for byte in start..start + 19 * 8 {
        let mut bytes = whole.clone();
        bytes[byte] ^= 4;
        let changed = Scratch::with("parquet", &bytes);
        let error = Table::open(&changed).unwrap().column("t").unwrap_err();
        assert!(error.to_string().contains("checksum"), "{error}");
    }
    assert_eq!(clean[0].len(), 20);
}

#[test]
fn csv_keeps_every_number() {
    let source = written(40, 16);
    let table = Table::open(&source).unwrap();
    for separator in [',', ';', '\t', '|'] {
        let file = Scratch::new("csv");
        let summary = to_csv(&table, &file, &CsvOptions::default().separator(separator)).unwrap();
        assert_eq!((summary.rows, summary.columns), (40, 4));
        let read = Table::open(&file).unwrap();
        assert_eq!(read.kind(), FileKind::Csv);
        for (a, b) in read.columns().iter().zip(columns()) {
            assert_eq!((&a.name, &a.unit), (&b.name, &b.unit));
        }
        assert_rows(&read, 40);
    }
}

#[test]
fn csv_text_and_selection() {
    let source = written(3, 16);
    let file = Scratch::new("csv");
    let table = Table::open(&source).unwrap();
    let options = CsvOptions::of(&["*angle".to_string()]);
    to_csv(&table, &file, &options).unwrap();
    let text = String::from_utf8(file.bytes()).unwrap();
    let wanted = format!(
        "t [s],crank.angle [rad]\n0,0\n0.01,{}\n0.02,{}\n",
        row(1)[1],
        row(2)[1]
    );
    assert_eq!(text, wanted);
    let bad = CsvOptions::default().separator('e');
    assert!(matches!(to_csv(&table, &file, &bad), Err(Error::Setting { .. })));
}

#[test]
fn csv_of_others() {
    let open = |text: &str| Table::open(&Scratch::with("csv", text.as_bytes()).0);
    let kept = Scratch::with(
        "csv",
        "\u{feff}# made by hand\r\ntime;x [m]\r\n0; 1\r\n\r\n1;\r\n2;nan".as_bytes(),
    );
    let table = Table::open(&kept).unwrap();
    assert_eq!(table.columns()[1], Column::new("x", "m", ""));
    assert!(table.column("x").unwrap()[1..].iter().all(|x| x.is_nan()));
    assert!(table.is_complete());
    let message = |text: &str| open(text).err().unwrap().to_string();
    assert!(message("1,2\n3,4\n").contains("line of headings"));
    assert!(message("t,x\n1,2\n3\n").contains("line 3: 1 cells under 2 headings"));
    assert!(message("t,x\n1,two\n3,4\n").contains("`two` in cell 2"));
    assert!(message("t,t\n1,2\n").contains("two columns"));
    assert!(message("\n\n").contains("headings"));
    let cut = open("t,x\n0,1\n1,2\n2").unwrap();
    let loss = cut.lost().unwrap();
    assert_eq!(
        (&loss.reason, loss.row, loss.bytes),
        (&LossReason::Truncated, 2, 1)
    );
}

#[test]
fn other_files_are_refused() {
    for bytes in [&b""[..], &b"\0\x01\x02"[..], &b"\x89PNG\r\n\x1a\n\0\0"[..]] {
        let error = Table::open(&Scratch::with("bin", bytes).0).err().unwrap();
        assert!(matches!(error, Error::NotRecognised { .. }), "{error}");
    }
    assert!(matches!(Table::open("/no/such/file"), Err(Error::Io { .. })));
    let cut = parquet(20).bytes();
    let error = Table::open(&Scratch::with("parquet", &cut[..cut.len() - 3]).0)
        .err()
        .unwrap();
    assert!(error.to_string().contains("export it again"), "{error}");
}

fn sampled(step: f64, end: f64, function: impl Fn(f64) -> f64) -> Scratch {
    let file = Scratch::new("arrows");
    let columns = [
        Column::time(),
        Column::new("x", "m", ""),
        Column::new(format!("only.{step}"), "", ""),
    ];
    let mut writer = Writer::create(&file, &columns, &Metadata::new(), &WriterOptions::default()).unwrap();
    let mut index = 0.0;
    while index * step <= end {
        writer.push(&[index * step, function(index * step), 0.0]).unwrap();
        index += 1.0;
    }
    writer.finish().unwrap();
    file
}

#[test]
fn comparison_on_different_times() {
    let (a, b) = (
        sampled(0.01, 2.0, f64::sin),
        sampled(0.013, 1.5, |t| t.sin() + 1e-3 * t),
    );
    let (a, b) = (Table::open(&a).unwrap(), Table::open(&b).unwrap());
    let found = compare(&a, &b, &CompareOptions::default()).unwrap();
    assert!(!found.same_times && found.channels.len() == 1);
    assert_eq!(
        (&*found.only_first[0].name, &*found.only_second[0].name),
        ("only.0.01", "only.0.013")
    );
    let x = &found.channels[0];
    assert!((x.max_abs - 1e-3 * found.interval.1).abs() < 1e-8, "{x:?}");
    assert!(found.interval.1 > 1.47 && found.interval.1 <= 1.5 && x.at == found.interval.1);
    assert!(
        (x.rms - 1e-3 * found.interval.1 / 3.0_f64.sqrt()).abs() < 1e-5,
        "{x:?}"
    );
    // Straight lines are off by up to h²/8.
    let linear = CompareOptions::default().interpolation(Interpolation::Linear);
    let linear = compare(&a, &b, &linear).unwrap();
    assert!((linear.channels[0].max_abs - x.max_abs).abs() < 0.013 * 0.013 / 8.0);
    assert!(linear.channels[0].max_abs != x.max_abs);
}

#[test]
fn comparison_with_itself_and_refusals() {
    let source = written(30, 8);
    let table = Table::open(&source).unwrap();
    let converted = parquet(30);
    let same = compare(
        &table,
        &Table::open(&converted).unwrap(),
        &CompareOptions::default(),
    )
    .unwrap();
    assert!(same.same_times && same.rows == 30 && same.channels.len() == 3);
    assert!(
        same.channels
            .iter()
            .all(|channel| channel.max_abs == 0.0 && channel.rms == 0.0)
    );
    assert_eq!(same.worst().map(|channel| channel.relative), Some(0.0));
    let chosen = CompareOptions::default().columns(vec!["crank.a*".to_string()]);
    assert_eq!(compare(&table, &table, &chosen).unwrap().channels.len(), 1);
    let unknown = CompareOptions::default().columns(vec!["nothing".to_string()]);
    assert!(matches!(
        compare(&table, &table, &unknown),
        Err(Error::NoMatch { .. })
    ));
    let late = Scratch::with("csv", b"t,x\n7,1\n8,1\n");
    let error = compare(&table, &Table::open(&late).unwrap(), &CompareOptions::default())
        .err()
        .unwrap();
    assert!(matches!(error, Error::NoOverlap { .. }), "{error}");
    let back = Scratch::with("csv", b"t,x\n1,1\n0.5,1\n");
    let back = Table::open(&back).unwrap();
    assert!(matches!(
        compare(&back, &back, &CompareOptions::default()),
        Err(Error::Time { row: 1, .. })
    ));
}

/// Opens a file and reads whatever can be read.
fn read_all(file: &Scratch) {
    if let Ok(table) = Table::open(file)
        && let Ok(chunks) = table.chunks()
    {
        for chunk in chunks.take(1000) {
            if chunk.is_err() {
                break;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_files_never_panic(
        which in 0..3_usize,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<prop::sample::Index>(),
        whether in any::<bool>(),
    ) {
        thread_local! {
            static FILES: [Vec<u8>; 3] = {
                let source = written(20, 8);
                let csv = Scratch::new("csv");
                to_csv(&Table::open(&source).unwrap(), &csv, &CsvOptions::default()).unwrap();
                // Without its checksum keys, a stream is read like one of other software.
                let text = source.bytes();
                let mut plain = text.clone();
                for key in [&b"holonom.crc32"[..], &b"holonom.checksum"[..]] {
                    while let Some(at) = plain.windows(key.len()).position(|bytes| bytes == key) {
                        plain[at] = b'x';
                    }
                }
                [plain, parquet(20).bytes(), csv.bytes()]
            };
        }
        let mut bytes = FILES.with(|files| files[which].clone());
        for (place, value) in changes {
            let at = place.index(bytes.len());
            bytes[at] = value;
        }
        if whether {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_all(&Scratch::with("bin", &bytes));
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        start in 0..4_usize,
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let magic = [&b"\xff\xff\xff\xff"[..], b"ARROW1\0\0\xff\xff\xff\xff", b"PAR1", b"t,x\n"][start];
        let mut all = [magic, &bytes].concat();
        if start == 2 {
            all.extend((bytes.len() as u32).to_le_bytes());
            all.extend(b"PAR1");
        }
        read_all(&Scratch::with("bin", &all));
    }
}

/// Every format that results can be exported to: whole, or nothing; equal tables give equal files; what another program wrote
/// under the name is told apart.
#[test]
fn every_format_of_the_registry_writes() {
    let source = written(40, 16);
    let table = Table::open(&source).unwrap();
    for format in FORMATS {
        let [first, second] = [Scratch::new(format.ending), Scratch::new(format.ending)];
        let summary = format.export(&table, &first, &[]).unwrap();
        assert_eq!((summary.rows, summary.columns), (40, 4), "{}", format.name);
        assert_eq!(summary.bytes, first.bytes().len() as u64, "{}", format.name);
        format.export(&table, &second, &[]).unwrap();
        assert_eq!(first.bytes(), second.bytes(), "{}", format.name);
        assert!(format.is_result(&first.0), "{}", format.name);
        let other = Scratch::with(format.ending, b"my notes on this run");
        assert!(!format.is_result(&other.0), "{}", format.name);
        let chosen = format.export(&table, &second, &["*angle".to_string()]);
        match format.selects {
            true => assert_eq!(chosen.unwrap().columns, 2, "{}", format.name),
            false => assert!(matches!(chosen, Err(Error::Setting { .. })), "{}", format.name),
        }
        let nowhere = format.export(&table, "no/such/folder/run", &[]);
        assert!(matches!(nowhere, Err(Error::Io { .. })), "{}", format.name);
    }
}
