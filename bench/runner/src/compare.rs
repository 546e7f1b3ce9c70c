//! Medians over rounds, and ratios of ours to theirs.

use serde_json::Value;

/// One measurement of the load generator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Measured {
    pub(crate) per_second: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    /// Processor time of a call in microseconds, where the load generator can read it.
    pub(crate) cpu: Option<f64>,
}

/// Ratios of ours to theirs. Above 1 is better for throughput and worse for latencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratios(Measured);

impl Measured {
    /// Reads a line of the load generator. Returns `None` if an answer was bad, lost or duplicated.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line.trim()).ok()?;
        let number = |member: &str| value[member].as_f64();
        let wrong = number("bad")? + number("lost")? + number("stray")?;
        let good = wrong == 0.0 && number("calls")? > 0.0;
        good.then_some(Self {
            per_second: number("per_second")?,
            p50: number("p50_ms")?,
            p99: number("p99_ms")?,
            cpu: number("cpu_us"),
        })
    }

    pub(crate) fn median(rounds: &[Self]) -> Self {
        Self {
            per_second: median(rounds.iter().map(|round| round.per_second)),
            p50: median(rounds.iter().map(|round| round.p50)),
            p99: median(rounds.iter().map(|round| round.p99)),
            cpu: rounds
                .iter()
                .map(|round| round.cpu)
                .collect::<Option<Vec<_>>>()
                .map(|all| median(all.into_iter())),
        }
    }
}

impl Ratios {
    /// Returns the medians of the rounds' ratios. The measurements of one round met the same noise.
    pub(crate) fn of(ours: &[Measured], theirs: &[Measured]) -> Self {
        let rounds: Vec<Measured> = ours
            .iter()
            .zip(theirs)
            .map(|(ours, theirs)| Measured {
                per_second: ours.per_second / theirs.per_second,
                p50: ours.p50 / theirs.p50,
                p99: ours.p99 / theirs.p99,
                cpu: ours.cpu.zip(theirs.cpu).map(|(ours, theirs)| ours / theirs),
            })
            .collect();
        Self(Measured::median(&rounds))
    }

    pub(crate) fn throughput(&self) -> f64 {
        self.0.per_second
    }

    pub(crate) fn p50(&self) -> f64 {
        self.0.p50
    }

    pub(crate) fn cpu(&self) -> Option<f64> {
        self.0.cpu
    }

    /// Returns the figures that are worse than theirs by more than the tolerance.
    pub(crate) fn worse(&self, tolerance: f64) -> Vec<&'static str> {
        let mut worse = Vec::new();
        if self.0.per_second < 1.0 - tolerance {
            worse.push("throughput");
        }
        if self.0.p50 > 1.0 + tolerance {
            worse.push("p50");
        }
        if self.0.p99 > 1.0 + tolerance {
            worse.push("p99");
        }
        worse
    }

    pub(crate) fn row(&self, name: &str) -> String {
        let Self(Measured { per_second, p50, p99, .. }) = self;
        format!("{name:<34} {per_second:>9.2}x {p50:>9.2}x {p99:>9.2}x")
    }
}

impl Measured {
    pub(crate) fn row(&self, name: &str) -> String {
        let Self { per_second, p50, p99, .. } = self;
        format!("{name:<34} {per_second:>10.0} {p50:>10.3} {p99:>10.3}")
    }
}

pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(per_second: f64, p50: f64, p99: f64) -> Measured {
        Measured { per_second, p50, p99, cpu: None }
    }

    #[test]
    fn a_line_with_bad_answers_is_no_measurement() {
        let line = |bad: u32| {
            format!(
                r#"{{"calls":10,"bad":{bad},"lost":0,"stray":0,"per_second":5.0,"p50_ms":1.0,"p99_ms":2.0}}"#
            )
        };
        assert_eq!(Measured::read(&line(0)), Some(measured(5.0, 1.0, 2.0)));
        assert_eq!(Measured::read(&line(1)), None);
        assert_eq!(Measured::read("no JSON"), None);
    }

    #[test]
    fn ratios_are_medians_over_the_rounds() {
        let ours = [measured(20.0, 1.0, 1.0), measured(10.0, 1.0, 1.0), measured(30.0, 1.0, 9.0)];
        let theirs = [measured(10.0, 2.0, 1.0), measured(10.0, 2.0, 1.0), measured(10.0, 2.0, 1.0)];
        let ratios = Ratios::of(&ours, &theirs);
        assert_eq!(ratios, Ratios(measured(2.0, 0.5, 1.0)));
        assert!(ratios.worse(0.0).is_empty());
        assert_eq!(Ratios::of(&theirs, &ours).worse(0.1), ["throughput", "p50"]);
        assert_eq!(Ratios::of(&theirs, &ours).worse(1.0), [] as [&str; 0]);
    }

    #[test]
    fn processor_time_is_compared_where_every_round_has_it() {
        let with = |cpu| Measured { cpu, ..measured(1.0, 1.0, 1.0) };
        let ours = [with(Some(10.0)), with(Some(30.0)), with(Some(20.0))];
        assert_eq!(Measured::median(&ours).cpu, Some(20.0));
        assert_eq!(Ratios::of(&ours, &[with(Some(20.0)); 3]).cpu(), Some(1.0));
        assert_eq!(Ratios::of(&ours, &[with(Some(20.0)), with(None), with(Some(20.0))]).cpu(), None);
    }

    #[test]
    fn the_median_of_an_even_count_is_between() {
        assert!((median([4.0, 1.0, 2.0, 3.0].into_iter()) - 2.5).abs() < f64::EPSILON);
    }
}
