//! Random kernels: whatever they do, the analysis ends with an answer, the same answer under other names, and without a panic.
//! `GICC_FACTS_SECONDS=3600 cargo test --release -p gicc --test facts fuzz` runs longer than the usual seconds.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use gicc::analysis::annotation::Assume;
use gicc::analysis::communication::Communication;
use gicc::analysis::communication::json::communication;
use gicc::explain::{Sources, annotated, dot, svg};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::support::{module, try_examine};

const ASSEMBLY: &[&str] = &[
    "st.release.sys.global.u32 [$0], $1;",
    "st.relaxed.gpu.global.u32 [$0], $1;",
    "st.volatile.global.v4.u32 [$0], {$1,$1,$1,$1};",
    "@p st.global.u32 [$0+8], $1;",
    "{ .reg .u64 t; cvta.to.global.u64 t, $0; st.relaxed.sys.global.u32 [t], $1; }",
    "red.release.sys.global.add.u32 [$0], $1;",
    "fence.acq_rel.sys;",
    "fence.proxy.async;",
    "bar.sync $1, 64;",
    "bar.arrive 2, $1;",
    "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
    "multimem.red.release.sys.global.add.u32 [$0], $1;",
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
    "L: ld.acquire.sys.u32 %r1, [$0]; setp.ne.u32 p, %r1, $1; @p bra L;",
    "no.such.instruction [$0], $1;",
    "garbage {",
    "",
];

struct Make {
    random: StdRng,
    text: String,
    pointers: Vec<String>,
    numbers: Vec<String>,
    next: u32,
}

impl Make {
    fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    fn pick(&mut self, pointers: bool) -> String {
        let list = if pointers { &self.pointers } else { &self.numbers };
        let n = self.random.random_range(0..list.len());
        list[n].clone()
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn instruction(&mut self) {
        let (p, q, n) = (self.pick(true), self.pick(true), self.pick(false));
        let v = self.name();
        match self.random.random_range(0..16) {
            0 => {
                self.line(&format!("{v} = load ptr, ptr {p}"));
                self.pointers.push(v);
            }
            1 => {
                self.line(&format!("{v}x = zext i32 {n} to i64"));
                self.line(&format!("{v} = getelementptr ptr, ptr {p}, i64 {v}x"));
                self.pointers.push(v);
            }
            2 => {
                self.line(&format!("{v} = load volatile i32, ptr {p}"));
                self.numbers.push(v);
            }
            3 => self.line(&format!("store volatile i32 {n}, ptr {p}")),
            4 => self.line(&format!("store i32 {n}, ptr {p}")),
            5 => self.line(&format!("store ptr {q}, ptr {p}")),
            6 => {
                self.line(&format!("{v} = atomicrmw add ptr {p}, i32 {n} seq_cst"));
                self.numbers.push(v);
            }
            7 => {
                let code = ASSEMBLY[self.random.random_range(0..ASSEMBLY.len())];
                let clobber = if self.random.random() { ",~{memory}" } else { "" };
                self.line(&format!("call void asm sideeffect \"{code}\", \"l,r{clobber}\"(ptr {p}, i32 {n})"));
            }
            8 => {
                self.line(&format!(
                    "{v} = call i32 asm sideeffect \"ld.acquire.sys.global.u32 $0, [$1];\", \"=r,l\"(ptr {p})"
                ));
                self.numbers.push(v);
            }
            9 => self.line("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"),
            10 => self.line("call void @llvm.nvvm.membar.sys()"),
            11 => self.line(&format!("call void @llvm.memcpy.p0.p0.i64(ptr {p}, ptr {q}, i64 16, i1 false)")),
            12 => {
                self.line(&format!("{v}c = icmp ult i32 {n}, 7"));
                self.line(&format!("{v} = select i1 {v}c, ptr {p}, ptr {q}"));
                self.pointers.push(v);
            }
            13 => {
                self.line(&format!("{v}i = ptrtoint ptr {p} to i64"));
                self.line(&format!("{v}j = ptrtoint ptr {q} to i64"));
                self.line(&format!("{v}k = add i64 {v}i, {v}j"));
                self.line(&format!("{v} = inttoptr i64 {v}k to ptr"));
                self.pointers.push(v);
            }
            14 => {
                self.line(&format!("{v} = add i32 {n}, 3"));
                self.numbers.push(v);
            }
            _ => {
                self.line(&format!("{v} = alloca [4 x ptr]"));
                self.pointers.push(v);
            }
        }
    }
}

/// A random kernel; what blocks compute stays in their block, so that every use is dominated.
fn random_kernel(seed: u64) -> String {
    let mut make = Make {
        random: StdRng::seed_from_u64(seed),
        text: String::new(),
        pointers: Vec::new(),
        numbers: Vec::new(),
        next: 0,
    };
    let blocks = make.random.random_range(1..9_u32);
    make.line("%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()");
    make.line("br label %b0");
    for block in 0..blocks {
        make.pointers = ["%a", "%b", "%s", "@g"].map(str::to_owned).to_vec();
        make.numbers = ["%tid", "%n", "0", "1"].map(str::to_owned).to_vec();
        let _ = writeln!(make.text, "b{block}:");
        for _ in 0..make.random.random_range(0..12) {
            make.instruction();
        }
        let (to, or) = (make.random.random_range(0..=blocks), make.random.random_range(0..=blocks));
        let n = make.pick(false);
        let c = make.name();
        match make.random.random_range(0..3) {
            0 => make.line(&format!("br label %b{to}")),
            1 => make.line("ret void"),
            _ => {
                make.line(&format!("{c} = icmp eq i32 {n}, {block}"));
                make.line(&format!("br i1 {c}, label %b{to}, label %b{or}"));
            }
        }
    }
    let _ = writeln!(make.text, "b{blocks}:\n  ret void");
    module(
        "%t = type { ptr, [4 x ptr], i64 }\n@g = external global [8 x ptr]",
        "ptr %a, ptr %b, ptr byval(%t) %s, i32 %n",
        &make.text,
    )
}

/// All that is said of a module's sites, without names and columns.
fn said(found: &Communication) -> Vec<String> {
    let json = communication(found);
    let sites = json.kernels.iter().flat_map(|k| &k.sites);
    sites
        .map(|s| {
            let order: Vec<_> = s.ordered_by.iter().map(|o| (o.how, o.site)).collect();
            format!("{} {:?} {} {:?} {} {:?} {order:?}", s.class, s.line, s.op, s.remote, s.executed_by, s.why)
        })
        .collect()
}

#[test]
fn random_kernels_have_an_answer_that_names_do_not_change() {
    let seconds = std::env::var("GICC_FACTS_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(3);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut seed = 0;
    while Instant::now() < end || seed < 20 {
        let text = random_kernel(seed);
        match try_examine(&text, Assume::Aggressive, None) {
            Ok(found) => {
                let _ = annotated(&found, &mut Sources::default());
                let _ = (dot(&found), svg(&found));
                let renamed =
                    text.replace("@k(", "@other(").replace("@g", "@x").replace("%a", "%first").replace("%s", "%third");
                let again = try_examine(&renamed, Assume::Aggressive, None).unwrap();
                assert_eq!(said(&found), said(&again), "seed {seed}\n{text}");
            }
            // Assembly that names operands wrongly is refused, as in a compilation.
            Err(errors) => assert!(errors.iter().all(|d| d.code == "E0210" || d.code == "E0104"), "{errors:?}\n{text}"),
        }
        seed += 1;
    }
}
