//! Times kernels over swept parameters. Several kernels of a folder, on the same buffers, and several folders with equal
//! sweeps are measured in turns, so that their ratios come from one run. Where memory lies decides about a tenth of the time
//! of a small message, so what is compared closely belongs in one folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use crate::error::HostError;
use crate::folder::Folder;
use crate::launch::Bench;
use crate::launch::draw::{Drawn, draw};
use crate::run::{Needs, Target, buffer_bytes, fresh_seed, launch, open, prepare, team_for};
use crate::team::{Bounds, Team};

/// How folders are timed.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Number of PEs; `None` for the description's first.
    pub pes: Option<u32>,
    /// Seed of random parameters and contents.
    pub seed: Option<u64>,
    /// Counted launches, instead of the description's.
    pub repeats: Option<u32>,
    /// Bounds of waiting.
    pub bounds: Bounds,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchReport {
    /// The kernels, with their folders where there are several, in the order of the times.
    pub kernels: Vec<String>,
    /// What it ran on.
    pub devices: Vec<String>,
    /// Number of PEs.
    pub n_pes: u32,
    /// One for each combination of swept values.
    pub rows: Vec<BenchRow>,
}

/// One combination of swept values.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BenchRow {
    /// The swept parameters.
    pub parameters: BTreeMap<String, i64>,
    /// Microseconds an iteration, of each kernel.
    pub times: Vec<BenchTime>,
}

/// The time of one iteration, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BenchTime {
    /// Half of the launches took less.
    pub median: f64,
    /// The shortest.
    pub least: f64,
    /// The longest.
    pub greatest: f64,
}

/// Times the benchmark kernels of compiled folders on GPUs. `progress` is called with rows done and rows in all.
pub fn bench_folders(
    paths: &[PathBuf],
    options: &BenchOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<BenchReport, HostError> {
    let folders = paths.iter().map(|p| Folder::open(p, None)).collect::<Result<Vec<_>, _>>()?;
    let benches = folders.iter().map(bench_of).collect::<Result<Vec<_>, _>>()?;
    let (Some(first), Some(first_bench)) = (folders.first(), benches.first()) else {
        return Err(HostError::Misuse("no folder to time was named".into()));
    };
    let n_pes = first.pe_count(options.pes)?;
    let points = points(first, first_bench);
    for (folder, bench) in folders.iter().zip(&benches) {
        folder.pe_count(Some(n_pes))?;
        if self::points(folder, bench) != points {
            let help = format!("give `sweep` the same parameters and values as {}", first.description.source.file);
            return Err(HostError::Misuse(format!(
                "{} sweeps other values\n  = help: {help}",
                folder.description.source.file
            )));
        }
    }
    let seed = options.seed.unwrap_or_else(fresh_seed);
    let drawn = folders
        .iter()
        .zip(&benches)
        .map(|(f, b)| points.iter().map(|p| drawn_at(f, b, p, n_pes, seed)).collect::<Result<Vec<_>, _>>())
        .collect::<Result<Vec<_>, _>>()?;
    let mut teams = Vec::new();
    for (folder, drawn) in folders.iter().zip(&drawn) {
        let heap_bytes = drawn.iter().map(|d| buffer_bytes(folder, d)).max().unwrap_or(0);
        let needs = Needs { n_pes, heap_bytes, seed, memory: crate::run::Memory::Functional };
        teams.push(team_for(folder, needs, options.bounds, &mut |needs| open(Target::Cuda, needs))?);
    }
    let mut report = BenchReport {
        kernels: labels(paths, &folders, &benches),
        devices: teams.first().map(|t| t.backend().describe()).unwrap_or_default(),
        n_pes,
        rows: Vec::new(),
    };
    for (index, point) in points.iter().enumerate() {
        let at: Vec<&Drawn> = drawn.iter().map(|d| &d[index]).collect();
        let times = row(&folders, &benches, &mut teams, &at, options)?;
        report.rows.push(BenchRow { parameters: point.clone(), times });
        progress(index + 1, points.len());
    }
    Ok(report)
}

/// The kernels' names. A folder with one kernel gives it its own name; whole paths where two have the same name.
fn labels(paths: &[PathBuf], folders: &[Folder], benches: &[&Bench]) -> Vec<String> {
    let short =
        |p: &PathBuf| p.file_name().map_or_else(|| p.display().to_string(), |n| n.to_string_lossy().into_owned());
    let mut names: Vec<String> = paths.iter().map(short).collect();
    let unique: std::collections::BTreeSet<&String> = names.iter().collect();
    if unique.len() < names.len() {
        names = paths.iter().map(|p| p.display().to_string()).collect();
    }
    let kernel = |folder: &Folder, launch: usize| folder.description.launches[launch].kernel.value.clone();
    names
        .into_iter()
        .zip(folders.iter().zip(benches))
        .flat_map(|(name, (folder, bench))| match bench.launches.as_slice() {
            [_] => vec![name],
            several if paths.len() == 1 => several.iter().map(|l| kernel(folder, *l)).collect(),
            several => several.iter().map(|l| format!("{name}/{}", kernel(folder, *l))).collect(),
        })
        .collect()
}

fn bench_of(folder: &Folder) -> Result<&Bench, HostError> {
    folder.description.bench.as_ref().ok_or_else(|| {
        let source = &folder.description.source;
        let end = source.text.len().saturating_sub(1);
        source
            .error(&(end..end), "the launch description has no [bench]", "say which kernel is timed and what is swept")
            .into()
    })
}

/// Every combination of swept values; the last parameter changes fastest.
fn points(folder: &Folder, bench: &Bench) -> Vec<BTreeMap<String, i64>> {
    bench.sweep.iter().fold(vec![BTreeMap::new()], |points, (parameter, values)| {
        let name = &folder.description.parameters[*parameter].name.value;
        points
            .iter()
            .flat_map(|p| {
                values.iter().map(move |v| {
                    let mut p = p.clone();
                    p.insert(name.clone(), *v);
                    p
                })
            })
            .collect()
    })
}

fn drawn_at(
    folder: &Folder,
    bench: &Bench,
    point: &BTreeMap<String, i64>,
    n_pes: u32,
    seed: u64,
) -> Result<Drawn, HostError> {
    let parameters = &folder.description.parameters;
    let index = |name: &String| parameters.iter().position(|p| p.name.value == *name);
    let mut fixed: Vec<(usize, i64)> = point.iter().filter_map(|(name, value)| Some((index(name)?, *value))).collect();
    fixed.extend(bench.iterations);
    Ok(draw(&folder.description, n_pes, seed, &fixed)?)
}

/// One combination, on all folders in turns.
fn row(
    folders: &[Folder],
    benches: &[&Bench],
    teams: &mut [Team],
    drawn: &[&Drawn],
    options: &BenchOptions,
) -> Result<Vec<BenchTime>, HostError> {
    let mut prepared = Vec::new();
    for ((folder, team), drawn) in folders.iter().zip(teams.iter_mut()).zip(drawn) {
        prepared.push(prepare(folder, team, drawn)?);
    }
    let warmup = benches.iter().map(|b| b.warmup).max().unwrap_or(0);
    let repeats = options.repeats.unwrap_or_else(|| benches.iter().map(|b| b.repeats).max().unwrap_or(1)).max(1);
    let timed: Vec<(usize, usize)> = benches
        .iter()
        .enumerate()
        .flat_map(|(folder, bench)| bench.launches.iter().map(move |launch| (folder, *launch)))
        .collect();
    let mut samples = vec![Vec::new(); timed.len()];
    for round in 0..warmup + repeats {
        for (samples, (i, timed_launch)) in samples.iter_mut().zip(&timed) {
            let (folder, bench, team) = (&folders[*i], benches[*i], &mut teams[*i]);
            // What the kernel finds in its buffers is the same in every round.
            for (buffer, contents) in prepared[*i].buffers.iter().zip(&prepared[*i].initial) {
                for (pe, contents) in contents.iter().enumerate() {
                    team.write(buffer, pe as u32, contents)?;
                }
            }
            let first = bench.launches.iter().copied().min().unwrap_or(0);
            for (index, shape) in drawn[*i].shapes.iter().enumerate().take(first) {
                for iteration in 0..shape.repeat {
                    launch(folder, team, drawn[*i], &prepared[*i], index, iteration)?;
                }
            }
            let time = launch(folder, team, drawn[*i], &prepared[*i], *timed_launch, 0)?;
            let time = time.ok_or_else(|| HostError::Misuse("this target has no clock".into()))?;
            if round >= warmup {
                samples.push(time / bench.iterations.map_or(1.0, |(_, count)| count as f64));
            }
        }
    }
    for team in teams.iter_mut() {
        team.free_buffers()?;
    }
    Ok(samples.into_iter().map(summary).collect())
}

fn summary(mut samples: Vec<f64>) -> BenchTime {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    let median = match samples.len() % 2 {
        0 => (samples[middle - 1] + samples[middle]) / 2.0,
        _ => samples[middle],
    };
    BenchTime { median, least: samples[0], greatest: samples[samples.len() - 1] }
}

impl BenchReport {
    /// A table for people: a line for each combination, with the ratio of the first kernel's time to each further one's.
    pub fn text(&self) -> String {
        let names: Vec<String> = self.rows.first().map(|r| r.parameters.keys().cloned().collect()).unwrap_or_default();
        let mut table = vec![names.clone()];
        for (i, kernel) in self.kernels.iter().enumerate() {
            table[0].push(format!("{kernel} (us)"));
            if i > 0 {
                table[0].push(format!("{} / {kernel}", self.kernels[0]));
            }
        }
        for row in &self.rows {
            let mut cells: Vec<String> = names.iter().map(|n| row.parameters[n].to_string()).collect();
            for (i, time) in row.times.iter().enumerate() {
                cells.push(format!("{:.3}", time.median));
                if i > 0 {
                    cells.push(format!("{:.3}", row.times[0].median / time.median));
                }
            }
            table.push(cells);
        }
        let columns = table[0].len();
        let widths: Vec<usize> =
            (0..columns).map(|c| table.iter().map(|row| row[c].chars().count()).max().unwrap_or(0)).collect();
        let lines: Vec<String> = table
            .iter()
            .map(|row| {
                row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect::<Vec<_>>().join("  ")
            })
            .collect();
        lines.join("\n")
    }

    /// A JSON object a line, one for each combination.
    pub fn json_lines(&self) -> String {
        let line = |row: &BenchRow| {
            let time = |(kernel, t): (&String, &BenchTime)| serde_json::json!({ "kernel": kernel, "median": t.median, "least": t.least, "greatest": t.greatest });
            let times: Vec<serde_json::Value> = self.kernels.iter().zip(&row.times).map(time).collect();
            serde_json::json!({ "parameters": row.parameters, "n_pes": self.n_pes, "microseconds": times }).to_string()
        };
        self.rows.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(summary(vec![3.0, 1.0, 2.0]), BenchTime { median: 2.0, least: 1.0, greatest: 3.0 });
        assert_eq!(summary(vec![4.0, 1.0, 2.0, 3.0]).median, 2.5);
    }

    #[test]
    fn a_table_shows_ratios_to_the_first_folder() {
        let time = |median| BenchTime { median, least: median, greatest: median };
        let report = BenchReport {
            kernels: vec!["ours".into(), "by_hand".into()],
            devices: vec![],
            n_pes: 2,
            rows: vec![
                BenchRow {
                    parameters: [("bytes".into(), 16), ("blocks".into(), 1)].into(),
                    times: vec![time(2.0), time(2.5)],
                },
                BenchRow {
                    parameters: [("bytes".into(), 1048576), ("blocks".into(), 1)].into(),
                    times: vec![time(30.0), time(25.0)],
                },
            ],
        };
        insta::assert_snapshot!(format!("{}\n{}", report.text(), report.json_lines()));
    }
}
