//! Random kernels of communication: data and flags here and at the peer, loops that wait, guards, calls of gicc's primitives,
//! inline PTX. Shared by the tests of facts and of `gicc check`.

pub(crate) mod assembly;

use std::fmt::Write as _;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

const RIGHT: &[&str] = &[
    "st.release.sys.global.u32 [$0], $1;",
    "st.relaxed.sys.global.u32 [$0], $1;",
    "st.volatile.global.v4.u32 [$0], {$1,$1,$1,$1};",
    "red.release.gpu.global.add.u32 [$0], $1;",
    "fence.acq_rel.sys;",
    "fence.sc.gpu;",
    "fence.proxy.async;",
    "bar.sync 1, 64;",
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;",
    "L: ld.acquire.sys.u32 %r1, [$0]; setp.ne.u32 p, %r1, $1; @p bra L;",
    "{ .reg .pred p; setp.eq.u32 p, $1, 0; @p st.release.sys.global.u32 [$0], $1; }",
];

const CALLS: &[&str] = &[
    "call void @__gicc_put_block(ptr P, ptr Q, i64 64, i32 4, i32 %other)",
    "call void @__gicc_put_signal_block(ptr P, ptr Q, i64 16, i32 4, ptr %flag, i64 1, i32 0, i32 %other)",
    "call void @__gicc_notify_thread(ptr %flag, i64 1, i32 1, i32 0, i32 %other)",
    "call i64 @__gicc_wait_block(ptr %flag, i32 3, i64 1, i32 %other)",
    "call void @__gicc_release_block(i32 4, i32 0)",
    "call void @__gicc_acquire_thread(i32 3, i32 0)",
    "call void @__gicc_quiet_warp()",
    "call void @__gicc_barrier_block()",
    "call void @__gicc_grid_sync()",
];

const DECLARATIONS: &str = "\
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.membar.sys()
declare void @llvm.nvvm.membar.gl()
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i32 @__gicc_my_pe()
declare ptr @__gicc_peer_ptr(ptr, i32)
declare void @__gicc_put_block(ptr, ptr, i64, i32, i32)
declare void @__gicc_put_signal_block(ptr, ptr, i64, i32, ptr, i64, i32, i32)
declare void @__gicc_notify_thread(ptr, i64, i32, i32, i32)
declare i64 @__gicc_wait_block(ptr, i32, i64, i32)
declare void @__gicc_release_block(i32, i32)
declare void @__gicc_acquire_thread(i32, i32)
declare void @__gicc_quiet_warp()
declare void @__gicc_barrier_block()
declare void @__gicc_grid_sync()
declare i32 @elsewhere(ptr, i32)
";

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

    fn below(&mut self, bound: usize) -> usize {
        self.random.random_range(0..bound)
    }

    fn pointer(&mut self) -> String {
        let n = self.below(self.pointers.len());
        self.pointers[n].clone()
    }

    fn number(&mut self) -> String {
        let n = self.below(self.numbers.len());
        self.numbers[n].clone()
    }

    fn one<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn instruction(&mut self) {
        let (p, q, n, m) = (self.pointer(), self.pointer(), self.number(), self.number());
        let v = self.name();
        let order = self.one(&["monotonic", "release", "acquire", "acq_rel", "seq_cst"]);
        let scope = self.one(&["", "syncscope(\"device\") ", "syncscope(\"block\") "]);
        match self.below(24) {
            0 => {
                let offset = self.one(&["4", "-8", "64", "4096", "1152921504606846976"]);
                self.line(&format!("{v} = getelementptr i8, ptr {p}, i64 {offset}"));
                self.pointers.push(v);
            }
            1 => {
                self.line(&format!("{v}x = zext i32 {n} to i64"));
                self.line(&format!("{v} = getelementptr i32, ptr {p}, i64 {v}x"));
                self.pointers.push(v);
            }
            2 | 3 => {
                let kind = self.one(&["", "volatile "]);
                self.line(&format!("{v} = load {kind}i32, ptr {p}"));
                self.numbers.push(v);
            }
            4 | 5 => {
                let kind = self.one(&["", "volatile "]);
                self.line(&format!("store {kind}i32 {n}, ptr {p}"));
            }
            6 => {
                let op = self.one(&["add", "xchg", "umin", "nand", "uinc_wrap", "sub", "or"]);
                self.line(&format!("{v} = atomicrmw {op} ptr {p}, i32 {n} {scope}{order}"));
                self.numbers.push(v);
            }
            7 => {
                self.line(&format!("{v}c = cmpxchg ptr {p}, i32 {n}, i32 {m} {scope}acq_rel monotonic"));
                self.line(&format!("{v} = extractvalue {{i32, i1}} {v}c, 0"));
                self.numbers.push(v);
            }
            8 | 9 => {
                let code =
                    if self.random.random() { self.one(RIGHT).to_owned() } else { assembly::text(&mut self.random) };
                let clobber = self.one(&["", ",~{memory}"]);
                self.line(&format!("call void asm sideeffect \"{code}\", \"l,r{clobber}\"(ptr {p}, i32 {n})"));
            }
            10 => {
                self.line(&format!(
                    "{v} = call i32 asm sideeffect \"ld.acquire.sys.global.u32 $0, [$1];\", \"=r,l\"(ptr {p})"
                ));
                self.numbers.push(v);
            }
            11 => self.line("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)"),
            12 => {
                let fence =
                    self.one(&["llvm.nvvm.membar.sys()", "llvm.nvvm.membar.gl()", "llvm.nvvm.bar.warp.sync(i32 -1)"]);
                self.line(&format!("call void @{fence}"));
            }
            13 => {
                let order = self.one(&["release", "acquire", "acq_rel", "seq_cst"]);
                self.line(&format!("fence {scope}{order}"));
            }
            14 => self.line(&format!("call void @llvm.memcpy.p0.p0.i64(ptr {p}, ptr {q}, i64 16, i1 false)")),
            15 => {
                let how = self.one(&["eq", "ne", "ult", "sgt", "uge"]);
                self.line(&format!("{v}c = icmp {how} i32 {n}, {m}"));
                self.line(&format!("{v} = select i1 {v}c, ptr {p}, ptr {q}"));
                self.pointers.push(v);
            }
            16 => {
                self.line(&format!("{v}i = ptrtoint ptr {p} to i64"));
                self.line(&format!("{v}j = ptrtoint ptr {q} to i64"));
                let op = self.one(&["add", "sub", "xor", "mul"]);
                self.line(&format!("{v}k = {op} i64 {v}i, {v}j"));
                self.line(&format!("{v} = inttoptr i64 {v}k to ptr"));
                self.pointers.push(v);
            }
            17 => {
                let op = self.one(&["add", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "xor"]);
                self.line(&format!("{v} = {op} i32 {n}, {m}"));
                self.numbers.push(v);
            }
            18 => {
                self.line(&format!("{v} = load ptr, ptr {p}"));
                self.pointers.push(v);
            }
            19 => {
                self.line(&format!("{v} = call ptr @__gicc_peer_ptr(ptr {p}, i32 %other)"));
                self.pointers.push(v);
            }
            20 | 21 => {
                let call = self.one(CALLS).replace(" P,", &format!(" {p},")).replace(" Q,", &format!(" {q},"));
                let result = if call.starts_with("call i64") { format!("{v} = ") } else { String::new() };
                self.line(&format!("{result}{call}"));
            }
            22 => {
                self.line(&format!("{v} = alloca [4 x ptr]"));
                self.pointers.push(v);
            }
            _ => {
                self.line(&format!("{v} = call i32 @elsewhere(ptr {p}, i32 {n})"));
                self.numbers.push(v);
            }
        }
    }
}

/// A random kernel; what blocks compute stays in their block, so that every use is dominated.
pub(crate) fn kernel(seed: u64) -> String {
    let mut make = Make {
        random: StdRng::seed_from_u64(seed),
        text: String::new(),
        pointers: Vec::new(),
        numbers: Vec::new(),
        next: 0,
    };
    let blocks = make.below(8) + 1;
    for block in 0..blocks {
        make.pointers = ["%a", "%b", "%s", "%flag", "%peer", "%peer", "@g"].map(str::to_owned).to_vec();
        make.numbers = ["%tid", "%block", "%n", "%me", "0", "1", "7"].map(str::to_owned).to_vec();
        let _ = writeln!(make.text, "b{block}:");
        for _ in 0..make.below(9) {
            make.instruction();
        }
        let (to, or) = (make.below(blocks + 1), make.below(blocks + 1));
        let (n, c) = (make.number(), make.name());
        match make.below(6) {
            0 => make.line("ret void"),
            1 | 2 => make.line(&format!("br label %b{to}")),
            3 => make.line(&format!("switch i32 {n}, label %b{to} [ i32 0, label %b{or} i32 7, label %b{blocks} ]")),
            _ => {
                let how = make.one(&["eq", "ne", "ult", "sgt", "uge"]);
                make.line(&format!("{c} = icmp {how} i32 {n}, {block}"));
                make.line(&format!("br i1 {c}, label %b{to}, label %b{or}"));
            }
        }
    }
    format!(
        "target triple = \"nvptx64-nvidia-cuda\"\n%t = type {{ ptr, [4 x ptr], i64 }}\n@g = external global [8 x ptr]\n\
         define ptx_kernel void @k(ptr %a, ptr %b, ptr byval(%t) %s, ptr %flag, i32 %n) {{\nentry:\n  \
         %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n  \
         %me = call i32 @__gicc_my_pe()\n  %other = sub i32 1, %me\n  \
         %peer = call ptr @__gicc_peer_ptr(ptr %a, i32 %other)\n  br label %b0\n{}b{blocks}:\n  ret void\n}}\n{DECLARATIONS}",
        make.text
    )
}
