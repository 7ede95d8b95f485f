//! The Magic Formula with the coefficients of PAC2002.

use super::smooth::{at_least, at_most, quotient};
use super::{Contact, Forces, bounded};
use holonom_algebra::Real;

/// What a number of a file is: its powers of length, force, time, angle and mass decide the conversion
/// of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coefficient {
    /// Section of the file.
    pub section: &'static str,
    /// Key in it.
    pub key: &'static str,
    /// Exponents of length, force, time, angle and mass in its unit.
    pub unit: [i32; 5],
    /// It must be in the file.
    pub required: bool,
    /// Many files do without it: nothing is said where it is absent.
    pub rare: bool,
}

macro_rules! coefficients {
    ($($section:literal $unit:tt: $($field:ident $key:literal $need:tt,)*;)*) => {
        /// A tyre by the Magic Formula: coefficients under the names of PAC2002, in SI units.
        ///
        /// Pure and combined slip, camber, aligning and overturning moment, rolling resistance and
        /// relaxation lengths as in H. B. Pacejka, Tyre and Vehicle Dynamics, 2nd edition (2006),
        /// section 4.3.2, with the scaling factors λ (keys `L…`). The terms `QSX4` to `QSX11` and `QSY5` to
        /// `QSY8` are those of I. J. M. Besselink, A. J. C. Schmeitz, H. B. Pacejka, Vehicle System Dynamics
        /// 48:S1 (2010) 337–352. The pressure (`INFLPRES`, `NOMPRES`) counts for `QSY8` alone. Turn slip and
        /// the other coefficients of the pressure are left out. Beyond the bounds of the load
        /// (`FZMIN` or a thousandth of the nominal load, `FZMAX`), of the slips (`KPUMIN`, `KPUMAX`, `ALPMIN`,
        /// `ALPMAX`) and of the camber (`CAMMIN`, `CAMMAX`) the friction coefficients stay as they are there.
        ///
        /// The last digit of `USE_MODE` says what is computed: 0 no force besides the load; 1 F_x and M_y; 2
        /// F_y, M_x and M_z; 3 all, each for its own slip; others all, for combined slip. Negative values are
        /// for the mirror image.
        ///
        /// ```
        /// use holonom_multibody::tyre::{Contact, MagicFormula};
        /// let tyre = MagicFormula {
        ///     fnomin: 4000.0, pcx1: 1.6, pdx1: 1.1, pkx1: 22.0, pcy1: 1.3, pdy1: 1.0, pky1: -14.0, pky2: 1.6,
        ///     ..MagicFormula::default()
        /// };
        /// let slope = tyre.forces(&Contact { load: 4000.0, kappa: 1e-6, ..Contact::default() });
        /// assert!((slope.longitudinal - 22.0 * 4000.0 * 1e-6).abs() < 1e-9);
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct MagicFormula {
            $($(#[doc = concat!("`", $key, "` of section `", $section, "`.")] pub $field: f64,)*)*
        }

        impl Default for MagicFormula {
            /// Everything zero, factors one, no bounds.
            fn default() -> Self {
                Self { $($($field: coefficients!(@default $need),)*)* }
            }
        }

        impl MagicFormula {
            /// All coefficients in the order of [`MagicFormula::values`].
            pub const COEFFICIENTS: &'static [Coefficient] = &[$($(Coefficient {
                section: $section,
                key: $key,
                unit: $unit,
                required: coefficients!(@required $need),
                rare: coefficients!(@rare $need),
            },)*)*];

            /// Values of all coefficients.
            pub fn values(&self) -> Vec<f64> {
                vec![$($(self.$field,)*)*]
            }

            /// Places of all coefficients.
            pub(super) fn values_mut(&mut self) -> Vec<&mut f64> {
                vec![$($(&mut self.$field,)*)*]
            }
        }
    };
    (@default !) => { 0.0 };
    (@default $number:literal) => { $number };
    (@default [$number:expr]) => { $number };
    (@default ($number:expr)) => { $number };
    (@rare ($number:expr)) => { true };
    (@rare $other:tt) => { false };
    (@required !) => { true };
    (@required $other:tt) => { false };
}

// `!` is a key that must be there, a number the default of one that may be missing, in parentheses that of
// one that many files do without.
coefficients! {
    "MODEL" [1, 0, -1, 0, 0]: longvl "LONGVL" 16.7,;
    "MODEL" [0, 0, 0, 0, 0]: use_mode "USE_MODE" (14.0),;
    "DIMENSION" [1, 0, 0, 0, 0]: unloaded_radius "UNLOADED_RADIUS" !, width "WIDTH" 0.0, rim_radius "RIM_RADIUS" 0.0,;
    "VERTICAL" [-1, 1, 0, 0, 0]: vertical_stiffness "VERTICAL_STIFFNESS" !,;
    "VERTICAL" [-1, 1, 1, 0, 0]: vertical_damping "VERTICAL_DAMPING" 0.0,;
    "VERTICAL" [0, 1, 0, 0, 0]: fnomin "FNOMIN" !,;
    "VERTICAL" [0, 0, 0, 0, 0]: breff "BREFF" 0.0, dreff "DREFF" 0.0, freff "FREFF" 0.0,;
    "VERTICAL" [0, 0, 0, 0, 0]: qfz1 "QFZ1" (0.0), qfz2 "QFZ2" (0.0),;
    "OPERATING_CONDITIONS" [0, 0, 0, 0, 0]: inflpres "INFLPRES" (0.0), nompres "NOMPRES" (0.0),;
    "VERTICAL_FORCE_RANGE" [0, 1, 0, 0, 0]: fzmin "FZMIN" (0.0), fzmax "FZMAX" [f64::INFINITY],;
    "INCLINATION_ANGLE_RANGE" [0, 0, 0, 1, 0]: cammin "CAMMIN" [f64::NEG_INFINITY], cammax "CAMMAX" [f64::INFINITY],;
    "LONG_SLIP_RANGE" [0, 0, 0, 0, 0]: kpumin "KPUMIN" (f64::NEG_INFINITY), kpumax "KPUMAX" (f64::INFINITY),;
    "SLIP_ANGLE_RANGE" [0, 0, 0, 1, 0]: alpmin "ALPMIN" (f64::NEG_INFINITY), alpmax "ALPMAX" (f64::INFINITY),;
    "SCALING_COEFFICIENTS" [0, 0, 0, 0, 0]: lfz0 "LFZO" 1.0, lcx "LCX" 1.0, lmux "LMUX" 1.0, lex "LEX" 1.0,
        lkx "LKX" 1.0, lhx "LHX" 1.0, lvx "LVX" 1.0, lgax "LGAX" 1.0, lcy "LCY" 1.0, lmuy "LMUY" 1.0,
        ley "LEY" 1.0, lky "LKY" 1.0, lhy "LHY" 1.0, lvy "LVY" 1.0, lgay "LGAY" 1.0, ltr "LTR" 1.0,
        lres "LRES" 1.0, lgaz "LGAZ" 1.0, lxal "LXAL" 1.0, lyka "LYKA" 1.0, lvyka "LVYKA" 1.0, ls "LS" 1.0,
        lsgkp "LSGKP" 1.0, lsgal "LSGAL" 1.0, lmx "LMX" 1.0, lvmx "LVMX" 1.0, lmy "LMY" 1.0,
        lcz "LCZ" 1.0, lgyr "LGYR" (1.0),;
    "LONGITUDINAL_COEFFICIENTS" [0, 0, 0, 0, 0]: pcx1 "PCX1" !, pdx1 "PDX1" !, pdx2 "PDX2" 0.0, pdx3 "PDX3" 0.0,
        pex1 "PEX1" 0.0, pex2 "PEX2" 0.0, pex3 "PEX3" 0.0, pex4 "PEX4" 0.0, pkx1 "PKX1" !, pkx2 "PKX2" 0.0,
        pkx3 "PKX3" 0.0, phx1 "PHX1" 0.0, phx2 "PHX2" 0.0, pvx1 "PVX1" 0.0, pvx2 "PVX2" 0.0, rbx1 "RBX1" 0.0,
        rbx2 "RBX2" 0.0, rcx1 "RCX1" 0.0, rex1 "REX1" 0.0, rex2 "REX2" 0.0, rhx1 "RHX1" 0.0, ptx1 "PTX1" 0.0,
        ptx2 "PTX2" 0.0, ptx3 "PTX3" 0.0,;
    "OVERTURNING_COEFFICIENTS" [0, 0, 0, 0, 0]: qsx1 "QSX1" 0.0, qsx2 "QSX2" 0.0, qsx3 "QSX3" 0.0,
        qsx4 "QSX4" (0.0), qsx5 "QSX5" (0.0), qsx6 "QSX6" (0.0), qsx7 "QSX7" (0.0), qsx8 "QSX8" (0.0), qsx9 "QSX9" (0.0),
        qsx10 "QSX10" (0.0), qsx11 "QSX11" (0.0),;
    "LATERAL_COEFFICIENTS" [0, 0, 0, 0, 0]: pcy1 "PCY1" !, pdy1 "PDY1" !, pdy2 "PDY2" 0.0, pdy3 "PDY3" 0.0,
        pey1 "PEY1" 0.0, pey2 "PEY2" 0.0, pey3 "PEY3" 0.0, pey4 "PEY4" 0.0, pky1 "PKY1" !, pky2 "PKY2" !,
        pky3 "PKY3" 0.0, phy1 "PHY1" 0.0, phy2 "PHY2" 0.0, phy3 "PHY3" 0.0, pvy1 "PVY1" 0.0, pvy2 "PVY2" 0.0,
        pvy3 "PVY3" 0.0, pvy4 "PVY4" 0.0, rby1 "RBY1" 0.0, rby2 "RBY2" 0.0, rby3 "RBY3" 0.0, rcy1 "RCY1" 0.0,
        rey1 "REY1" 0.0, rey2 "REY2" 0.0, rhy1 "RHY1" 0.0, rhy2 "RHY2" 0.0, rvy1 "RVY1" 0.0, rvy2 "RVY2" 0.0,
        rvy3 "RVY3" 0.0, rvy4 "RVY4" 0.0, rvy5 "RVY5" 0.0, rvy6 "RVY6" 0.0, pty1 "PTY1" 0.0, pty2 "PTY2" 0.0,;
    "ROLLING_COEFFICIENTS" [0, 0, 0, 0, 0]: qsy1 "QSY1" 0.0, qsy2 "QSY2" 0.0, qsy3 "QSY3" 0.0, qsy4 "QSY4" 0.0,
        qsy5 "QSY5" (0.0), qsy6 "QSY6" (0.0), qsy7 "QSY7" (0.0), qsy8 "QSY8" (0.0),;
    "ALIGNING_COEFFICIENTS" [0, 0, 0, 0, 0]: qbz1 "QBZ1" 0.0, qbz2 "QBZ2" 0.0, qbz3 "QBZ3" 0.0, qbz4 "QBZ4" 0.0,
        qbz5 "QBZ5" 0.0, qbz9 "QBZ9" 0.0, qbz10 "QBZ10" 0.0, qcz1 "QCZ1" 0.0, qdz1 "QDZ1" 0.0, qdz2 "QDZ2" 0.0,
        qdz3 "QDZ3" 0.0, qdz4 "QDZ4" 0.0, qdz6 "QDZ6" 0.0, qdz7 "QDZ7" 0.0, qdz8 "QDZ8" 0.0, qdz9 "QDZ9" 0.0,
        qez1 "QEZ1" 0.0, qez2 "QEZ2" 0.0, qez3 "QEZ3" 0.0, qez4 "QEZ4" 0.0, qez5 "QEZ5" 0.0, qhz1 "QHZ1" 0.0,
        qhz2 "QHZ2" 0.0, qhz3 "QHZ3" 0.0, qhz4 "QHZ4" 0.0, ssz1 "SSZ1" 0.0, ssz2 "SSZ2" 0.0, ssz3 "SSZ3" 0.0,
        ssz4 "SSZ4" 0.0, qtz1 "QTZ1" (0.0),;
    "ALIGNING_COEFFICIENTS" [0, 0, 0, 0, 1]: mbelt "MBELT" (0.0),;
}

/// Share of the nominal load below which forces are proportional to the load.
const LOWEST: f64 = 1e-3;

/// Bx − E (Bx − atan Bx).
fn bent<T: Real>(x: T, e: T) -> T {
    x - e * (x - x.atan())
}

/// sign x of a number whose value at zero does not matter.
fn sign<T: Real>(x: T) -> f64 {
    if x.value() < 0.0 { -1.0 } else { 1.0 }
}

/// What `USE_MODE` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Computed {
    /// The load alone.
    Nothing,
    /// F_x and M_y.
    Longitudinal,
    /// F_y, M_x and M_z.
    Lateral,
    /// All, each for its own slip.
    Apart,
    /// All, for combined slip.
    Combined,
}

impl Computed {
    fn by(use_mode: f64) -> Self {
        match use_mode.abs() % 10.0 {
            0.0 => Self::Nothing,
            1.0 => Self::Longitudinal,
            2.0 => Self::Lateral,
            3.0 => Self::Apart,
            _ => Self::Combined,
        }
    }
}

/// What pure lateral slip gives.
struct Lateral<T> {
    force: T,
    /// B C of the formula.
    bc: T,
    friction: T,
    stiffness: T,
    /// S_Hy + S_Vy/K_y.
    shift: T,
}

impl MagicFormula {
    /// Forces at a contact.
    pub fn forces<T: Real>(&self, contact: &Contact<T>) -> Forces<T> {
        let p = self;
        let nominal = p.fnomin * p.lfz0;
        let (fz, share) = bounded(contact.load, self.load_range());
        let dfz = fz / nominal - 1.0;
        let gamma = at_most(at_least(contact.camber, p.cammin), p.cammax);
        let kappa = at_most(at_least(contact.kappa, p.kpumin), p.kpumax);
        let tan = contact.lateral;
        let angle = tan.atan();
        let alpha = at_most(at_least(angle, p.alpmin), p.alpmax);
        let cos_alpha = match angle.value() == alpha.value() {
            true => (tan.square() + 1.0).sqrt().recip(),
            false => alpha.cos(),
        };
        let mu = contact.friction;
        let computed = Computed::by(p.use_mode);

        // Longitudinal: pure slip, then the weight of the slip angle.
        let (fx0, kx) = p.longitudinal(fz, dfz, gamma, kappa, mu);
        let b = ((kappa * p.rbx2).square() + 1.0).sqrt().recip() * (p.rbx1 * p.lxal);
        let e = at_most(dfz * p.rex2 + p.rex1, 1.0);
        let weight = |x: T| (bent(b * x, e).atan() * p.rcx1).cos();
        let fx = match computed {
            Computed::Nothing | Computed::Lateral => T::zero(),
            Computed::Longitudinal | Computed::Apart => fx0,
            Computed::Combined => fx0 * weight(alpha + p.rhx1) / weight(T::constant(p.rhx1)),
        };

        // Lateral: pure slip, the weight of κ and the force that κ brings.
        let lateral = p.lateral(fz, dfz, gamma, alpha, mu);
        let b = (((alpha - p.rby3) * p.rby2).square() + 1.0).sqrt().recip() * (p.rby1 * p.lyka);
        let e = at_most(dfz * p.rey2 + p.rey1, 1.0);
        let shift = dfz * p.rhy2 + p.rhy1;
        let weight = |x: T| (bent(b * x, e).atan() * p.rcy1).cos();
        let combined = computed == Computed::Combined;
        let weighted = match combined {
            true => lateral.force * weight(kappa + shift) / weight(shift),
            false => lateral.force,
        };
        let d = lateral.friction * fz * (dfz * p.rvy2 + gamma * p.rvy3 + p.rvy1)
            / ((alpha * p.rvy4).square() + 1.0).sqrt();
        let brought = d * ((kappa * p.rvy6).atan() * p.rvy5).sin() * p.lvyka;
        let fy = if combined { weighted + brought } else { weighted };

        let arm = ((fy / p.fnomin) * p.ssz2 + (dfz * p.ssz4 + p.ssz3) * gamma + p.ssz1)
            * (p.unloaded_radius * p.ls);
        let ratio = quotient(kx, lateral.stiffness, 1e-12 * nominal);
        let slip = if combined {
            (ratio * kappa).square()
        } else {
            T::zero()
        };
        let [trail, residual, returning] = p.trail(fz, dfz, gamma, alpha, cos_alpha, slip, &lateral, mu);
        let carried = -trail * weighted * contact.rolling + residual;
        let aligning = if combined { carried + arm * fx } else { carried };

        let r = p.unloaded_radius;
        let speed = contact.speed / p.longvl;
        let relative = fz / p.fnomin;
        let tilted = gamma.square() * (relative * p.qsy6 + p.qsy5);
        let resistance =
            fx / p.fnomin * p.qsy2 + speed.abs() * p.qsy3 + speed.powi(4) * p.qsy4 + tilted + p.qsy1;
        let resistance = match p.qsy7 {
            0.0 => resistance,
            exponent => resistance * relative.powf(exponent),
        } * p.resistance_by_pressure();
        let side = fy / p.fnomin;
        let further = ((relative * p.qsx6).square().atan() * p.qsx5).cos()
            * (gamma * p.qsx7 + (side * p.qsx9).atan() * p.qsx8).sin()
            * p.qsx4
            + (relative * p.qsx11).atan() * gamma * p.qsx10;
        let overturning = (gamma * -p.qsx2 + side * p.qsx3 + further) * p.lmx + p.qsx1 * p.lvmx;
        let only = |counts: bool, x: T| if counts { x } else { T::zero() };
        let sideways = !matches!(computed, Computed::Nothing | Computed::Longitudinal);
        let lengthways = !matches!(computed, Computed::Nothing | Computed::Lateral);
        Forces {
            longitudinal: fx,
            lateral: only(sideways, fy),
            overturning: only(sideways, overturning * fz * r),
            resistance: only(lengthways, resistance * fz * (r * p.lmy)),
            aligning: only(sideways, aligning),
            gyration: only(sideways, returning * p.gyration()),
        }
        .scaled(share)
    }

    /// (p/p₀)^q_Sy8; one without both pressures.
    fn resistance_by_pressure(&self) -> f64 {
        match self.inflpres > 0.0 && self.nompres > 0.0 {
            true => (self.inflpres / self.nompres).powf(self.qsy8),
            false => 1.0,
        }
    }

    /// q_Tz1 λ_gyr m_belt, kg. It belongs to the transient modes, those with tens.
    fn gyration(&self) -> f64 {
        match self.use_mode.abs() >= 10.0 {
            true => self.qtz1 * self.lgyr * self.mbelt,
            false => 0.0,
        }
    }

    /// Loads between which the law is evaluated.
    fn load_range(&self) -> [f64; 2] {
        let low = self.fzmin.max(LOWEST * self.fnomin * self.lfz0);
        [low, self.fzmax.max(low)]
    }

    /// Vertical stiffness k and its growth k₂ of F_z = k δ + k₂ δ², from `QFZ1` and `QFZ2` where they are
    /// given, with `LCZ`.
    pub fn vertical(&self) -> [f64; 2] {
        let p = self;
        let by_radius = p.fnomin / p.unloaded_radius;
        let linear = match p.qfz1 {
            0.0 => p.vertical_stiffness,
            share => share * by_radius,
        };
        [linear * p.lcz, p.qfz2 * by_radius / p.unloaded_radius * p.lcz]
    }

    /// Whether the moment that F_x has about the axle besides its lever is among the data: `QSY2`.
    pub(crate) fn has_rolling_moment_by_force(&self) -> bool {
        self.qsy2 != 0.0
    }

    /// F_x0 of pure slip and its slope K_x.
    fn longitudinal<T: Real>(&self, fz: T, dfz: T, gamma: T, kappa: T, mu: f64) -> (T, T) {
        let p = self;
        let lmux = p.lmux * mu;
        let x = kappa + (dfz * p.phx2 + p.phx1) * p.lhx;
        let gamma = gamma * p.lgax;
        let d = fz * (dfz * p.pdx2 + p.pdx1) * (gamma.square() * -p.pdx3 + 1.0) * lmux;
        let e = ((dfz * p.pex3 + p.pex2) * dfz + p.pex1) * ((1.0 - p.pex4 * sign(x)) * p.lex);
        let k = fz * (dfz * p.pkx2 + p.pkx1) * (dfz * p.pkx3).exp() * p.lkx;
        let c = p.pcx1 * p.lcx;
        let b = quotient(k, d * c, 1e-9 * p.fnomin);
        let force = d * (bent(b * x, at_most(e, 1.0)).atan() * c).sin();
        (force + fz * (dfz * p.pvx2 + p.pvx1) * (p.lvx * lmux), k)
    }

    /// Pure lateral slip.
    fn lateral<T: Real>(&self, fz: T, dfz: T, gamma: T, alpha: T, mu: f64) -> Lateral<T> {
        let p = self;
        let lmuy = p.lmuy * mu;
        let nominal = p.fnomin * p.lfz0;
        let gamma = gamma * p.lgay;
        let friction = (dfz * p.pdy2 + p.pdy1) * (gamma.square() * -p.pdy3 + 1.0) * lmuy;
        let d = friction * fz;
        let stiffness = ((fz / (p.pky2 * nominal)).atan() * 2.0).sin()
            * (gamma.abs() * -p.pky3 + 1.0)
            * (p.pky1 * nominal * p.lky);
        let c = p.pcy1 * p.lcy;
        let b = quotient(stiffness, d * c, 1e-9 * p.fnomin);
        let shift = (dfz * p.phy2 + p.phy1) * p.lhy + gamma * p.phy3;
        let x = alpha + shift;
        let e = (dfz * p.pey2 + p.pey1) * ((gamma * p.pey4 + p.pey3) * -sign(x) + 1.0) * p.ley;
        let offset = fz * ((dfz * p.pvy2 + p.pvy1) * p.lvy + (dfz * p.pvy4 + p.pvy3) * gamma) * lmuy;
        Lateral {
            force: d * (bent(b * x, at_most(e, 1.0)).atan() * c).sin() + offset,
            bc: b * c,
            friction,
            stiffness,
            shift: shift + quotient(offset, stiffness, 1e-12 * nominal),
        }
    }

    /// Pneumatic trail, residual moment, and the cos arctan(B_r α_r,eq) by which the residual moment and the
    /// gyroscopic one decrease over the slip; `slip` is (K_x κ/K_y)².
    #[allow(clippy::too_many_arguments)]
    fn trail<T: Real>(
        &self,
        fz: T,
        dfz: T,
        gamma: T,
        alpha: T,
        cos_alpha: T,
        slip: T,
        lateral: &Lateral<T>,
        mu: f64,
    ) -> [T; 3] {
        let p = self;
        let gamma = gamma * p.lgaz;
        let lmuy = p.lmuy * mu;
        let grip = if lmuy > 0.0 { p.lky / lmuy } else { 0.0 };
        // Only cosines follow: the sign of the equivalent slip does not matter, nor the corner at zero.
        let equivalent = |x: T| (x.tan().square() + slip + 1e-18).sqrt().atan();
        let x = alpha + dfz * p.qhz2 + p.qhz1 + (dfz * p.qhz4 + p.qhz3) * gamma;
        let b =
            ((dfz * p.qbz3 + p.qbz2) * dfz + p.qbz1) * (gamma * p.qbz4 + gamma.abs() * p.qbz5 + 1.0) * grip;
        let d = fz
            * (dfz * p.qdz2 + p.qdz1)
            * (gamma * (gamma * p.qdz4 + p.qdz3) + 1.0)
            * (p.unloaded_radius / p.fnomin * p.ltr);
        let bend = (b * x * p.qcz1).atan() * core::f64::consts::FRAC_2_PI;
        let e = ((dfz * p.qez3 + p.qez2) * dfz + p.qez1) * ((gamma * p.qez5 + p.qez4) * bend + 1.0);
        let trail = d * (bent(b * equivalent(x), at_most(e, 1.0)).atan() * p.qcz1).cos() * cos_alpha;
        let b = lateral.bc * p.qbz10 + p.qbz9 * grip;
        let d = fz
            * ((dfz * p.qdz7 + p.qdz6) * p.lres + (dfz * p.qdz9 + p.qdz8) * gamma)
            * (p.unloaded_radius * lmuy);
        let x = b * equivalent(alpha + lateral.shift);
        let returning = (x.square() + 1.0).sqrt().recip();
        [trail, d * returning * cos_alpha, returning]
    }

    /// Relaxation lengths along x and y, m; zero without the coefficients.
    ///
    /// σ_κ = F_z (p_Tx1 + p_Tx2 df_z) exp(−p_Tx3 df_z) (R₀/F_z0) λ_σκ. The minus sign is that of the equation
    /// manual of MF-Tyre 5.2 as MFeval and other programs quote it; the manual itself was not at hand. It fits
    /// published data, which have p_Tx2/p_Tx1 near p_Tx3: with a plus the length would grow with the second or
    /// third power of the load.
    pub fn relaxation<T: Real>(&self, load: T, camber: T) -> [T; 2] {
        let p = self;
        let nominal = p.fnomin * p.lfz0;
        let (fz, _) = bounded(load, self.load_range());
        let dfz = fz / nominal - 1.0;
        let x =
            fz * (dfz * p.ptx2 + p.ptx1) * (dfz * -p.ptx3).exp() * (p.unloaded_radius / p.fnomin * p.lsgkp);
        let y = if p.pty2 == 0.0 {
            T::zero()
        } else {
            ((fz / (p.pty2 * nominal)).atan() * 2.0).sin()
                * ((camber * p.lgay).abs() * -p.pky3 + 1.0)
                * (p.pty1 * p.unloaded_radius * p.lfz0 * p.lsgal)
        };
        [x, y]
    }

    /// Effective rolling radius at a deflection, m: r₀ − ρ₀ (D arctan(B ρ/ρ₀) + F ρ/ρ₀) with ρ₀ = F_z0/(C_z λ_Cz). C_z
    /// is `VERTICAL_STIFFNESS` also where `QFZ1` and `QFZ2` determine the load: it is the stiffness at the nominal
    /// load, to which the coefficients refer.
    pub fn rolling_radius<T: Real>(&self, deflection: T) -> T {
        let p = self;
        let unit = p.fnomin / (p.vertical_stiffness * p.lcz);
        let rho = deflection / unit;
        (rho * p.breff).atan() * (-p.dreff * unit) - rho * (p.freff * unit) + p.unloaded_radius
    }
}
