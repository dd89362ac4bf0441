//! Runs a compiled folder on random data and compares every output with the reference. `gicc run` and `gicc-launch` are
//! thin layers over [`run_folder`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gicc_abi::heap::WORKSPACE_BYTES;

use crate::backend::cuda::Cuda;
use crate::backend::sim::Sim;
use crate::backend::{Backend, Launch};
use crate::compare::{Comparison, Mismatch, compare};
use crate::error::HostError;
use crate::folder::Folder;
use crate::launch::draw::{Drawn, draw};
use crate::launch::fill::fill;
use crate::launch::pack::{Target as PackTarget, pack, uses_multicast};
use crate::reference;
use crate::report::{Outcome, RunFailure, RunReport};
use crate::team::{Bounds, Buffer, Team};

/// How long a reference may take.
const REFERENCE_BOUND: Duration = Duration::from_secs(60);

/// Failing runs that are reported in full.
pub(crate) const REPORTED_FAILURES: usize = 3;

/// What runs the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The simulator.
    Sim,
    /// GPUs.
    Cuda,
}

impl Target {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Sim => "sim",
            Target::Cuda => "cuda",
        }
    }
}

/// How the simulator's memory behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Every access takes effect at once, for everybody.
    #[default]
    Functional,
    /// As the PTX memory model allows: what nothing orders may be seen late.
    Weak,
}

/// How a folder is run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// What runs the kernels.
    pub target: Target,
    /// Number of PEs; `None` for the description's first.
    pub pes: Option<u32>,
    /// Seed of the first run; each further run has the next. `None` for a fresh one.
    pub seed: Option<u64>,
    /// Runs, each with new random data.
    pub runs: u32,
    /// Schedules of the simulator for each run's data.
    pub schedules: u32,
    /// The number of the first schedule.
    pub first_schedule: u32,
    /// How the simulator's memory behaves.
    pub memory: Memory,
    /// Whether races of weak memory make a run fail.
    pub races: bool,
    /// Go through all choices of the simulator instead of drawing them, in so many runs at most; memory is weak then.
    pub explore: Option<u64>,
    /// Schedules that run side by side; `None` for as many as the host has cores.
    pub jobs: Option<usize>,
    /// Bounds of waiting.
    pub bounds: Bounds,
    /// A launch description elsewhere than in the folder.
    pub description: Option<PathBuf>,
}

impl RunOptions {
    /// One run on a target.
    pub fn new(target: Target) -> Self {
        RunOptions {
            target,
            pes: None,
            seed: None,
            runs: 1,
            schedules: 1,
            first_schedule: 0,
            memory: Memory::Functional,
            races: false,
            explore: None,
            jobs: None,
            bounds: Bounds::default(),
            description: None,
        }
    }
}

/// Runs a compiled folder. `progress` is called after each run with the number of runs done.
///
/// Wrong numbers and error words are outcomes of the report; an `Err` says that something could not run.
pub fn run_folder(folder: &Path, options: &RunOptions, progress: &mut dyn FnMut(u32)) -> Result<RunReport, HostError> {
    let folder = Folder::open(folder, options.description.as_deref())?;
    run_opened(&folder, options, progress, &mut |needs| open(options.target, needs))
}

/// What a team must have room for.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Number of PEs.
    pub n_pes: u32,
    /// Bytes of a segment of the symmetric heap.
    pub heap_bytes: u64,
    /// The most blocks of a launch.
    pub blocks: u32,
    /// Seed of the simulator's schedule.
    pub seed: u64,
    /// How the simulator's memory behaves.
    pub memory: Memory,
}

/// Opens a backend.
pub fn open(target: Target, needs: Needs) -> Result<Box<dyn Backend>, HostError> {
    match target {
        Target::Cuda => Ok(Box::new(Cuda::open(needs.n_pes, needs.heap_bytes)?)),
        Target::Sim => Ok(Box::new(Sim::open(needs.n_pes, needs.heap_bytes, needs.seed, needs.memory)?)),
    }
}

/// Opens machines with what they need.
pub(crate) type Opener<'a> = dyn FnMut(Needs) -> Result<Box<dyn Backend>, HostError> + 'a;

/// Opens a team with the folder's module loaded and room for buffers of these sizes.
pub(crate) fn team_for(
    folder: &Folder,
    needs: Needs,
    bounds: Bounds,
    open: &mut Opener<'_>,
) -> Result<Team, HostError> {
    let mut workspace = WORKSPACE_BYTES;
    loop {
        let heap_bytes = Team::segment_bytes(workspace, [needs.heap_bytes]);
        let mut team = Team::new(open(Needs { heap_bytes, ..needs })?, bounds);
        team.set_collective_blocks(needs.blocks);
        let needed = match team.load(&folder.path, &folder.manifest) {
            Ok(module) => team.modules()[module].workspace_bytes,
            Err(HostError::HeapFull { bytes, .. }) if bytes > workspace => bytes,
            Err(e) => return Err(e),
        };
        if needed <= workspace {
            return Ok(team);
        }
        workspace = needed;
    }
}

/// Bytes of a segment that the symmetric buffers of a run need.
pub(crate) fn buffer_bytes(folder: &Folder, drawn: &Drawn) -> u64 {
    let symmetric = folder.description.buffers.iter().zip(&drawn.lengths).filter(|(b, _)| b.symmetric);
    Team::segment_bytes(0, symmetric.map(|(b, n)| n * b.element.bytes() as u64))
}

/// The most blocks that a launch of these draws has.
pub(crate) fn most_blocks<'a>(draws: impl IntoIterator<Item = &'a Drawn>) -> u32 {
    let blocks =
        draws.into_iter().flat_map(|d| &d.shapes).map(|s| s.grid.iter().map(|n| u64::from(*n)).product::<u64>());
    u32::try_from(blocks.max().unwrap_or(1).max(1)).unwrap_or(u32::MAX)
}

/// A seed that differs from run to run of the program.
pub fn fresh_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed again.
    crate::launch::random::Random::new(now.as_nanos() as u64, "seed", std::process::id().into()).next() % 1_000_000_000
}

pub(crate) fn run_opened(
    folder: &Folder,
    options: &RunOptions,
    progress: &mut dyn FnMut(u32),
    open: &mut dyn FnMut(Needs) -> Result<Box<dyn Backend>, HostError>,
) -> Result<RunReport, HostError> {
    let weak = options.memory == Memory::Weak || options.explore.is_some();
    if options.target != Target::Sim && (weak || options.races || options.first_schedule > 0) {
        return Err(HostError::Misuse(
            "weak memory, exploration, races and numbered schedules exist only in the simulator\n  = help: use --target sim"
                .into(),
        ));
    }
    if options.races && !weak {
        return Err(HostError::Misuse("races are found only in weak memory\n  = help: add --memory weak".into()));
    }
    let n_pes = folder.pe_count(options.pes)?;
    let seed = options.seed.unwrap_or_else(fresh_seed);
    let draws = (0..options.runs)
        .map(|run| draw(&folder.description, n_pes, seed.wrapping_add(run.into()), &[]))
        .collect::<Result<Vec<_>, _>>()?;
    let heap_bytes = draws.iter().map(|d| buffer_bytes(folder, d)).max().unwrap_or(0);
    let blocks = most_blocks(&draws);
    let mut report = RunReport::new(folder, options.target, n_pes, seed);
    let memory = if options.explore.is_some() { Memory::Weak } else { options.memory };
    if schedules::applies(options) {
        for (run, drawn) in (0..options.runs).zip(&draws) {
            let needs = Needs { n_pes, heap_bytes, blocks, seed: drawn.seed, memory };
            let ended = match options.explore {
                Some(most) => schedules::explored(folder, options, needs, drawn, most)?,
                None => schedules::seeded(folder, options, needs, drawn)?,
            };
            report.runs = run + 1;
            let device = report.add_schedules(run, ended, options);
            progress(run + 1);
            if device {
                break;
            }
        }
        return Ok(report);
    }
    let mut team: Option<Team> = None;
    for (run, drawn) in (0..options.runs).zip(&draws) {
        let schedules = if options.target == Target::Sim { options.schedules.max(1) } else { 1 };
        for schedule in 0..schedules {
            // The simulator draws its schedule from the machine's seed, and a fresh machine has no history.
            let kept = team.take().filter(|_| options.target != Target::Sim);
            let seed = drawn.seed ^ (u64::from(schedule) << 32);
            let needs = Needs { n_pes, heap_bytes, blocks, seed, memory };
            let mut current = match kept {
                Some(team) => team,
                None => team_for(folder, needs, options.bounds, open)?,
            };
            if report.devices.is_empty() {
                report.devices = current.backend().describe();
            }
            let failure = run_once(folder, &mut current, drawn)?;
            let device = failure.as_ref().is_some_and(|f| f.device.is_some() || f.fault.is_some());
            if !device {
                current.free_buffers()?;
                team = Some(current);
            }
            if let Some(mut failure) = failure {
                failure.run = run;
                failure.schedule = (schedules > 1).then_some(schedule);
                report.failed += 1;
                report.outcome = if device { Outcome::DeviceError } else { Outcome::Wrong };
                if report.failures.len() < REPORTED_FAILURES || device {
                    report.failures.push(failure);
                }
                if device {
                    // Each further wait would take its whole bound, too, and after a fault the devices are unusable.
                    report.runs = run + 1;
                    return Ok(report);
                }
                break;
            }
        }
        report.runs = run + 1;
        progress(run + 1);
    }
    Ok(report)
}

/// Buffers on the team, with their initial contents.
pub(crate) struct Prepared {
    /// The buffers.
    pub(crate) buffers: Vec<Buffer>,
    /// Contents by buffer and PE.
    pub(crate) initial: Vec<Vec<Vec<u8>>>,
}

/// Allocates and fills all buffers.
pub(crate) fn prepare(folder: &Folder, team: &mut Team, drawn: &Drawn) -> Result<Prepared, HostError> {
    let mut prepared = Prepared { buffers: Vec::new(), initial: Vec::new() };
    for (index, b) in folder.description.buffers.iter().enumerate() {
        let bytes = drawn.lengths[index] * b.element.bytes() as u64;
        let name = &b.name.value;
        let buffer =
            if b.symmetric { team.allocate_symmetric(name, bytes)? } else { team.allocate_local(name, bytes)? };
        let mut on_pes = Vec::new();
        for pe in 0..drawn.n_pes {
            let contents = fill(&folder.description, drawn, index, pe)?;
            team.write(&buffer, pe, &contents)?;
            on_pes.push(contents);
        }
        prepared.buffers.push(buffer);
        prepared.initial.push(on_pes);
    }
    Ok(prepared)
}

/// One launch on all PEs; the time of PE 0's kernel where the backend has a clock.
pub(crate) fn launch(
    folder: &Folder,
    team: &mut Team,
    drawn: &Drawn,
    prepared: &Prepared,
    index: usize,
    iteration: u32,
) -> Result<Option<f64>, HostError> {
    let launches = launches(folder, team, drawn, prepared, index, iteration)?;
    Ok(team.launch(0, index, &folder.kernel(index).name, &launches)?.microseconds)
}

/// The launches of an entry of the description, one for each PE.
pub(crate) fn launches<'a>(
    folder: &'a Folder,
    team: &Team,
    drawn: &Drawn,
    prepared: &Prepared,
    index: usize,
    iteration: u32,
) -> Result<Vec<Launch<'a>>, HostError> {
    let kernel = folder.kernel(index);
    let shape = &drawn.shapes[index];
    let mut launches = Vec::new();
    let mut multicast = Vec::new();
    for (number, buffer) in prepared.buffers.iter().enumerate() {
        let used = uses_multicast(&folder.description, index, number);
        multicast.push(if used { team.multicast(buffer)? } else { 0 });
    }
    for pe in 0..drawn.n_pes {
        let addresses: Vec<u64> = prepared.buffers.iter().map(|b| b.addresses[pe as usize]).collect();
        let target = PackTarget { drawn, pe, iteration, addresses: &addresses, multicast: &multicast };
        let parameters = pack(&folder.description, index, kernel, target)?;
        let (grid, block, shared_bytes) = (shape.grid, shape.block, shape.shared_bytes);
        launches.push(Launch { pe, symbol: &kernel.symbol, grid, block, shared_bytes, parameters });
    }
    Ok(launches)
}

/// One run; what was wrong with it, if anything was.
fn run_once(folder: &Folder, team: &mut Team, drawn: &Drawn) -> Result<Option<RunFailure>, HostError> {
    let prepared = prepare(folder, team, drawn)?;
    let expected = expected(folder, drawn, &prepared)?;
    let mut failure = RunFailure { seed: drawn.seed, parameters: parameters(folder, drawn), ..RunFailure::default() };
    for (index, shape) in drawn.shapes.iter().enumerate() {
        for iteration in 0..shape.repeat {
            let described = &folder.description.launches[index];
            match launch(folder, team, drawn, &prepared, index, iteration) {
                Ok(_) if described.fails => {
                    failure.fault = Some(format!(
                        "error: kernel `{}` (launch {index}) has `fails = true` and reported no error on the device",
                        described.kernel.value
                    ));
                    return Ok(Some(failure));
                }
                Err(HostError::Device(_)) if described.fails => {}
                Ok(_) => {}
                Err(HostError::Device(device)) => {
                    failure.device = Some(device);
                    return Ok(Some(failure));
                }
                Err(e) if e.is_of_the_kernel() => {
                    failure.fault = Some(e.to_string());
                    return Ok(Some(failure));
                }
                Err(e) => return Err(e),
            }
        }
    }
    if let Some(expected) = &expected {
        (failure.wrong_elements, failure.mismatches) = differences(folder, team, &prepared, expected)?;
    }
    failure.guards = broken_guards(team)?;
    Ok((failure.wrong_elements > 0 || !failure.guards.is_empty()).then_some(failure))
}

/// The outputs against what the reference expects: how many elements differ, and the first of each buffer and PE.
pub(crate) fn differences(
    folder: &Folder,
    team: &Team,
    prepared: &Prepared,
    expected: &[reference::Buffer],
) -> Result<(u64, Vec<Mismatch>), HostError> {
    let (mut wrong, mut first) = (0, Vec::new());
    for (index, description) in folder.description.buffers.iter().enumerate() {
        let Some(tolerance) = description.output else { continue };
        for (pe, initial) in prepared.initial[index].iter().enumerate() {
            let mut got = vec![0; initial.len()];
            team.read(&prepared.buffers[index], pe as u32, &mut got)?;
            let difference = compare(Comparison {
                buffer: &description.name.value,
                pe: pe as u32,
                element: description.element,
                tolerance,
                initial,
                expected: &expected[index].contents[pe],
                got: &got,
            });
            wrong += difference.count;
            first.extend(difference.first);
        }
    }
    Ok((wrong, first))
}

/// What was written past the end of buffers, in words.
pub(crate) fn broken_guards(team: &Team) -> Result<Vec<String>, HostError> {
    let broken = team.broken_guards()?.into_iter();
    Ok(broken.map(|(name, pe, at)| format!("PE {pe}: something wrote {at} bytes past the end of `{name}`")).collect())
}

/// What the reference expects, where there is one.
pub(crate) fn expected(
    folder: &Folder,
    drawn: &Drawn,
    prepared: &Prepared,
) -> Result<Option<Vec<reference::Buffer>>, HostError> {
    let Some(function) = &folder.reference else { return Ok(None) };
    let description = &folder.description;
    let parameters: Vec<reference::Parameter> = description
        .parameters
        .iter()
        .enumerate()
        .map(|(index, p)| reference::Parameter {
            name: p.name.value.clone(),
            is_real: p.is_real(),
            integers: drawn.integers.iter().map(|on_pe| on_pe[index]).collect(),
            reals: drawn.reals.iter().map(|on_pe| on_pe[index]).collect(),
        })
        .collect();
    let mut buffers: Vec<reference::Buffer> = description
        .buffers
        .iter()
        .zip(&prepared.initial)
        .zip(&drawn.lengths)
        .map(|((b, contents), length)| reference::Buffer {
            name: b.name.value.clone(),
            type_name: b.element.name().into(),
            element_bytes: b.element.bytes() as u64,
            length: *length,
            symmetric: b.symmetric,
            output: b.output.is_some(),
            contents: contents.clone(),
        })
        .collect();
    function.call(drawn.n_pes, &parameters, &mut buffers, REFERENCE_BOUND)?;
    Ok(Some(buffers))
}

/// The parameters' values, for reports; one number where all PEs have the same.
pub(crate) fn parameters(folder: &Folder, drawn: &Drawn) -> BTreeMap<String, String> {
    let value = |pe: usize, index: usize, real: bool| {
        if real { format!("{:?}", drawn.reals[pe][index]) } else { drawn.integers[pe][index].to_string() }
    };
    let all = folder.description.parameters.iter().enumerate().map(|(index, p)| {
        let on_pes: Vec<String> = (0..drawn.n_pes as usize).map(|pe| value(pe, index, p.is_real())).collect();
        let text =
            if p.per_pe { format!("[{}]", on_pes.join(", ")) } else { on_pes.first().cloned().unwrap_or_default() };
        (p.name.value.clone(), text)
    });
    all.collect()
}

mod schedules;
pub(crate) use schedules::Schedules;

#[cfg(test)]
mod tests;
