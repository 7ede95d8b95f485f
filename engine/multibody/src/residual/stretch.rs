//! Where the entries of ∂F/∂ẏ come from, found once and for all.

/// Entries of ∂F/∂ẏ, one after the other in its pattern, that come from places at equal distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub source: Source,
    first: usize,
    distance: usize,
    pub count: usize,
}

/// What entries of ∂F/∂ẏ come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// They are 1.
    One,
    /// The mass matrix.
    Mass,
    /// The matrix of the constraints.
    Constraints,
    /// The slopes of what sensors read.
    Readings,
}

impl Stretch {
    /// Stretches of entries with these sources and places.
    pub fn of(entries: impl Iterator<Item = (Source, usize)>) -> Vec<Self> {
        let mut stretches: Vec<Self> = Vec::new();
        for (source, place) in entries {
            if let Some(last) = stretches.last_mut()
                && last.source == source
            {
                if last.count == 1 && place >= last.first {
                    last.distance = place - last.first;
                }
                if place == last.first + last.count * last.distance {
                    last.count += 1;
                    continue;
                }
            }
            stretches.push(Self {
                source,
                first: place,
                distance: 0,
                count: 1,
            });
        }
        stretches
    }

    /// The values at its places.
    pub fn fill(&self, from: &[f64], sign: f64, values: &mut [f64]) {
        if self.distance == 1 {
            for (value, from) in values.iter_mut().zip(&from[self.first..]) {
                *value = sign * from;
            }
        } else {
            for (k, value) in values.iter_mut().enumerate() {
                *value = sign * from[self.first + k * self.distance];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column of a symmetric matrix of which the lower triangle is stored: across to the diagonal, then down.
    #[test]
    fn stretches_give_back_their_entries() {
        let n = 5;
        let places = (0..n).flat_map(|j| (0..n).map(move |i: usize| i.min(j) * n + i.max(j)));
        let entries: Vec<(Source, usize)> = std::iter::once((Source::One, 0))
            .chain(places.map(|place| (Source::Mass, place)))
            .chain([
                (Source::Readings, 7),
                (Source::Readings, 3),
                (Source::Readings, 3),
            ])
            .collect();
        let stretches = Stretch::of(entries.iter().copied());
        assert!(stretches.len() < entries.len() / 2, "{stretches:?}");
        let from: Vec<f64> = (0..n * n).map(|x| x as f64).collect();
        let mut found = Vec::new();
        for stretch in &stretches {
            let mut values = vec![0.0; stretch.count];
            stretch.fill(&from, 1.0, &mut values);
            found.extend(values.iter().map(|x| (stretch.source, *x as usize)));
        }
        assert_eq!(found, entries);
    }
}
