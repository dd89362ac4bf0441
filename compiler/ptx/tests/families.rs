//! One test per instruction family: every form is known, its canonical spelling means the same, and a snapshot shows
//! spelling, operand roles and memory-model meaning.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use ptx::{Module, Op, StatementKind};
use std::fmt::Write;

const REGISTERS: &str = ".reg .pred p, q, t; .reg .b16 h<9>; .reg .b32 r<9>; .reg .b64 d<9>; .reg .f32 f<9>; \
    .reg .f64 e<9>; .reg .b128 w<4>; .shared .align 16 .b8 s[1024];";

fn module(body: &str) -> Module {
    let text = format!(
        ".version 8.8 .target sm_100a .address_size 64 .visible .entry k(.param .b64 a) {{ {REGISTERS} {body} ret; }}"
    );
    ptx::parse_module(&text).unwrap_or_else(|e| panic!("{e}: {body}"))
}

fn table(lines: &str) -> String {
    let mut out = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let module = module(line);
        assert!(module.unknown().is_empty(), "{line}: {:?}", module.unknown());
        let mut count = 0;
        module.walk(&mut |statement| {
            let StatementKind::Instruction(instruction) = &statement.kind else { return };
            if instruction.opcode == "ret" {
                return;
            }
            count += 1;
            let spelled = instruction.op.spelling();
            if !matches!(instruction.op, Op::Call(_)) {
                assert_eq!(Op::from_opcode(&spelled).as_ref(), Ok(&instruction.op), "{line}: {spelled}");
            }
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(squeezed(&statement.to_string()), squeezed(line));
            let uses: Vec<String> = instruction
                .uses()
                .iter()
                .map(|(slot, _)| {
                    let pair = slot.pair.map_or(String::new(), |ty| format!("|{ty}"));
                    let lanes = if slot.lanes == 1 { String::new() } else { format!("x{}", slot.lanes) };
                    format!("{:?}:{}{lanes}{pair}", slot.role, slot.ty)
                })
                .collect();
            let meaning = instruction.op.meaning().map_or("-".to_owned(), |meaning| format!("{meaning:?}"));
            writeln!(out, "{line}\n    {spelled}  ({})\n    {meaning}", uses.join(", ")).unwrap();
        });
        assert_eq!(count, 1, "{line}");
    }
    out
}

macro_rules! family {
    ($name:ident, $text:literal) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(table($text));
        }
    };
}

family!(
    loads,
    "ld.global.u32 r1, [d1];
     ld.weak.global.b64 d1, [d2+8];
     ld.b32 r1, [d1];
     ld.volatile.global.u32 r1, [d1];
     ld.relaxed.gpu.global.L1::no_allocate.u32 r1, [d1];
     ld.acquire.sys.b64 d1, [d2];
     ld.acquire.cluster.shared::cluster.b32 r1, [r2];
     ld.mmio.relaxed.sys.global.u32 r1, [d1];
     ld.global.nc.L1::evict_last.L2::cache_hint.v4.f32 {f1,f2,f3,f4}, [d1], d2;
     ld.global.ca.nc.b32 r1, [d1];
     ld.global.L1::evict_first.L2::128B.v2.b64 {d1,d2}, [d3];
     ld.global.L1::no_allocate.L2::evict_last.v4.b64 {d1,d2,d3,d4}, [d5];
     ld.global.v8.b32 {r1,r2,r3,r4,r5,r6,r7,r8}, [d1];
     ld.relaxed.sys.global.b128 w1, [d1];
     ld.shared.u8 h1, [s+3];
     ld.shared::cta.s16 h1, [r1];
     ld.const.f64 e1, [d1];
     ld.local.b32 r1, [d1];
     ld.param.b64 d1, [a];
     ld.param::entry.b64 d1, [a];
     ldu.global.v2.f32 {f1,f2}, [d1];"
);

family!(
    stores,
    "st.global.u32 [d1], r1;
     st.u8 [d1], h1;
     st.global.cs.b32 [d1], 5;
     st.volatile.shared.b32 [s], r1;
     st.relaxed.sys.global.L2::cache_hint.b64 [d1], d2, d3;
     st.release.gpu.global.b32 [d1+-4], r1;
     st.sys.release.global.u32 [d1], r1;
     st.global.L1::no_allocate.v4.s32 [d1], {r1,r2,r3,r4};
     st.relaxed.sys.global.b128 [d1], w1;
     st.mmio.relaxed.sys.global.u32 [d1], r1;
     st.shared::cluster.u32 [r1], r2;
     st.local.v2.b32 [d1], {r1,r2};
     st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [r1], r2, [r3];
     st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [r1], {r2,r3,r4,r5}, [r6];"
);

family!(
    atomics,
    "atom.add.u32 r1, [d1], r2;
     atom.global.sys.add.u32 r1, [d1], 1;
     atom.acquire.gpu.global.cas.b32 r1, [d1], r2, r3;
     atom.relaxed.sys.global.cas.b128 w1, [d1], w2, w3;
     atom.exch.b128.sys.global w1, [d1], w2;
     atom.acq_rel.cta.shared::cta.exch.b64 d1, [r1], d2;
     atom.shared.inc.u32 r1, [r2], r3;
     atom.global.min.s64 d1, [d2], d3;
     atom.global.add.noftz.bf16x2 r1, [d1], r2;
     atom.global.v4.f32.add {f1,f2,f3,f4}, [d1], {f5,f6,f7,f8};
     atom.global.v2.add.noftz.f16x2 {r1,r2}, [d1], {r3,r4};
     atom.add.release.gpu.global.s32 r1, [d1], r2;
     atom.global.cas.b16 h1, [d1], h2, h3;
     red.release.sys.global.add.u64 [d1], d2;
     red.global.max.u32 [d1], r1;
     red.relaxed.gpu.global.add.L2::cache_hint.f32 [d1], f1, d2;
     red.shared::cluster.xor.b32 [r1], r2;
     red.global.v2.f32.add [d1], {f1,f2};"
);

family!(
    multimem,
    "multimem.ld_reduce.relaxed.sys.global.add.f32 f1, [d1];
     multimem.ld_reduce.weak.global.add.acc::f32.v4.bf16x2 {r1,r2,r3,r4}, [d1];
     multimem.ld_reduce.acquire.gpu.global.min.u64 d1, [d2];
     multimem.st.release.sys.global.u32 [d1], r1;
     multimem.st.weak.global.v4.f32 [d1], {f1,f2,f3,f4};
     multimem.red.release.sys.global.add.u32 [d1], r1;
     multimem.red.add.u32 [d1], r1;
     multimem.red.relaxed.sys.global.add.v4.f32 [d1], {f1,f2,f3,f4};"
);

family!(
    fences,
    "fence.sys;
     fence.sc.sys;
     fence.acq_rel.cluster;
     fence.acquire.gpu;
     fence.release.sys;
     fence.acquire.sync_restrict::shared::cluster.cluster;
     fence.release.sync_restrict::shared::cta.cluster;
     membar.cta;
     membar.gl;
     membar.sys;
     fence.proxy.alias;
     fence.proxy.async;
     fence.proxy.async.global;
     fence.proxy.async.shared::cta;
     fence.proxy.async.shared::cluster;
     fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
     fence.proxy.tensormap::generic.release.gpu;
     fence.proxy.tensormap::generic.acquire.sys [d1], 128;
     fence.mbarrier_init.release.cluster;"
);

family!(
    barriers,
    "bar.sync 0;
     bar.sync r1, 64;
     bar.cta.sync 1, r2;
     bar.arrive 1, 64;
     bar.red.popc.u32 r1, 0, !p;
     bar.red.and.pred p, 0, 64, q;
     barrier.sync 3;
     barrier.cta.sync.aligned r1, r2;
     barrier.cta.arrive 1, 96;
     barrier.cta.red.or.aligned.pred p, r1, q;
     barrier.cluster.arrive;
     barrier.cluster.arrive.release.aligned;
     barrier.cluster.arrive.relaxed;
     barrier.cluster.wait.acquire.aligned;
     barrier.cluster.wait;
     bar.warp.sync -1;"
);

family!(
    warp,
    "activemask.b32 r1;
     vote.sync.all.pred p, q, -1;
     vote.sync.ballot.b32 r1, !p, r2;
     match.any.sync.b64 r1, d1, -1;
     match.all.sync.b32 r1|p, r2, r3;
     shfl.sync.bfly.b32 r1, r2, 1, 31, -1;
     shfl.sync.up.b32 r1|p, r2, r3, 0, -1;
     shfl.sync.idx.b32 r1|p, f1, 0, 31, r4;
     redux.sync.add.s32 r1, r2, -1;
     redux.sync.min.abs.NaN.f32 f1, f2, -1;
     elect.sync r1|p, -1;
     elect.sync _|p, -1;"
);

family!(
    copies,
    "cp.async.ca.shared.global [s], [d1], 4;
     cp.async.cg.shared::cta.global.L2::128B [r1], [d1], 16, r2;
     cp.async.cg.shared.global.L2::cache_hint [r1], [d1], 16, d2;
     cp.async.commit_group;
     cp.async.wait_group 2;
     cp.async.wait_all;
     cp.async.mbarrier.arrive.noinc.shared::cta.b64 [r1];
     cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r1], [d1], r2, [r3];
     cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [r1], [d1], 64, [r3];
     cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [r1], [d1], r2, [r3], h1, d2;
     cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [r1], [r2], r3, [r4];
     cp.async.bulk.global.shared::cta.bulk_group [d1], [r1], r2;
     cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [d1], [r1], r2, d2, h1;
     cp.async.bulk.prefetch.L2.global [d1], r1;
     cp.async.bulk.commit_group;
     cp.async.bulk.wait_group 0;
     cp.async.bulk.wait_group.read 1;
     cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [d1], [r1], r2;
     cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [d1], [r1], r2;
     cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [r1], [r2], r3, [r4];
     cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [r1], [d1, {r2, r3}], [r4];
     cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [r1], [d1, {r2,r3,r4}], [r5], d2;
     cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes.multicast::cluster [r1], [d1, {r2,r3,r4,r5}], [r6], {h1,h2}, h3;
     cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [d1, {r1}], [r2];
     cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [d1, {r1,r2}], [r3];"
);

family!(
    mbarriers,
    "mbarrier.init.shared::cta.b64 [s], 1;
     mbarrier.inval.b64 [d1];
     mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r1], r2;
     mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [r1], r2;
     mbarrier.arrive.shared.b64 d1, [s];
     mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r1], 2;
     mbarrier.arrive.relaxed.cta.b64 d1, [d2];
     mbarrier.arrive.expect_tx.shared::cta.b64 _, [r1], r2;
     mbarrier.arrive.noComplete.shared.b64 d1, [r1], 3;
     mbarrier.arrive_drop.shared.b64 d1, [r1];
     mbarrier.test_wait.shared.b64 p, [r1], d1;
     mbarrier.test_wait.parity.acquire.cluster.shared::cta.b64 p, [r1], r2;
     mbarrier.try_wait.parity.shared::cta.b64 p, [r1], r2, 1000;
     mbarrier.try_wait.relaxed.cluster.shared::cta.b64 p, [r1], d1;
     mbarrier.pending_count.b64 r1, d1;"
);

family!(
    addresses,
    "cvta.to.global.u64 d1, d2;
     cvta.shared.u64 d1, s;
     cvta.param.u64 d1, a;
     cvta.local.u64 d1, d2;
     mapa.shared::cluster.u32 r1, r2, r3;
     mapa.u64 d1, d2, 1;
     getctarank.shared::cluster.u32 r1, r2;
     isspacep.shared::cluster p, d1;
     isspacep.global p, d1;
     prefetch.global.L2 [d1+128];
     prefetch.global.L2::evict_last [d1];
     prefetchu.L1 [d1];
     prefetch.tensormap [d1];
     createpolicy.fractional.L2::evict_first.b64 d1, 1.0;
     createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 d1;"
);

family!(
    moves,
    "mov.u32 r1, %tid.x;
     mov.u32 r1, %laneid;
     mov.u64 d1, %globaltimer;
     mov.u32 r1, %cluster_ctarank;
     mov.u32 r1, WARP_SZ;
     mov.b64 d1, s;
     mov.u64 d1, s+16;
     mov.b64 {r1, r2}, d1;
     mov.b128 w1, {d1, d2};
     mov.b128 {d1, d2}, w1;
     mov.b32 r1, {h1, h2};
     mov.b32 {_, h1}, r1;
     mov.pred p, 1;
     mov.f32 f1, 0f3F800000;
     mov.f64 e1, 0d3FF0000000000000;
     mov.v2.u32 {r1, r2}, {r3, r4};"
);

family!(
    arithmetic,
    "add.s32 r1, r2, -1;
     add.cc.u32 r1, r2, r3;
     addc.cc.u32 r1, r2, r3;
     add.sat.s32 r1, r2, r3;
     add.rn.ftz.f32 f1, f2, f3;
     sub.s64 d1, d2, d3;
     subc.u32 r1, r2, 0;
     mul.wide.s32 d1, r1, 4;
     mul.hi.u64 d1, d2, d3;
     mul.lo.s16 h1, h2, h3;
     mul.rn.f64 e1, e2, e3;
     mad.lo.s32 r1, r2, r3, r4;
     mad.wide.u16 r1, h1, h2, r2;
     mad.hi.cc.u32 r1, r2, r3, r4;
     madc.lo.u32 r1, r2, r3, r4;
     mul24.lo.u32 r1, r2, r3;
     mad24.hi.s32 r1, r2, r3, r4;
     fma.rn.f32 f1, f2, f3, f4;
     fma.rn.relu.bf16x2 r1, r2, r3, r4;
     fma.rn.f32x2 d1, d2, d3, d4;
     div.s32 r1, r2, r3;
     div.full.f32 f1, f2, f3;
     div.approx.ftz.f32 f1, f2, f3;
     rem.u64 d1, d2, d3;
     abs.s32 r1, r2;
     neg.f32 f1, f2;
     min.s32 r1, r2, r3;
     max.NaN.f32 f1, f2, f3;
     max.f32 f1, f2, f3, f4;
     min.u16x2 r1, r2, r3;
     sad.u32 r1, r2, r3, r4;
     rcp.rn.f32 f1, f2;
     rcp.approx.ftz.f32 f1, f2;
     sqrt.rn.f64 e1, e2;
     ex2.approx.f32 f1, f2;
     tanh.approx.f32 f1, f2;
     copysign.f32 f1, f2, f3;
     testp.infinite.f32 p, f1;
     dp4a.u32.s32 r1, r2, r3, r4;
     dp2a.lo.u32.u32 r1, r2, r3, r4;"
);

family!(
    logic,
    "and.pred p, q, t;
     or.b32 r1, r2, 255;
     xor.b64 d1, d2, d3;
     not.pred p, q;
     cnot.b32 r1, r2;
     lop3.b32 r1, r2, r3, r4, 0xC0;
     lop3.or.b32 r1|p, r2, r3, r4, 0xC0, q;
     shl.b64 d1, d2, 3;
     shr.u32 r1, r2, 5;
     shr.s64 d1, d2, r1;
     shf.l.wrap.b32 r1, r2, r3, 7;
     shf.r.clamp.b32 r1, r2, r3, r4;
     popc.b64 r1, d1;
     clz.b32 r1, r2;
     bfind.shiftamt.u32 r1, r2;
     brev.b32 r1, r2;
     bfe.s32 r1, r2, 4, 8;
     bfi.b64 d1, d2, d3, 4, 8;
     bmsk.clamp.b32 r1, r2, r3;
     szext.wrap.s32 r1, r2, r3;
     fns.b32 r1, r2, r3, r4;
     prmt.b32 r1, r2, r3, 0x5410;
     prmt.b32.rc16 r1, r2, r3, r4;"
);

family!(
    comparison_and_conversion,
    "setp.eq.s32 p, r1, 0;
     setp.lt.and.u64 p|q, d1, d2, !t;
     setp.neu.ftz.f32 p, f1, f2;
     setp.num.f64 p, e1, e2;
     set.gt.u32.s32 r1, r2, r3;
     set.lt.or.f32.f32 f1, f2, f3, p;
     selp.b32 r1, r2, r3, p;
     selp.f64 e1, e2, 0d0000000000000000, p;
     slct.u32.s32 r1, r2, r3, r4;
     cvt.u32.u64 r1, d1;
     cvt.s64.s32 d1, r1;
     cvt.rn.f32.s32 f1, r1;
     cvt.rzi.u32.f32 r1, f1;
     cvt.rn.bf16x2.f32 r1, f1, f2;
     cvt.rn.satfinite.e4m3x2.f32 h1, f1, f2;
     cvt.sat.u8.s32 h1, r1;
     cvt.f64.f32 e1, f1;
     cvt.rn.f16.f32 h1, f1;"
);

family!(
    control,
    "bra L;
     @p bra.uni L;
     @!p bra L;
     brx.idx r1, targets;
     exit;
     trap;
     brkpt;
     ret.uni;
     call.uni (r1), callee, (r2, 5);
     call callee, ();
     call (r1), d1, (r2), prototype;
     nanosleep.u32 20;
     griddepcontrol.launch_dependents;
     griddepcontrol.wait;
     setmaxnreg.inc.sync.aligned.u32 232;"
);

/// What is close to the table but not in it is unknown, with a reason.
#[test]
fn near_misses_are_unknown() {
    let mut out = String::new();
    for line in [
        "ld.relaxed.global.u32 r1, [d1];",
        "ld.weak.acquire.sys.u32 r1, [d1];",
        "ld.release.sys.global.u32 r1, [d1];",
        "ld.volatile.sys.u32 r1, [d1];",
        "ld.shared.nc.u32 r1, [r2];",
        "ld.global.v2.u32 r1, [d1, {r1}], r3;",
        "ld.global.v2.u32 {r1, r2, r3}, [d1];",
        "ld.global.u32 r1, d1;",
        "ld.global.u32 5, [d1];",
        "ld.global r1, [d1];",
        "ld.global.u32 p, [d1];",
        "cp.async.ca.shared.global [s], [d1], 4, p;",
        "st.const.u32 [d1], r1;",
        "st.acquire.sys.u32 [d1], r1;",
        "red.cas.b32 [d1], r1;",
        "red.acquire.gpu.global.add.u32 [d1], r1;",
        "atom.add.cas.u32 r1, [d1], r2;",
        "multimem.red.exch.b32 [d1], r1;",
        "fence;",
        "fence.relaxed.sys;",
        "fence.proxy.async.acquire;",
        "fence.proxy.tensormap::generic.acquire.gpu;",
        "membar.gpu;",
        "bar.sync;",
        "bar.red.and.u32 r1, 0, p;",
        "barrier.cluster.arrive.acquire;",
        "cp.async.bulk.global.global.bulk_group [d1], [d2], 16;",
        "cp.async.bulk.wait_group r1;",
        "cp.async.bulk.wait_all;",
        "mbarrier.wait.b64 [d1];",
        "mbarrier.init.acquire.cta.b64 [d1], 1;",
        "shfl.sync.bfly.b64 d1, d2, 1, 31, -1;",
        "mul.s32 r1, r2, r3;",
        "mul.wide.s64 d1, d2, d3;",
        "and.s32 r1, r2, r3;",
        "shf.wrap.b32 r1, r2, r3, 4;",
        "setp.s32 p, r1, r2;",
        "setp.eq.s32 r1, r2, r3;",
        "selp.b32 r1, r2, r3, r4;",
        "add.lo.s32 r1, r2, r3;",
        "lop3.b32 r1, r2, r3, r4, r5;",
        "mov.b32 r1, [d1];",
        "bra 5;",
        "tcgen05.fence::before_thread_sync;",
        "wgmma.commit_group.sync.aligned;",
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r1,r2,r3,r4}, [r5];",
        "cvta.u64 d1, d2;",
        "createpolicy.range.L2::evict_last.b64 d1, [d2], 1, 2;",
        "add.s32 r1, r2, (1 << 4);",
    ] {
        let module = module(line);
        let unknown = module.unknown();
        assert_eq!(unknown.len(), 1, "{line} is taken");
        assert_eq!(unknown[0].1.text, line);
        assert!(line.starts_with(&unknown[0].1.opcode));
        writeln!(out, "{line}  {}", unknown[0].1.reason).unwrap();
    }
    insta::assert_snapshot!(out);
}
