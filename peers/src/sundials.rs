//! What IDA and CVODE share: the handles of SUNDIALS and their life.

use core::ffi::{c_char, c_int, c_void};
use core::ptr::null_mut;
use core::slice;

/// Any of the library's handles: context, vector, matrix, linear solver.
pub type Handle = *mut c_void;
/// Takes the library's messages.
pub type ErrorFn = unsafe extern "C" fn(c_int, *const c_char, *const c_char, *mut c_char, *mut c_void);
/// Argument of the solvers: return at the time asked for, by interpolation.
pub const NORMAL: c_int = 1;
/// Answer of the solvers: the limit of steps was reached.
pub const TOO_MUCH_WORK: c_int = -1;

// SUNDIALS 6.4 as Debian builds it: realtype = double, sunindextype = int64_t, booleantype = int.
unsafe extern "C" {
    fn SUNContext_Create(communicator: *mut c_void, context: *mut Handle) -> c_int;
    fn SUNContext_Free(context: *mut Handle) -> c_int;
    fn N_VNew_Serial(length: i64, context: Handle) -> Handle;
    fn N_VGetArrayPointer(v: Handle) -> *mut f64;
    fn N_VDestroy(v: Handle);
    fn SUNDenseMatrix(rows: i64, columns: i64, context: Handle) -> Handle;
    fn SUNMatDestroy(matrix: Handle);
    fn SUNLinSol_Dense(template: Handle, matrix: Handle, context: Handle) -> Handle;
    fn SUNLinSolFree(solver: Handle) -> c_int;
}

/// The n entries of a serial vector.
///
/// # Safety
/// `v` is a serial vector of n entries which nothing else writes while the slice lives.
pub unsafe fn entries<'a>(v: Handle, n: usize) -> &'a mut [f64] {
    // SAFETY: what the caller promises.
    unsafe { slice::from_raw_parts_mut(N_VGetArrayPointer(v), n) }
}

/// A context, vectors, a dense matrix and its solver; freed together.
pub struct Parts {
    /// The context everything belongs to.
    pub context: Handle,
    /// The vectors asked for.
    pub vectors: Vec<Handle>,
    /// n × n.
    pub matrix: Handle,
    /// LU of `matrix`.
    pub solver: Handle,
}

impl Parts {
    /// Makes them for n unknowns.
    pub fn new(n: usize, vectors: usize) -> Result<Self, String> {
        let mut m = Self {
            context: null_mut(),
            vectors: Vec::new(),
            matrix: null_mut(),
            solver: null_mut(),
        };
        // SAFETY: plain constructors; each result is checked before it is used and freed by Drop.
        unsafe {
            if SUNContext_Create(null_mut(), &raw mut m.context) != 0 {
                return Err("SUNContext_Create failed".into());
            }
            for _ in 0..vectors {
                let v = N_VNew_Serial(n as i64, m.context);
                if v.is_null() {
                    return Err("N_VNew_Serial failed".into());
                }
                m.vectors.push(v);
            }
            m.matrix = SUNDenseMatrix(n as i64, n as i64, m.context);
            if m.matrix.is_null() {
                return Err("SUNDenseMatrix failed".into());
            }
            m.solver = SUNLinSol_Dense(m.vectors[0], m.matrix, m.context);
            if m.solver.is_null() {
                return Err("SUNLinSol_Dense failed".into());
            }
        }
        Ok(m)
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        // SAFETY: each handle was made by its constructor or is null and left alone.
        unsafe {
            if !self.solver.is_null() {
                SUNLinSolFree(self.solver);
            }
            if !self.matrix.is_null() {
                SUNMatDestroy(self.matrix);
            }
            for v in &self.vectors {
                N_VDestroy(*v);
            }
            if !self.context.is_null() {
                SUNContext_Free(&raw mut self.context);
            }
        }
    }
}
