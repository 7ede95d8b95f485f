//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with counts for each thread by itself, since tests run side by side.
///
/// A test installs it with
/// ```
/// #[global_allocator]
/// static ALLOCATOR: holonom_testing::Counting = holonom_testing::Counting;
/// # fn main() {
/// assert!(holonom_testing::allocations(|| drop(std::hint::black_box(vec![0u8; 100]))).count > 0);
/// # }
/// ```
#[derive(Debug)]
pub struct Counting;

/// What was allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// Number of requests.
    pub count: u64,
    /// Bytes requested.
    pub bytes: usize,
    /// Most bytes in use at a time.
    pub peak: usize,
    /// Bytes of the largest request.
    pub largest: usize,
    /// Bytes in use.
    now: usize,
}

thread_local! {
    static COUNTED: Cell<Allocations> = const {
        Cell::new(Allocations { count: 0, bytes: 0, peak: 0, largest: 0, now: 0 })
    };
}

/// Counts `more` bytes requested and `less` given back.
fn note(more: usize, less: usize, requests: u64) {
    // Not accessible while a thread ends, when nobody counts any more.
    let _ = COUNTED.try_with(|counted| {
        let mut all = counted.get();
        all.count += requests;
        all.bytes += more;
        all.largest = all.largest.max(more);
        all.now = (all.now + more).saturating_sub(less);
        all.peak = all.peak.max(all.now);
        counted.set(all);
    });
}

/// What this thread allocates while `f` runs; nothing unless the test has [`Counting`] installed.
pub fn allocations(f: impl FnOnce()) -> Allocations {
    COUNTED.set(Allocations::default());
    f();
    COUNTED.get()
}

/// What this thread has allocated since the last call of [`allocations`] began.
pub fn allocated() -> Allocations {
    COUNTED.get()
}

// SAFETY: hands every request on to the system's allocator unchanged; the counters are plain thread-local numbers that need
// no allocation themselves.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0, 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size(), 0, 1);
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size, layout.size(), 1);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(0, layout.size(), 0);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}
