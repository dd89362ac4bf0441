//! One case: a collective, its elements and how it is called; and the choice of cases.

use std::collections::BTreeSet;

use gicc_abi::codes::{Algorithm, ElementType, ReduceOp};
use rand::RngExt as _;
use rand::rngs::StdRng;

/// What a kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Kernel {
    /// `None`: an all-gather.
    pub(crate) op: Option<ReduceOp>,
    /// The elements.
    pub(crate) element: ElementType,
    /// The algorithm.
    pub(crate) algorithm: Algorithm,
    /// By the grid, or by each block for itself.
    pub(crate) grid: bool,
}

/// How it is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    /// The kernel.
    pub(crate) kernel: Kernel,
    /// PEs.
    pub(crate) pes: u32,
    /// Elements: of each block, or of the grid.
    pub(crate) count: u64,
    /// Blocks.
    pub(crate) blocks: u32,
    /// Threads of a block.
    pub(crate) threads: u32,
    /// The result takes the place of the elements.
    pub(crate) in_place: bool,
    /// Elements by which the buffers are moved from 256-byte alignment.
    pub(crate) shift: u64,
    /// Whether the buffers lie in the symmetric heap.
    pub(crate) symmetric: bool,
}

pub(crate) const fn bytes_of(element: ElementType) -> u64 {
    match element {
        ElementType::F16 | ElementType::Bf16 => 2,
        ElementType::F32 | ElementType::I32 | ElementType::U32 => 4,
        ElementType::F64 | ElementType::I64 | ElementType::U64 => 8,
    }
}

pub(crate) const fn is_integer(element: ElementType) -> bool {
    matches!(element, ElementType::I32 | ElementType::U32 | ElementType::I64 | ElementType::U64)
}

impl Kernel {
    /// Every kernel that exists.
    pub(crate) fn all() -> Vec<Kernel> {
        let mut all = Vec::new();
        for &element in ElementType::ALL {
            for grid in [false, true] {
                for algorithm in [Algorithm::Auto, Algorithm::Direct, Algorithm::Ring] {
                    all.push(Kernel { op: None, element, algorithm, grid });
                }
                for &op in ReduceOp::ALL {
                    let bits = matches!(op, ReduceOp::And | ReduceOp::Or | ReduceOp::Xor);
                    if bits && !is_integer(element) {
                        continue;
                    }
                    for algorithm in [Algorithm::Auto, Algorithm::OneShot, Algorithm::TwoShot, Algorithm::Ring] {
                        all.push(Kernel { op: Some(op), element, algorithm, grid });
                    }
                }
            }
        }
        all
    }

    /// Its name in the source.
    pub(crate) fn name(&self) -> String {
        let what = self.op.map_or("gather", ReduceOp::name);
        let group = if self.grid { "grid" } else { "block" };
        format!("{what}_{}_{}_{group}", self.element.name(), self.algorithm.name())
    }

    /// The elements' type in C++.
    pub(crate) const fn c_type(&self) -> &'static str {
        match self.element {
            ElementType::F16 => "_Float16",
            ElementType::Bf16 => "__bf16",
            ElementType::F32 => "float",
            ElementType::F64 => "double",
            ElementType::I32 => "int",
            ElementType::U32 => "unsigned",
            ElementType::I64 => "long long",
            ElementType::U64 => "unsigned long long",
        }
    }

    /// Who calls.
    pub(crate) const fn group(&self) -> &'static str {
        if self.grid { "grid" } else { "block" }
    }

    /// The algorithm in C++.
    pub(crate) fn c_algorithm(&self) -> String {
        let name = if self.algorithm == Algorithm::Auto { "automatic" } else { self.algorithm.name() };
        format!("gicc::algorithm::{name}")
    }

    /// The operation of an all-reduce in C++.
    pub(crate) fn c_op(&self) -> Option<String> {
        self.op.map(|op| {
            let prefix = if matches!(op, ReduceOp::And | ReduceOp::Or | ReduceOp::Xor) { "bit_" } else { "" };
            format!("gicc::reduce::{prefix}{}", op.name())
        })
    }

    /// Its source. Two calls: the second continues the rounds of the first, with fewer elements.
    pub(crate) fn source(&self) -> String {
        let (ty, group) = (self.c_type(), self.group());
        let first = if self.grid { "0" } else { "blockIdx.x * count" };
        let (name, algorithm) = (self.name(), self.c_algorithm());
        match self.c_op() {
            Some(op) => {
                format!(
                    "extern \"C\" __global__ void {name}({ty} *out, const {ty} *in, {ty} *again, long long count) {{\n  \
                     long long first = {first};\n  \
                     gicc::all_reduce<gicc::{group}>(again + first, in + first, (count + 1) / 2, {op}, {algorithm});\n  \
                     gicc::all_reduce<gicc::{group}>(out + first, in + first, count, {op}, {algorithm});\n}}\n"
                )
            }
            None => format!(
                "extern \"C\" __global__ void {name}({ty} *out, const {ty} *in, {ty} *again, long long count) {{\n  \
                 long long first = {first};\n  \
                 gicc::all_gather<gicc::{group}>(again + first * gicc::n_pes(), in + first, (count + 1) / 2, {algorithm});\n  \
                 gicc::all_gather<gicc::{group}>(out + first * gicc::n_pes(), in + first, count, {algorithm});\n}}\n"
            ),
        }
    }
}

/// Counts that are special somewhere: none, ends of packets, odd ones, more than a slot holds, enough to leave packets.
const COUNTS: &[u64] = &[0, 1, 2, 3, 4, 7, 64, 255, 1001, 4098, 13_001, 20_480, 26_003];
const THREADS: &[u32] = &[32, 64, 160];

impl Case {
    /// A case of a kernel whose other properties are drawn.
    pub(crate) fn draw(kernel: Kernel, pes: u32, random: &mut StdRng) -> Case {
        let of = |random: &mut StdRng, n: usize| random.random_range(0..n);
        Case {
            kernel,
            pes,
            count: COUNTS[of(random, COUNTS.len())],
            blocks: 1 + of(random, 3) as u32,
            threads: THREADS[of(random, THREADS.len())],
            in_place: kernel.op.is_some() && of(random, 3) == 0,
            shift: if of(random, 2) == 0 { 0 } else { of(random, 8) as u64 },
            symmetric: of(random, 3) > 0,
        }
    }

    /// The pairs of properties that a case has.
    fn pairs(&self) -> Vec<(usize, u64, usize, u64)> {
        let k = &self.kernel;
        let properties = [
            k.op.map_or(99, |op| u64::from(op.code())),
            k.element.code().into(),
            k.algorithm.code().into(),
            k.grid.into(),
            self.pes.into(),
            self.count,
            self.blocks.into(),
            self.threads.into(),
            self.in_place.into(),
            (self.shift > 0).into(),
            self.symmetric.into(),
        ];
        let mut pairs = Vec::new();
        for (i, a) in properties.iter().enumerate() {
            for (j, b) in properties.iter().enumerate().skip(i + 1) {
                pairs.push((i, *a, j, *b));
            }
        }
        pairs
    }
}

/// Cases in which nearly every pair of properties occurs: of many drawn ones always the one that adds most.
pub(crate) fn pairwise(random: &mut StdRng, most: usize) -> Vec<Case> {
    let kernels = Kernel::all();
    let mut seen = BTreeSet::new();
    let mut chosen: Vec<Case> = Vec::new();
    while chosen.len() < most {
        let best = (0..60)
            .map(|_| {
                let kernel = kernels[random.random_range(0..kernels.len())];
                let pes = random.random_range(1..=9);
                let case = Case::draw(kernel, pes, random);
                (case.pairs().iter().filter(|p| !seen.contains(*p)).count(), case)
            })
            .max_by_key(|(new, _)| *new);
        let Some((new, case)) = best else { break };
        if new == 0 {
            break;
        }
        seen.extend(case.pairs());
        chosen.push(case);
    }
    chosen
}
