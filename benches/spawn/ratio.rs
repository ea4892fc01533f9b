//! The figures of a row: medians, and how far the repeats lie apart.

/// The median over the repeats and their range.
#[derive(Clone, Copy)]
pub struct Ratio {
    pub median: f64,
    pub least: f64,
    pub most: f64,
    /// The subject's own time, in seconds: for orientation, it moves with the machine.
    pub seconds: f64,
}

impl Ratio {
    /// From each repeat's median ratio and median time.
    pub fn of(repeats: &[(f64, f64)]) -> Self {
        let ratios = || repeats.iter().map(|(ratio, _)| *ratio);
        Self {
            median: median(ratios().collect()),
            least: ratios().fold(f64::INFINITY, f64::min),
            most: ratios().fold(0.0, f64::max),
            seconds: median(repeats.iter().map(|(_, time)| *time).collect()),
        }
    }
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let upper = values.len() / 2;
    let lower = values.len().saturating_sub(1) / 2;
    match (values.get(lower), values.get(upper)) {
        (Some(lower), Some(upper)) => f64::midpoint(*lower, *upper),
        _ => f64::NAN,
    }
}
