//! The report: medians and ratios, in Markdown as in the documentation.

use super::config::{Log, NGINX, Series};
use crate::compare::median;

/// One measurement: the CPU time of a call, in microseconds.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    row: &'static str,
    in_flight: usize,
    series: Series,
    cpu_us: f64,
}

/// All measurements.
#[derive(Debug, Default)]
pub(crate) struct Table(Vec<Cell>);

impl Cell {
    pub(crate) fn new(row: &'static str, in_flight: usize, series: Series, cpu_us: f64) -> Self {
        Self { row, in_flight, series, cpu_us }
    }
}

impl Table {
    pub(crate) fn extend(&mut self, cells: Vec<Cell>) {
        self.0.extend(cells);
    }

    /// Returns each row with its number of calls in flight, in the order of the measurements.
    pub(crate) fn rows(&self) -> Vec<(&'static str, usize)> {
        let mut rows = Vec::new();
        for cell in &self.0 {
            if !rows.contains(&(cell.row, cell.in_flight)) {
                rows.push((cell.row, cell.in_flight));
            }
        }
        rows
    }

    fn rounds(&self, (row, in_flight): (&str, usize), (build, log): (&str, Log)) -> Vec<f64> {
        let is_wanted = |cell: &&Cell| {
            (cell.row, cell.in_flight) == (row, in_flight) && cell.series.0 == build && cell.series.1 == log
        };
        self.0.iter().filter(is_wanted).map(|cell| cell.cpu_us).collect()
    }

    fn median(&self, row: (&str, usize), series: (&str, Log)) -> Option<f64> {
        Some(median(self.rounds(row, series).into_iter())).filter(|median| median.is_finite())
    }

    /// Returns the median of the rounds' ratios. The measurements of one round met the same noise.
    pub(crate) fn ratio(&self, row: (&str, usize), of: (&str, Log), by: (&str, Log)) -> Option<f64> {
        let (of, by) = (self.rounds(row, of), self.rounds(row, by));
        Some(median(of.iter().zip(&by).map(|(of, by)| of / by))).filter(|ratio| ratio.is_finite())
    }

    pub(crate) fn report(&self, builds: &[String]) -> Vec<String> {
        let mut lines = vec![
            String::new(),
            "| CPU µs of a call | in flight | build | log on | log off | on by off | log on by nginx |"
                .to_owned(),
            "|---|---|---|---|---|---|---|".to_owned(),
        ];
        for row in self.rows() {
            for build in builds.iter().map(String::as_str) {
                let cells = [
                    shown(self.median(row, (build, Log::On)), ""),
                    shown(self.median(row, (build, Log::Off)), ""),
                    shown(self.ratio(row, (build, Log::On), (build, Log::Off)), "x"),
                    shown(self.ratio(row, (build, Log::On), (NGINX, Log::Off)), "x"),
                ];
                lines.push(format!("| {} | {} | {build} | {} |", row.0, row.1, cells.join(" | ")));
            }
            if let Some(nginx) = self.median(row, (NGINX, Log::Off)) {
                lines.push(format!("| {} | {} | nginx | - | {nginx:.1} | - | - |", row.0, row.1));
            }
        }
        lines.extend(self.compared(builds));
        lines
    }

    /// Returns the table that compares every other build with the first.
    fn compared(&self, builds: &[String]) -> Vec<String> {
        let Some((first, others @ [_, ..])) = builds.split_first() else { return Vec::new() };
        let mut lines = vec![
            String::new(),
            format!("| by `{first}` | in flight | build | log on | log off |"),
            "|---|---|---|---|---|".to_owned(),
        ];
        for row in self.rows() {
            for build in others {
                let ratio = |log| shown(self.ratio(row, (build, log), (first, log)), "x");
                let (on, off) = (ratio(Log::On), ratio(Log::Off));
                lines.push(format!("| {} | {} | {build} | {on} | {off} |", row.0, row.1));
            }
        }
        lines
    }
}

fn shown(number: Option<f64>, unit: &str) -> String {
    let digits = if unit.is_empty() { 1 } else { 2 };
    number.map_or_else(|| "-".to_owned(), |number| format!("{number:.digits$}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_the_median_of_the_ratios_of_the_rounds() {
        let cell = |build: &str, log, cpu_us| Cell::new("run", 1, (build.to_owned(), log), cpu_us);
        let mut table = Table::default();
        for (on, off) in [(20.0, 10.0), (90.0, 30.0), (10.0, 10.0)] {
            table.extend(vec![cell("new", Log::On, on), cell("new", Log::Off, off)]);
        }
        assert_eq!(table.ratio(("run", 1), ("new", Log::On), ("new", Log::Off)), Some(2.0));
        assert_eq!(table.ratio(("run", 1), ("new", Log::On), (NGINX, Log::Off)), None);
        let report = table.report(&["new".to_owned()]);
        assert_eq!(report.last().unwrap(), "| run | 1 | new | 20.0 | 10.0 | 2.00x | - |");
    }
}
