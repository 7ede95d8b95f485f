//! The start-up check of the processor.
//!
//! The numerical kernels are compiled for x86-64-v3. Asked through the standard macro, that fact
//! is a constant of the build; the question goes to the processor itself.

/// Refuses a processor that lacks instructions this build uses.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
pub fn check() -> Result<(), String> {
    let missing = x86::missing(x86::identify());
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "this build needs an x86-64-v3 processor (Intel from Haswell 2013, AMD from Excavator 2015), \
         but this one lacks {}; build from source without the `target-cpu` flag in .cargo/config.toml",
        missing.join(", ")
    ))
}

/// Other architectures are built without special instructions.
#[cfg(not(target_arch = "x86_64"))]
pub fn check() -> Result<(), String> {
    Ok(())
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::{__cpuid, __cpuid_count};

    /// The words that hold the features in question.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct Words {
        /// Leaf 1, ECX.
        pub leaf_1: u32,
        /// Leaf 7, EBX.
        pub leaf_7: u32,
        /// Leaf 0x8000_0001, ECX.
        pub extended: u32,
        /// XCR0: the registers the operating system saves; zero without OSXSAVE.
        pub saved: u32,
    }

    const OSXSAVE: u32 = 27;

    /// Reads the words.
    // `__cpuid` is an unsafe function up to Rust 1.93 and a safe one since.
    #[allow(unused_unsafe)]
    pub fn identify() -> Words {
        // SAFETY: every x86-64 processor has the instruction.
        let (basic, extended) = unsafe { (__cpuid(0).eax, __cpuid(0x8000_0000).eax) };
        let mut words = Words::default();
        if basic >= 1 {
            // SAFETY: the leaf exists.
            words.leaf_1 = unsafe { __cpuid(1).ecx };
        }
        if basic >= 7 {
            // SAFETY: the leaf exists.
            words.leaf_7 = unsafe { __cpuid_count(7, 0).ebx };
        }
        if extended >= 0x8000_0001 {
            // SAFETY: the leaf exists.
            words.extended = unsafe { __cpuid(0x8000_0001).ecx };
        }
        if words.leaf_1 >> OSXSAVE & 1 == 1 {
            // SAFETY: OSXSAVE says that XGETBV may be used.
            unsafe {
                core::arch::asm!("xgetbv", in("ecx") 0, out("eax") words.saved, out("edx") _,
                    options(nomem, nostack, preserves_flags));
            }
        }
        words
    }

    /// Names of the features that are not there.
    pub fn missing(words: Words) -> Vec<&'static str> {
        let features = [
            ("FMA", words.leaf_1, 12),
            ("MOVBE", words.leaf_1, 22),
            ("OSXSAVE", words.leaf_1, OSXSAVE),
            ("AVX", words.leaf_1, 28),
            ("F16C", words.leaf_1, 29),
            ("BMI1", words.leaf_7, 3),
            ("AVX2", words.leaf_7, 5),
            ("BMI2", words.leaf_7, 8),
            ("LZCNT", words.extended, 5),
            ("AVX registers saved by the operating system", words.saved, 2),
        ];
        let absent = features.iter().filter(|(_, word, bit)| word >> bit & 1 == 0);
        absent.map(|(name, ..)| *name).collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn each_feature_is_asked_for() {
            let all = Words {
                leaf_1: !0,
                leaf_7: !0,
                extended: !0,
                saved: !0,
            };
            assert!(missing(all).is_empty());
            let without_avx2 = Words {
                leaf_7: !(1 << 5),
                ..all
            };
            assert_eq!(missing(without_avx2), ["AVX2"]);
            assert_eq!(missing(Words::default()).len(), 10);
        }
    }
}
