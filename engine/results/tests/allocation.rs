//! A row costs no allocation, and a file that lies about its lengths gets no memory for it.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Scratch, columns, metadata, options, row, written};
use holonom_results::{Table, Writer, to_parquet};
use holonom_testing::{Counting, allocated, allocations};

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn rows_do_not_allocate() {
    let file = Scratch::new("arrows");
    let mut writer = Writer::create(&file, &columns(), &metadata(), &options(1000)).unwrap();
    (0..1000).for_each(|index| writer.push(&row(index)).unwrap());
    assert_eq!(writer.position().chunks, 1);
    let before = allocated().count;
    (1000..1999).for_each(|index| writer.push(&row(index)).unwrap());
    assert_eq!(allocated().count - before, 0);
    // The row that fills the chunk also writes it.
    writer.push(&row(1999)).unwrap();
    assert_eq!(writer.position().chunks, 2);
    assert!(
        allocated().count - before < 10,
        "{} allocations for a chunk",
        allocated().count - before
    );
}

/// Puts large numbers everywhere and reads what can be read. A page of 2²⁴ equal values is allowed,
/// but needs a dictionary, which these files do not have.
#[test]
fn lies_get_no_memory() {
    let source = written(20, 8);
    let parquet = Scratch::new("parquet");
    to_parquet(&Table::open(&source).unwrap(), &parquet).unwrap();
    let mut plain = source.bytes();
    for key in [&b"holonom.crc32"[..], &b"holonom.checksum"[..]] {
        while let Some(at) = plain.windows(key.len()).position(|bytes| bytes == key) {
            plain[at] = b'x';
        }
    }
    let mut opened = 0;
    for whole in [source.bytes(), plain, parquet.bytes()] {
        for at in 8..whole.len() - 4 {
            for lie in [[0xff, 0xff, 0xff, 0x7f], [0, 0, 0, 0x40]] {
                let mut bytes = whole.clone();
                bytes[at..at + 4].copy_from_slice(&lie);
                let file = Scratch::with("bin", &bytes);
                let all = allocations(|| {
                    if let Ok(table) = Table::open(&file) {
                        opened += 1;
                        let _ = table.columns_at(&[0, 1, 2, 3]);
                    }
                });
                let largest = all.largest;
                assert!(largest < 1 << 20, "{largest} bytes for a lie at byte {at}");
            }
        }
    }
    assert!(
        opened > 1000,
        "too few files could be opened to say much: {opened}"
    );
}
