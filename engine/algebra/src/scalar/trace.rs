//! A scalar that records on which inputs it depends: the sparsity of a Jacobian.
//!
//! [`Trace`] is a small handle; the sets of inputs live in an arena of the current thread for
//! the time of a [`Trace::scope`]. Equal sets are stored once and unions are remembered (hash
//! consing), so that the many operations of a residual cost one table look-up each.

use crate::{EachScalar, Family, Function, Fused, Real};
use core::cell::RefCell;
use core::cmp::Ordering;
use core::hash::{BuildHasherDefault, Hasher};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use core::sync::atomic::{AtomicU32, Ordering as Atomic};
use std::collections::HashMap;
use std::rc::Rc;

/// A value and the set of inputs it was computed from.
///
/// Dependencies are structural: `x - x` depends on `x`. Products are the exception, because
/// model constants are often zero: the product with the literal `0.0`, or with a `Trace`
/// constant of value zero, depends on nothing. Both branches of [`Real::select`] count; of an
/// `if` only the branch taken does, so trace at a representative point.
///
/// ```
/// use holonom_algebra::{Real, Trace};
/// Trace::scope_at(&[1.0, 2.0, 3.0], |x| {
///     let y = x[0].sin() * x[2] + x[1] * 0.0;
///     assert_eq!(y.dependencies().collect::<Vec<_>>(), [0, 2]);
///     assert_eq!(y.value(), 1.0f64.sin() * 3.0);
/// });
/// ```
///
/// A handle that meets another scope than its own (kept beyond the end, sent to another
/// thread, used in a nested scope) has lost its set. It is then taken to depend on every input
/// of its own scope and of the current one: nothing panics and no dependency is missed.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    value: f64,
    set: u32,
    /// The scope in which `set` has a meaning.
    scope: u32,
    /// How many inputs there are, for a set that is lost.
    inputs: u32,
}

/// The empty set, in every scope and outside.
const NOTHING: u32 = 0;
/// All inputs: what is left of a set that is not known in the current scope.
const EVERYTHING: u32 = u32::MAX;

/// Bits of the words from `first` on; words of zeros on both sides are not stored, because
/// residuals of long chains depend on neighbours only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct BitSet {
    first: usize,
    words: Rc<[u64]>,
}

impl BitSet {
    fn single(i: usize) -> Self {
        Self {
            first: i / 64,
            words: Rc::new([1 << (i % 64)]),
        }
    }

    /// The union of two sets, neither empty.
    fn union(&self, other: &Self) -> Self {
        let first = self.first.min(other.first);
        let end = (self.first + self.words.len()).max(other.first + other.words.len());
        let word = |set: &Self, i: usize| i.checked_sub(set.first).and_then(|i| set.words.get(i)).copied();
        Self {
            first,
            words: (first..end)
                .map(|i| word(self, i).unwrap_or(0) | word(other, i).unwrap_or(0))
                .collect(),
        }
    }

    fn contains(&self, i: usize) -> bool {
        let word = (i / 64).checked_sub(self.first).and_then(|w| self.words.get(w));
        word.is_some_and(|w| w >> (i % 64) & 1 == 1)
    }
}

/// Multiplicative hashing of whole words: the keys are our own, so no defence is needed.
#[derive(Default)]
struct WordHasher(u64);

impl WordHasher {
    fn word(&mut self, w: u64) {
        // 2⁶⁴ divided by the golden ratio (Knuth, TAOCP vol. 3, 6.4).
        self.0 = (self.0.rotate_left(26) ^ w).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }
    fn write_u64(&mut self, w: u64) {
        self.word(w);
    }
    fn write_usize(&mut self, w: usize) {
        self.word(w as u64);
    }
    fn finish(&self) -> u64 {
        // The table takes low bits; the product mixes best into the high ones.
        self.0 ^ (self.0 >> 32)
    }
}

type Table<K> = HashMap<K, u32, BuildHasherDefault<WordHasher>>;

/// The sets of one scope.
struct Arena {
    scope: u32,
    inputs: u32,
    sets: Vec<BitSet>,
    known: Table<BitSet>,
    unions: Table<u64>,
}

impl Arena {
    fn new(inputs: u32) -> Self {
        /// Names of scopes across all threads; 0 belongs to handles without a scope.
        static NEXT: AtomicU32 = AtomicU32::new(1);
        Self {
            scope: NEXT.fetch_add(1, Atomic::Relaxed).max(1),
            inputs,
            sets: vec![BitSet::default()],
            known: Table::default(),
            unions: Table::default(),
        }
    }

    fn intern(&mut self, set: BitSet) -> u32 {
        if let Some(known) = self.known.get(&set) {
            return *known;
        }
        // Four thousand million sets exceed every memory long before this saturates.
        let name = u32::try_from(self.sets.len()).unwrap_or(EVERYTHING);
        if name != EVERYTHING {
            self.sets.push(set.clone());
            self.known.insert(set, name);
        }
        name
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        let key = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
        if let Some(known) = self.unions.get(&key) {
            return *known;
        }
        let union = self.sets[a as usize].union(&self.sets[b as usize]);
        let name = self.intern(union);
        self.unions.insert(key, name);
        name
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Arena>> = const { RefCell::new(None) };
}

/// Something with the current arena; nothing outside a scope (or while the thread ends).
fn with_arena<R>(f: impl FnOnce(&mut Arena) -> R) -> Option<R> {
    let run = |cell: &RefCell<Option<Arena>>| cell.try_borrow_mut().ok()?.as_mut().map(f);
    CURRENT.try_with(run).ok().flatten()
}

/// Puts back the arena of the surrounding scope, also when the closure panics.
struct Restore(Option<Arena>);

impl Drop for Restore {
    fn drop(&mut self) {
        let outer = self.0.take();
        // A thread that ends has no arena to restore.
        let _ = CURRENT.try_with(|current| current.replace(outer));
    }
}

impl Trace {
    /// Runs `body` with `n` inputs of value zero; see [`Trace::scope_at`].
    ///
    /// ```
    /// use holonom_algebra::Trace;
    /// let band = Trace::scope(3, |x| (x[1] * 2.0 - x[2]).dependencies().collect::<Vec<_>>());
    /// assert_eq!(band, [1, 2]);
    /// ```
    pub fn scope<R>(n: usize, body: impl FnOnce(&[Trace]) -> R) -> R {
        Self::scope_at(&vec![0.0; n], body)
    }

    /// Runs `body` with inputs of the given values.
    ///
    /// Read [`Trace::dependencies`] inside `body`. A scope within a scope stands alone.
    pub fn scope_at<R>(values: &[f64], body: impl FnOnce(&[Trace]) -> R) -> R {
        let arena = Arena::new(u32::try_from(values.len()).unwrap_or(u32::MAX));
        let outer = CURRENT.try_with(|current| current.replace(Some(arena)));
        let _restore = Restore(outer.ok().flatten());
        let inputs: Vec<_> = values
            .iter()
            .enumerate()
            .map(|(i, v)| Self::input(i, *v))
            .collect();
        body(&inputs)
    }

    /// Input `i` of the current scope, with the given value.
    ///
    /// Where there is no such input (no scope, or fewer inputs), the result counts as
    /// depending on all inputs up to `i` and all of the scope.
    pub fn input(i: usize, value: f64) -> Self {
        let number = u32::try_from(i).unwrap_or(u32::MAX);
        let known = with_arena(|arena| {
            let set = if number < arena.inputs {
                arena.intern(BitSet::single(i))
            } else {
                EVERYTHING
            };
            (set, arena.scope, arena.inputs)
        });
        let (set, scope, inputs) = known.unwrap_or((EVERYTHING, 0, 0));
        Self {
            value,
            set,
            scope,
            inputs: inputs.max(number.saturating_add(1)),
        }
    }

    /// The inputs on which the number depends, in rising order.
    pub fn dependencies(self) -> impl Iterator<Item = usize> {
        let (set, inputs) = match self.set {
            NOTHING => (Some(BitSet::default()), 0),
            _ => with_arena(|arena| {
                let known = self.set != EVERYTHING && self.scope == arena.scope;
                (known.then(|| arena.sets[self.set as usize].clone()), arena.inputs)
            })
            .unwrap_or((None, 0)),
        };
        let range = match &set {
            Some(set) => set.first * 64..(set.first + set.words.len()) * 64,
            None => 0..self.inputs.max(inputs) as usize,
        };
        range.filter(move |i| set.as_ref().is_none_or(|set| set.contains(*i)))
    }

    /// Whether the number depends on no input.
    pub fn is_constant(self) -> bool {
        self.set == NOTHING
    }

    /// A number of the given value that depends on what either operand depends on.
    fn join(self, other: Self, value: f64) -> Self {
        if other.set == NOTHING || (self.set == other.set && self.scope == other.scope) {
            let inputs = self.inputs.max(other.inputs);
            return Self {
                value,
                inputs,
                ..self
            };
        }
        if self.set == NOTHING {
            return other.with_value(value);
        }
        let (set, scope, inputs) = with_arena(|arena| {
            let known = |t: Self| t.set != EVERYTHING && t.scope == arena.scope;
            let all_known = known(self) && known(other);
            let set = if all_known {
                arena.union(self.set, other.set)
            } else {
                EVERYTHING
            };
            (set, arena.scope, arena.inputs)
        })
        .unwrap_or((EVERYTHING, 0, 0));
        Self {
            value,
            set,
            scope,
            inputs: inputs.max(self.inputs).max(other.inputs),
        }
    }

    /// A constant zero: what multiplies it does not matter.
    fn is_structural_zero(self) -> bool {
        self.set == NOTHING && self.value == 0.0
    }
}

/// Comparisons look at the value only: they decide branches.
impl PartialEq for Trace {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialOrd for Trace {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl Neg for Trace {
    type Output = Self;
    fn neg(self) -> Self {
        self.with_value(-self.value)
    }
}

impl Add for Trace {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        self.join(o, self.value + o.value)
    }
}

impl Sub for Trace {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self.join(o, self.value - o.value)
    }
}

impl Mul for Trace {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        let value = self.value * o.value;
        if self.is_structural_zero() || o.is_structural_zero() {
            return Self::constant(value);
        }
        self.join(o, value)
    }
}

impl Div for Trace {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let value = self.value / o.value;
        if self.is_structural_zero() {
            return Self::constant(value);
        }
        self.join(o, value)
    }
}

impl Add<f64> for Trace {
    type Output = Self;
    fn add(self, k: f64) -> Self {
        self.with_value(self.value + k)
    }
}

impl Sub<f64> for Trace {
    type Output = Self;
    fn sub(self, k: f64) -> Self {
        self.with_value(self.value - k)
    }
}

impl Mul<f64> for Trace {
    type Output = Self;
    fn mul(self, k: f64) -> Self {
        self * Self::constant(k)
    }
}

impl Div<f64> for Trace {
    type Output = Self;
    fn div(self, k: f64) -> Self {
        self.with_value(self.value / k)
    }
}

macro_rules! assign {
    ($($trait:ident $method:ident $by:ident $rhs:ty),* $(,)?) => {$(
        impl $trait<$rhs> for Trace {
            fn $method(&mut self, o: $rhs) {
                *self = (*self).$by(o);
            }
        }
    )*};
}
assign! {
    AddAssign add_assign add Self,
    SubAssign sub_assign sub Self,
    MulAssign mul_assign mul Self,
    DivAssign div_assign div Self,
    AddAssign add_assign add f64,
    SubAssign sub_assign sub f64,
    MulAssign mul_assign mul f64,
}

impl Fused<Self> for Trace {
    fn plus_product(self, a: Self, p: Self) -> Self {
        (self + a * p).with_value(self.value.plus_product(a.value, p.value))
    }
    fn minus_product(self, a: Self, p: Self) -> Self {
        (self - a * p).with_value(self.value.minus_product(a.value, p.value))
    }
}

impl Fused<f64> for Trace {
    fn plus_product(self, a: Self, p: f64) -> Self {
        self.plus_product(a, Self::constant(p))
    }
    fn minus_product(self, a: Self, p: f64) -> Self {
        self.minus_product(a, Self::constant(p))
    }
}

impl Real for Trace {
    type Orientation = crate::Mat3<Self>;
    type Turn = crate::SinCos<Self>;
    #[inline(never)]
    fn outlined<R>(f: impl FnOnce() -> R) -> R {
        f()
    }
    fn constant(value: f64) -> Self {
        Self {
            value,
            set: NOTHING,
            scope: 0,
            inputs: 0,
        }
    }
    fn value(self) -> f64 {
        self.value
    }
    fn with_value(self, value: f64) -> Self {
        Self { value, ..self }
    }
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = Real::sin_cos(self.value);
        (self.with_value(s), self.with_value(c))
    }
    fn turn(self) -> crate::SinCos<Self> {
        crate::SinCos::new(self)
    }
    fn sin(self) -> Self {
        self.with_value(Real::sin(self.value))
    }
    fn cos(self) -> Self {
        self.with_value(Real::cos(self.value))
    }
    fn tan(self) -> Self {
        self.with_value(self.value.tan())
    }
    fn atan(self) -> Self {
        self.with_value(self.value.atan())
    }
    fn atan2(self, x: Self) -> Self {
        self.join(x, self.value.atan2(x.value))
    }
    fn sqrt(self) -> Self {
        self.with_value(self.value.sqrt())
    }
    fn exp(self) -> Self {
        self.with_value(self.value.exp())
    }
    fn ln(self) -> Self {
        self.with_value(self.value.ln())
    }
    fn tanh(self) -> Self {
        self.with_value(self.value.tanh())
    }
    fn powi(self, n: i32) -> Self {
        if n == 0 {
            Self::one()
        } else {
            self.with_value(self.value.powi(n))
        }
    }
    fn powf(self, p: f64) -> Self {
        if p == 0.0 {
            Self::one()
        } else {
            self.with_value(self.value.powf(p))
        }
    }
    /// The value of the branch taken, the dependencies of both.
    fn select(condition: bool, a: Self, b: Self) -> Self {
        a.join(b, if condition { a.value } else { b.value })
    }
    fn is_finite(self) -> bool {
        self.value.is_finite()
    }
    fn call(function: &dyn Function, x: &[Self], y: &mut [Self]) {
        function.evaluate_trace(x, y);
    }
    fn member<F: Family>(each: &EachScalar<F>) -> F::Of<Self> {
        each.trace
    }
}
