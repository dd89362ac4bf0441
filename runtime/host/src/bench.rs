//! Times kernels over swept parameters. Several kernels of a folder, on the same buffers, and several folders with equal
//! sweeps are measured in turns, so that their ratios come from one run. Where memory lies decides about a tenth of the time
//! of a small message, so what is compared closely belongs in one folder.
//!
//! A kernel is launched by the host, and the time is that of one launch; or many launches are recorded as a graph, and the time
//! is that of a replay over their number: what a kernel of its own costs in a program. Where the folder has a reference, each
//! kernel's results are compared before it is timed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use serde::Serialize;

use crate::error::HostError;
use crate::folder::Folder;
use crate::launch::Bench;
use crate::launch::draw::{Drawn, draw};
use crate::reference;
use crate::run::{
    Needs, Opener, Prepared, Target, broken_guards, buffer_bytes, differences, expected, fresh_seed, launch, launches,
    open, prepare, team_for,
};
use crate::team::{Bounds, Graph, Team};

/// How folders are timed.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Number of PEs; `None` for the description's first.
    pub pes: Option<u32>,
    /// Seed of random parameters and contents.
    pub seed: Option<u64>,
    /// Counted launches, instead of the description's.
    pub repeats: Option<u32>,
    /// Launches recorded as one graph, instead of the description's.
    pub graph: Option<u32>,
    /// Values of parameters, instead of the description's: by name.
    pub sweep: Vec<(String, Vec<i64>)>,
    /// Kernels that are timed, instead of the description's; all of these where it is empty.
    pub kernels: Vec<String>,
    /// Bounds of waiting.
    pub bounds: Bounds,
}

impl BenchOptions {
    /// What the description says.
    pub fn new(bounds: Bounds) -> BenchOptions {
        BenchOptions {
            pes: None,
            seed: None,
            repeats: None,
            graph: None,
            sweep: Vec::new(),
            kernels: Vec::new(),
            bounds,
        }
    }
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
    /// What was found wrong before it was timed: a sentence for each kernel and combination.
    pub wrong: Vec<String>,
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
    /// Launches recorded as one graph; none where the host launched.
    pub graph: Option<u32>,
    /// Whether its results were right; not known where the folder has no reference.
    pub right: Option<bool>,
}

/// Times the benchmark kernels of compiled folders on GPUs. `progress` is called after each row, with the report as far as it
/// is done and the number of rows in all.
pub fn bench_folders(
    paths: &[PathBuf],
    options: &BenchOptions,
    progress: &mut dyn FnMut(&BenchReport, usize),
) -> Result<BenchReport, HostError> {
    bench_opened(paths, options, progress, &mut |needs| open(Target::Cuda, needs))
}

/// [`bench_folders`] on machines that `open` gives.
pub(crate) fn bench_opened(
    paths: &[PathBuf],
    options: &BenchOptions,
    progress: &mut dyn FnMut(&BenchReport, usize),
    open: &mut Opener<'_>,
) -> Result<BenchReport, HostError> {
    let folders = paths.iter().map(|p| Folder::open(p, None)).collect::<Result<Vec<_>, _>>()?;
    let benches = folders.iter().map(|f| bench_of(f, options)).collect::<Result<Vec<_>, _>>()?;
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
        let blocks = crate::run::most_blocks(drawn);
        let needs = Needs { n_pes, heap_bytes, blocks, seed, memory: crate::run::Memory::Functional };
        teams.push(team_for(folder, needs, options.bounds, open)?);
    }
    let mut report = BenchReport {
        kernels: labels(paths, &folders, &benches),
        devices: teams.first().map(|t| t.backend().describe()).unwrap_or_default(),
        n_pes,
        rows: Vec::new(),
        wrong: Vec::new(),
    };
    for (index, point) in points.iter().enumerate() {
        let at: Vec<&Drawn> = drawn.iter().map(|d| &d[index]).collect();
        let (times, wrong) = row(&folders, &benches, &mut teams, &at, options)?;
        let place: Vec<String> = point.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        report.wrong.extend(
            wrong
                .into_iter()
                .map(|(kernel, what)| format!("{} at {}: {what}", report.kernels[kernel], place.join(", "))),
        );
        report.rows.push(BenchRow { parameters: point.clone(), times });
        progress(&report, points.len());
    }
    Ok(report)
}

/// The kernels' names. A folder with one kernel gives it its own name; whole paths where two have the same name.
fn labels(paths: &[PathBuf], folders: &[Folder], benches: &[Bench]) -> Vec<String> {
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

/// What is timed: the description's, as the options change it.
fn bench_of(folder: &Folder, options: &BenchOptions) -> Result<Bench, HostError> {
    let mut bench = described(folder)?.clone();
    let (description, file) = (&folder.description, &folder.description.source.file);
    for (name, values) in &options.sweep {
        let index = description.parameters.iter().position(|p| p.name.value == *name && !p.is_real() && !p.per_pe);
        let index = index.ok_or_else(|| {
            let help = "a swept parameter is an integer of [parameters], the same on every PE";
            HostError::Misuse(format!("{file} has no parameter `{name}` that can be swept\n  = help: {help}"))
        })?;
        match bench.sweep.iter_mut().find(|(i, _)| *i == index) {
            Some((_, described)) => described.clone_from(values),
            None => bench.sweep.push((index, values.clone())),
        }
    }
    if !options.kernels.is_empty() {
        let name = |launch: &usize| &description.launches[*launch].kernel.value;
        bench.launches.retain(|launch| options.kernels.contains(name(launch)));
        if bench.launches.is_empty() {
            let help = "name a kernel that stands there under `kernel`";
            return Err(HostError::Misuse(format!(
                "[bench] of {file} times no kernel `{}`\n  = help: {help}",
                options.kernels.join("`, `")
            )));
        }
    }
    bench.graph = options.graph.or(bench.graph);
    Ok(bench)
}

fn described(folder: &Folder) -> Result<&Bench, HostError> {
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

/// Times of all kernels, and by kernel what was wrong with its results.
type Measured = (Vec<BenchTime>, Vec<(usize, String)>);

/// One combination, on all folders in turns.
fn row(
    folders: &[Folder],
    benches: &[Bench],
    teams: &mut [Team],
    drawn: &[&Drawn],
    options: &BenchOptions,
) -> Result<Measured, HostError> {
    let mut subjects = Vec::new();
    for (i, ((folder, bench), team)) in folders.iter().zip(benches).zip(teams.iter_mut()).enumerate() {
        let prepared = Rc::new(prepare(folder, team, drawn[i])?);
        let expected = expected(folder, drawn[i], &prepared)?.map(Rc::new);
        // Of all that the description times, chosen or not: one that is left out prepares nothing for the others.
        let first = described(folder)?.launches.iter().copied().min().unwrap_or(0);
        for launch in &bench.launches {
            let (prepared, expected) = (prepared.clone(), expected.clone());
            subjects.push(Subject {
                folder,
                bench,
                drawn: drawn[i],
                team: i,
                prepared,
                expected,
                launch: *launch,
                first,
            });
        }
    }
    let warmup = benches.iter().map(|b| b.warmup).max().unwrap_or(0);
    let repeats = options.repeats.unwrap_or_else(|| benches.iter().map(|b| b.repeats).max().unwrap_or(1)).max(1);
    let mut wrong = Vec::new();
    let mut right = Vec::new();
    for (index, subject) in subjects.iter().enumerate() {
        let found = subject.check(&mut teams[subject.team])?;
        right.push(found.as_ref().map(Option::is_none));
        wrong.extend(found.flatten().map(|what| (index, what)));
    }
    let mut graphs = Vec::new();
    for subject in &subjects {
        graphs.push(subject.record(&mut teams[subject.team])?);
    }
    let mut samples = vec![Vec::new(); subjects.len()];
    for round in 0..warmup + repeats {
        for ((samples, subject), graph) in samples.iter_mut().zip(&subjects).zip(&graphs) {
            let team = &mut teams[subject.team];
            let time = match graph {
                // A replay finds what the one before left, as each of its launches does.
                Some(graph) => {
                    if round == 0 {
                        subject.set_up(team)?;
                    }
                    team.replay(graph)?.microseconds
                }
                None => {
                    subject.set_up(team)?;
                    launch(subject.folder, team, subject.drawn, &subject.prepared, subject.launch, 0)?
                }
            };
            let time = time.ok_or_else(|| HostError::Misuse("this target has no clock".into()))?;
            if round >= warmup {
                samples.push(time / subject.bench.parts());
            }
        }
    }
    for (graph, subject) in graphs.into_iter().zip(&subjects) {
        if let Some(graph) = graph {
            teams[subject.team].discard(graph);
        }
    }
    drop(subjects);
    for team in teams.iter_mut() {
        team.free_buffers()?;
    }
    let graph = |i: usize| benches.iter().flat_map(|b| b.launches.iter().map(|_| b.graph)).nth(i).flatten();
    let times =
        samples.into_iter().enumerate().map(|(i, s)| BenchTime { graph: graph(i), right: right[i], ..summary(s) });
    Ok((times.collect(), wrong))
}

/// A kernel that is timed at one combination.
struct Subject<'a> {
    folder: &'a Folder,
    bench: &'a Bench,
    drawn: &'a Drawn,
    /// Index of its team.
    team: usize,
    prepared: Rc<Prepared>,
    /// What the reference expects.
    expected: Option<Rc<Vec<reference::Buffer>>>,
    /// Index of its launch.
    launch: usize,
    /// Launches before this one come first, untimed.
    first: usize,
}

impl Subject<'_> {
    /// What the kernel finds in its buffers.
    fn set_up(&self, team: &mut Team) -> Result<(), HostError> {
        for (buffer, contents) in self.prepared.buffers.iter().zip(&self.prepared.initial) {
            for (pe, contents) in contents.iter().enumerate() {
                team.write(buffer, pe as u32, contents)?;
            }
        }
        for (index, shape) in self.drawn.shapes.iter().enumerate().take(self.first) {
            for iteration in 0..shape.repeat {
                launch(self.folder, team, self.drawn, &self.prepared, index, iteration)?;
            }
        }
        Ok(())
    }

    /// One launch, compared with the reference where there is one: what is wrong, if anything is.
    fn check(&self, team: &mut Team) -> Result<Option<Option<String>>, HostError> {
        let Some(expected) = &self.expected else { return Ok(None) };
        self.set_up(team)?;
        launch(self.folder, team, self.drawn, &self.prepared, self.launch, 0)?;
        let (wrong, first) = differences(self.folder, team, &self.prepared, expected)?;
        let guards = broken_guards(team)?;
        let example = first.first().map(|m| {
            format!(
                "{wrong} elements are wrong; `{}`[{}] on PE {} is {} instead of {}",
                m.buffer, m.index, m.pe, m.got, m.expected
            )
        });
        Ok(Some(example.or_else(|| guards.into_iter().next())))
    }

    /// Its launches as a graph, where it is timed as one.
    fn record(&self, team: &mut Team) -> Result<Option<Graph>, HostError> {
        let Some(count) = self.bench.graph else { return Ok(None) };
        let mut all = Vec::new();
        for iteration in 0..count {
            all.extend(launches(self.folder, team, self.drawn, &self.prepared, self.launch, iteration)?);
        }
        Ok(Some(team.record_launches(0, self.launch, &self.folder.kernel(self.launch).name, &all)?))
    }
}

fn summary(mut samples: Vec<f64>) -> BenchTime {
    samples.sort_by(f64::total_cmp);
    let middle = samples.len() / 2;
    let median = match samples.len() % 2 {
        0 => (samples[middle - 1] + samples[middle]) / 2.0,
        _ => samples[middle],
    };
    BenchTime { median, least: samples[0], greatest: samples[samples.len() - 1], graph: None, right: None }
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
                let mark = if time.right == Some(false) { " WRONG" } else { "" };
                cells.push(format!("{:.3}{mark}", time.median));
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

    /// A JSON object for a row: parameters, and each kernel's times in microseconds.
    pub fn json_line(&self, row: &BenchRow) -> String {
        let time = |(kernel, t): (&String, &BenchTime)| {
            let mut object =
                serde_json::json!({ "kernel": kernel, "median": t.median, "least": t.least, "greatest": t.greatest });
            if let Some(launches) = t.graph {
                object["graph"] = launches.into();
            }
            if let Some(right) = t.right {
                object["right"] = right.into();
            }
            object
        };
        let times: Vec<serde_json::Value> = self.kernels.iter().zip(&row.times).map(time).collect();
        serde_json::json!({ "parameters": row.parameters, "n_pes": self.n_pes, "microseconds": times }).to_string()
    }

    /// A JSON object a line, one for each combination.
    pub fn json_lines(&self) -> String {
        self.rows.iter().map(|row| self.json_line(row)).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        let (graph, right) = (None, None);
        let expected = BenchTime { median: 2.0, least: 1.0, greatest: 3.0, graph, right };
        assert_eq!(summary(vec![3.0, 1.0, 2.0]), expected);
        assert_eq!(summary(vec![4.0, 1.0, 2.0, 3.0]).median, 2.5);
    }

    #[test]
    fn a_target_without_graphs_says_so() {
        assert_eq!(
            HostError::NoGraphs { backend: "sim" }.to_string(),
            "error: sim does not record launches as graphs\n  = help: time single launches, without `graph` in [bench] and without --graph"
        );
    }

    #[test]
    fn a_table_shows_ratios_to_the_first_folder() {
        let time = |median| BenchTime { median, least: median, greatest: median, graph: None, right: None };
        let report = BenchReport {
            wrong: vec![],
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
                    times: vec![time(30.0), BenchTime { graph: Some(50), right: Some(false), ..time(25.0) }],
                },
            ],
        };
        insta::assert_snapshot!(format!("{}\n{}", report.text(), report.json_lines()));
    }
}
