//! Numbers for tables.

/// A number for a table: short, with an exponent where that is shorter.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 || ((1e-3..1e6).contains(&size) && x == x.round()) {
        format!("{x}")
    } else if (1e-2..1e4).contains(&size) {
        let text = format!("{x:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        let text = format!("{x:.2e}");
        text.replace(".00e", "e")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (x, text) in [
            (400.0, "400"),
            (5e-5, "5e-5"),
            (11.2046, "11.205"),
            (-2.34, "-2.34"),
            (1.23456e-7, "1.23e-7"),
            (0.0, "0"),
        ] {
            assert_eq!(number(x), text);
        }
    }
}
