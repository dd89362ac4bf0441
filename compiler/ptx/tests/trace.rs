//! The executor on what clang-22 made of real kernels: the numbers are right, and the events are those of the text.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use ptx::op::{BarrierAction, CopyGroup};
use ptx::trace::*;
use ptx::*;

fn module(name: &str) -> (String, Module) {
    let path = format!("{}/tests/inputs/{name}.ptx", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(path).unwrap();
    let module = parse_module(&source).unwrap();
    (source, module)
}

fn words(values: impl IntoIterator<Item = u32>) -> Vec<u8> {
    values.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn longs(values: impl IntoIterator<Item = u64>) -> Vec<u8> {
    values.into_iter().flat_map(u64::to_le_bytes).collect()
}

fn read_words(memory: &ConcreteMemory, address: u64, count: usize) -> Vec<u32> {
    let bytes = memory.bytes(address, 4 * count).unwrap();
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

/// An event in one line: what the tests compare.
fn brief(event: &Event) -> String {
    match &event.kind {
        EventKind::Access { access, place, read, written } => {
            let scope = access.scope.map_or(String::new(), |scope| format!(".{scope}"));
            let values = if written.is_empty() { format!("-> {read:x?}") } else { format!("<- {written:x?}") };
            format!("{:?} {}{scope} {}:{:#x} {values}", access.kind, access.semantics, place.space, place.address)
        }
        EventKind::Fence { semantics, scope, .. } => format!("fence {semantics}.{scope}"),
        EventKind::ProxyFence { kind, .. } => format!("proxy fence {kind}"),
        EventKind::Barrier { action, id, count, generation } => {
            format!("barrier {action} {id} {count:?} #{generation}")
        }
        EventKind::AsyncCopy { destination, source, bytes, .. } => {
            let place = |p: &Option<Place>| p.map_or(String::new(), |p| format!("{}:{:#x}", p.space, p.address));
            format!("copy {} <- {} {bytes}", place(destination), place(source))
        }
        EventKind::CopyGroup { group, pending } => format!("{group:?} {pending}"),
        EventKind::Mbarrier { action, semantics, scope, complete, .. } => {
            format!("mbarrier {action} {semantics}.{scope} {complete:?}")
        }
        EventKind::Warp { mask, orders } => format!("warp {mask:#x} {orders}"),
        other => format!("{other:?}"),
    }
}

const PEER: u64 = 0x10_0000;
const SIGNAL: u64 = 0x20_0000;
const SOURCE: u64 = 0x30_0000;
const ERROR: u64 = 0x40_0000;

/// `struct Team` of the kernels: data and signals of eight PEs, the error word, rank and size.
fn team(rank: u32) -> Vec<u8> {
    let mut bytes = longs((0..8).map(|pe| PEER + 0x1000 * pe));
    bytes.extend(longs((0..8).map(|pe| SIGNAL + 8 * pe)));
    bytes.extend(longs([ERROR]));
    bytes.extend(words([rank, 8]));
    bytes
}

#[test]
fn a_put_publishes_behind_the_barrier() {
    let (source, module) = module("peer_put");
    let mut memory = ConcreteMemory::new();
    memory.region(PEER, vec![0; 0x8000]).region(SIGNAL, vec![0; 64]);
    memory.region(SOURCE, words((0..100u32).map(|i| (i as f32).to_bits())));
    let launch = Launch::new(&module, "put")
        .block(64, 1, 1)
        .parameter(team(0))
        .parameter(SOURCE.to_le_bytes())
        .parameter(100i32.to_le_bytes())
        .parameter(3i32.to_le_bytes())
        .parameter(7u64.to_le_bytes());
    let threads = run(&launch, &mut memory).unwrap();
    let expected: Vec<u32> = (0..100u32).map(|i| (2.0 * i as f32).to_bits()).collect();
    assert_eq!(read_words(&memory, PEER + 0x3000, 100), expected);
    assert_eq!(memory.bytes(SIGNAL + 24, 8).unwrap(), 7u64.to_le_bytes());

    let events: Vec<String> = threads[0].events.iter().map(brief).collect();
    let last: Vec<&str> = events.iter().rev().take(2).rev().map(String::as_str).collect();
    assert_eq!(last, ["barrier sync 0 None #0", "Store release.sys global:0x200018 <- [7]"]);
    assert!(events.iter().any(|e| e.starts_with("Store weak global:0x103000")), "{events:#?}");
    let release = threads[0].events.last().unwrap();
    assert!(release.span.text(&source).starts_with("st.release.sys.global.u64 [%rd"), "{}", release.span.text(&source));
    // The other threads end at the barrier, and no store of theirs comes behind it in this execution.
    for thread in &threads[1..] {
        assert!(matches!(thread.events.last().unwrap().kind, EventKind::Barrier { .. }));
        assert!(thread.events.iter().all(|event| event.sequence < release.sequence));
    }
}

#[test]
fn a_poll_takes_the_values_it_is_given() {
    let (_, module) = module("peer_put");
    let run_with = |values: Vec<u128>, limit: u64| {
        let mut memory = ConcreteMemory::new();
        memory.region(PEER, words(0..0x400)).region(SIGNAL, vec![0; 64]).region(ERROR, vec![0; 4]);
        memory.region(SOURCE, vec![0; 64]);
        memory.force(SIGNAL, values);
        let launch = Launch::new(&module, "wait")
            .block(32, 1, 1)
            .parameter(team(0))
            .parameter(SOURCE.to_le_bytes())
            .parameter(16i32.to_le_bytes())
            .parameter(5u64.to_le_bytes())
            .parameter(limit.to_le_bytes());
        (run(&launch, &mut memory).unwrap(), memory)
    };
    let (threads, memory) = run_with(vec![0, 4, 5], 1_000_000);
    let polls: Vec<String> = threads[0].events.iter().map(brief).filter(|e| e.contains("acquire")).collect();
    assert_eq!(polls, ["0x0", "0x4", "0x5"].map(|v| format!("Load acquire.sys global:0x200000 -> [{}]", &v[2..])));
    assert_eq!(read_words(&memory, SOURCE, 16), (0..16).collect::<Vec<_>>());
    assert_eq!(read_words(&memory, ERROR, 1), [0]);

    let (threads, memory) = run_with(vec![0], 100);
    assert_eq!(read_words(&memory, ERROR, 1), [1]);
    assert_eq!(read_words(&memory, SOURCE, 16), vec![0; 16]);
    assert!(threads[0].events.iter().map(brief).any(|e| e == "Store relaxed.sys global:0x400000 <- [1]"));
}

#[test]
fn shuffles_votes_calls_and_tables() {
    let (_, module) = module("reduce");
    let (input, sum, ballots, which) = (0x1_0000, 0x2_0000, 0x3_0000, 0x4_0000);
    let values: Vec<u32> = (0..64u32).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect();
    let choices: Vec<u32> = (0..64u32).map(|i| i % 9).collect();
    let mut memory = ConcreteMemory::new();
    memory.region(input, words(values.iter().copied())).region(which, words(choices.iter().copied()));
    memory.region(sum, words([1000])).region(ballots, vec![0; 256]);
    let mut launch = Launch::new(&module, "reduce").block(64, 1, 1);
    for address in [input, sum, ballots, which] {
        launch = launch.parameter(address.to_le_bytes());
    }
    let threads = run(&launch, &mut memory).unwrap();
    let weights = [1u32, 10, 100, 1000];
    let weighed: Vec<u32> = values
        .iter()
        .zip(&choices)
        .map(|(v, w)| match w {
            0 => v.wrapping_add(1),
            1 => v.wrapping_mul(*v),
            2 => v ^ 0x55,
            3 => v.count_ones(),
            4 => v.rotate_right(3),
            5 => v / 7,
            w => v.wrapping_mul(weights[(w & 3) as usize]),
        })
        .collect();
    let total = weighed.iter().fold(1000u32, |a, b| a.wrapping_add(*b));
    assert_eq!(read_words(&memory, sum, 1), [total]);
    let ballot = |warp: usize| (0..32).fold(0, |m, i| m | (weighed[32 * warp + i] & 1) << i);
    assert_eq!(read_words(&memory, ballots, 2), [ballot(0), ballot(1)]);
    let same = |t: usize| {
        let warp = t / 32 * 32;
        (0..32).fold(0, |m, i| m | u32::from(weighed[warp + i] & 3 == weighed[t] & 3) << i)
    };
    // `elect.sync` chose lane 0 of each warp.
    assert_eq!(read_words(&memory, ballots + 128, 2), [same(0), same(32)]);
    // What `__atomic_fetch_add` with any ordering became: relaxed, at gpu scope.
    let atomics: Vec<String> = threads[0].events.iter().map(brief).filter(|e| e.contains("ReadModifyWrite")).collect();
    assert_eq!(atomics.len(), 1, "{atomics:?}");
    assert!(threads[0].events.iter().map(brief).any(|e| e == "warp 0xffffffff false"));
}

#[test]
fn a_bulk_copy_and_its_order() {
    let (_, module) = module("bulk_copy");
    let (source, destination, signal) = (0x1_0000u64, 0x2_0000u64, 0x3_0000u64);
    let mut memory = ConcreteMemory::new();
    memory.region(source, words(0..256)).region(destination, vec![0; 1024]).region(signal, vec![0; 8]);
    let mut launch = Launch::new(&module, "bulk_put").block(128, 1, 1);
    for address in [source, destination, signal] {
        launch = launch.parameter(address.to_le_bytes());
    }
    let launch = launch.parameter(1024u32.to_le_bytes());
    let threads = run(&launch, &mut memory).unwrap();
    assert_eq!(read_words(&memory, destination, 256), (1..257).collect::<Vec<_>>());
    let order: Vec<String> = threads[0].events.iter().map(brief).filter(|e| !e.contains("weak")).collect();
    assert_eq!(
        order,
        [
            "proxy fence async.shared::cta",
            "barrier sync 0 None #0",
            "copy global:0x20000 <- shared:0x0 1024",
            "BulkCommit 0",
            "BulkWait { read: false } 0",
            "Store release.sys global:0x30000 <- [1]",
        ]
    );
    assert!(matches!(
        threads[0].events.iter().rev().nth(1).unwrap().kind,
        EventKind::CopyGroup { group: CopyGroup::BulkWait { read: false }, pending: 0 }
    ));
}

#[test]
fn a_bulk_copy_completes_on_an_mbarrier() {
    let (_, module) = module("bulk_copy");
    let (source, out) = (0x1_0000u64, 0x2_0000u64);
    let mut memory = ConcreteMemory::new();
    memory.region(source, words(0..256)).region(out, vec![0; 1024]);
    let launch = Launch::new(&module, "bulk_get")
        .block(128, 1, 1)
        .parameter(source.to_le_bytes())
        .parameter(out.to_le_bytes())
        .parameter(512u32.to_le_bytes());
    let threads = run(&launch, &mut memory).unwrap();
    assert_eq!(read_words(&memory, out, 129), (0..128).chain([0]).collect::<Vec<_>>());
    let waits: Vec<String> = threads[5].events.iter().map(brief).filter(|e| e.contains("mbarrier")).collect();
    assert_eq!(waits.last().unwrap(), "mbarrier try_wait acquire.cta Some(true)");
    let arrival = threads[0].events.iter().map(brief).find(|e| e.contains("arrive")).unwrap();
    assert_eq!(arrival, "mbarrier arrive.expect_tx release.cta None");
}

#[test]
fn named_barriers_hand_slots_over() {
    let (_, module) = module("named_barriers");
    let (input, out, counter, flag) = (0x1_0000u64, 0x2_0000u64, 0x3_0000u64, 0x4_0000u64);
    let mut memory = ConcreteMemory::new();
    memory.region(input, words((0..128).map(|i| i * 3))).region(out, vec![0; 512]);
    memory.region(counter, words([3])).region(flag, words([0]));
    let mut launch = Launch::new(&module, "pipeline").block(64, 1, 1);
    for address in [input, out, counter, flag] {
        launch = launch.parameter(address.to_le_bytes());
    }
    let launch = launch.parameter(4u32.to_le_bytes());
    let threads = run(&launch, &mut memory).unwrap();
    let expected: Vec<u32> = (0..128).map(|i| i * 3 + i / 32).collect();
    assert_eq!(read_words(&memory, out, 128), expected);
    assert_eq!(read_words(&memory, flag, 1), [4]);
    let barriers = |t: usize| {
        threads[t]
            .events
            .iter()
            .filter_map(|e| match &e.kind {
                EventKind::Barrier { action, id, generation, .. } => Some((*action, *id, *generation)),
                _ => None,
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(
        barriers(0)[..4],
        [
            (BarrierAction::Sync, 2, 0),
            (BarrierAction::Arrive, 1, 0),
            (BarrierAction::Sync, 2, 1),
            (BarrierAction::Arrive, 1, 1),
        ]
    );
    let tail: Vec<String> = threads[0].events.iter().rev().take(5).rev().map(brief).collect();
    assert_eq!(tail[0], "fence sc.sys");
    assert_eq!(tail[3], "fence acq_rel.sys");
    assert_eq!(tail[4], "Store relaxed.sys global:0x40000 <- [4]");
}

#[test]
fn packets_are_one_word() {
    let (_, module) = module("packets");
    let (slots, data) = (0x1_0000u64, 0x2_0000u64);
    let mut memory = ConcreteMemory::new();
    memory.region(slots, vec![0; 64]).region(data, longs([11, 22, 33, 44]));
    let launch = |entry: &str, from: u64, to: u64| {
        Launch::new(&module, entry)
            .block(4, 1, 1)
            .parameter(from.to_le_bytes())
            .parameter(to.to_le_bytes())
            .parameter(9u64.to_le_bytes())
            .parameter(4u32.to_le_bytes())
    };
    let sent = run(&launch("send", slots, data), &mut memory).unwrap();
    let Some((access, _)) = sent[1].events.last().unwrap().access() else { panic!() };
    assert_eq!(
        (access.width, access.count, access.semantics, access.scope),
        (16, 1, Semantics::Relaxed, Some(Scope::Sys))
    );
    let EventKind::Access { written, .. } = &sent[1].events.last().unwrap().kind else { panic!() };
    assert_eq!(written, &[9 << 64 | 22]);
    memory.region(0x3_0000, vec![0; 32]);
    run(&launch("receive", slots, 0x3_0000), &mut memory).unwrap();
    assert_eq!(memory.bytes(0x3_0000, 32).unwrap(), longs([11, 22, 33, 44]));
}

#[test]
fn a_struct_by_value_a_constant_table_and_a_switch() {
    let (_, module) = module("debug_lines");
    let (flags, data, out) = (0x1_0000u64, 0x2_0000u64, 0x8_0000u64);
    let mut params = longs((0..8).map(|i| flags + 4 * i));
    params.extend(longs((0..8).map(|i| data + 0x1000 * i)));
    params.extend(words([2, 100]));
    let mut memory = ConcreteMemory::new();
    memory.region(flags, vec![0; 32]).region(data, vec![0; 0x8000]);
    memory.region(out, words((0..256u32).map(|i| (i as f32).to_bits())));
    memory.force(flags, [0, 1]);
    let launch = Launch::new(&module, "kern")
        .block(256, 1, 1)
        .parameter(params)
        .parameter(out.to_le_bytes())
        .parameter(4u32.to_le_bytes());
    run(&launch, &mut memory).unwrap();
    let mirrored: Vec<u32> = (0..256u32).map(|i| (2.0 * (255 - i) as f32).to_bits()).collect();
    for peer in 0..8 {
        assert_eq!(read_words(&memory, data + 0x1000 * peer, 256), mirrored, "peer {peer}");
    }
    assert_eq!(read_words(&memory, flags + 8, 1), [1]);
    // out[2] = helper(4, p) = 4 * 100 + table[0]
    assert_eq!(read_words(&memory, out + 8, 1), [401f32.to_bits()]);
    let globals = launch.global_variables().unwrap();
    assert_eq!(globals.iter().map(|g| g.name.as_str()).collect::<Vec<_>>(), ["_$_str", "name"]);
    assert_eq!(globals[1].bytes, globals[0].address.to_le_bytes());
    assert_eq!(globals[0].bytes, b"hi\0");
}

#[test]
fn one_thread_of_a_block_alone() {
    let (_, module) = module("peer_put");
    let mut memory = ConcreteMemory::new();
    memory.region(PEER, vec![0; 0x8000]).region(SIGNAL, vec![0; 64]).region(SOURCE, vec![0; 400]);
    let launch = Launch::new(&module, "put")
        .block(256, 1, 1)
        .parameter(team(0))
        .parameter(SOURCE.to_le_bytes())
        .parameter(100i32.to_le_bytes())
        .parameter(1i32.to_le_bytes())
        .parameter(7u64.to_le_bytes())
        .only([0]);
    let threads = run(&launch, &mut memory).unwrap();
    let events: Vec<String> = threads[0].events.iter().map(brief).collect();
    assert_eq!(events[events.len() - 2..], ["barrier sync 0 None #0", "Store release.sys global:0x200008 <- [7]"]);
}

fn small(body: &str) -> Module {
    let text = format!(
        ".version 8.8 .target sm_90 .address_size 64 .visible .entry k(.param .u64 p) {{
         .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<3>; .shared .align 8 .b8 s[64];
         ld.param.u64 %rd1, [p];
         {body}
         ret; }}"
    );
    parse_module(&text).unwrap()
}

fn run_small(body: &str, threads: u32) -> Result<Vec<ThreadTrace>, TraceError> {
    let module = small(body);
    let mut memory = ConcreteMemory::new();
    memory.region(0x1000, vec![0; 256]);
    let mut launch = Launch::new(&module, "k").block(threads, 1, 1).parameter(0x1000u64.to_le_bytes());
    launch.step_limit = 10_000;
    run(&launch, &mut memory)
}

#[test]
fn errors_name_their_statement() {
    let cases = [
        ("ex2.approx.f32 %f1, 0f3F800000;", "`ex2.approx.f32` cannot be executed"),
        (
            "wgmma.fence.sync.aligned;",
            "`wgmma.fence.sync.aligned` is not known: the opcode is not in the instruction table",
        ),
        ("add.u32 %r1, %r2, 1;", "the register `%r2` is read before it is written"),
        // A copy of it has no value either, whatever the register held.
        ("mov.u32 %r1, 5; mov.u32 %r1, %r2; add.u32 %r3, %r1, 1;", "the register `%r1` is read before it is written"),
        ("mov.u32 %r1, nothing;", "nothing declares `nothing`"),
        ("mov.u32 %r1, %nothing;", "nothing declares `%nothing`"),
        ("L: bra L;", "the thread took more than 10000 steps"),
        ("ld.global.u32 %r1, [%rd1+4096];", "no memory there (address 0x2000, 4 bytes)"),
        ("ld.global.u32 %r1, [%rd1+2];", "address 0x1002 is not aligned to 4 bytes"),
        ("ld.shared.u32 %r1, [s+4096];", "shared address 0x1000 with 4 bytes is outside what is declared"),
        ("mov.u32 %r1, 0; div.u32 %r2, 1, %r1;", "the result is undefined: division by zero"),
        ("call.uni missing, ();", "the function `missing` has no body here"),
        ("bar.sync 16;", "the result is undefined: barrier number 16"),
        ("bar.sync 1, 64;", "no thread can go on: thread 0 waits at barrier 1 (line 4)"),
        (
            "multimem.red.relaxed.sys.global.add.u32 [%rd1], 1;",
            "this memory has no multimem addresses (address 0x1000, 4 bytes)",
        ),
        (
            "mbarrier.arrive.shared.b64 %rd2, [s];",
            "the result is undefined: there is no initialised mbarrier at shared address 0x0",
        ),
        (
            "shfl.sync.idx.b32 %r1, 1, 9, 31, -1;",
            "the result is undefined: a shuffle from lane 9, which does not take part",
        ),
    ];
    for (body, expected) in cases {
        let error = run_small(body, 1).unwrap_err();
        assert_eq!(error.kind.to_string(), expected, "{body}");
        assert_eq!(error.span.line, 4, "{body}");
    }
}

#[test]
fn a_deadlock_between_warp_instructions_is_described() {
    let error = run_small(
        "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; @%p1 bra L; bar.warp.sync -1; L: @!%p1 bra M; bar.sync 0; M:",
        2,
    )
    .unwrap_err();
    let TraceErrorKind::Deadlock(text) = &error.kind else { panic!("{error}") };
    assert_eq!(
        text,
        "thread 0 waits at barrier 0 (line 4); thread 1 waits at bar.warp.sync for lanes 0xffffffff (line 4)"
    );
}

#[test]
fn externals_recursion_and_indirect_calls() {
    let text = ".version 8.8 .target sm_90 .address_size 64
        .extern .func (.param .b32 r) outside (.param .b64 a);
        .func (.param .b32 r) down (.param .b32 n) {
            .reg .b32 %r<4>; .reg .pred %p<2>;
            ld.param.b32 %r1, [n];
            setp.eq.u32 %p1, %r1, 0;
            @%p1 bra DONE;
            add.u32 %r2, %r1, -1;
            { .param .b32 a; .param .b32 b; st.param.b32 [a], %r2; call.uni (b), down, (a); ld.param.b32 %r3, [b]; }
            add.u32 %r1, %r1, %r3;
            DONE: st.param.b32 [r], %r1;
            ret;
        }
        .visible .entry k(.param .u64 p) {
            .reg .b32 %r<4>; .reg .b64 %rd<4>;
            ld.param.u64 %rd1, [p];
            mov.b64 %rd2, down;
            proto: .callprototype (.param .b32 _) _ (.param .b32 _);
            { .param .b32 a; .param .b32 b; st.param.b32 [a], 10; call (b), %rd2, (a), proto; ld.param.b32 %r1, [b]; }
            { .param .b64 a; .param .b32 b; st.param.b64 [a], %rd1; call.uni (b), outside, (a); ld.param.b32 %r2, [b]; }
            st.global.v2.b32 [%rd1], {%r1, %r2};
            ret;
        }";
    let module = parse_module(text).unwrap();
    assert!(module.unknown().is_empty());
    let mut memory = ConcreteMemory::new();
    memory.region(0x1000, vec![0; 8]);
    let mut launch = Launch::new(&module, "k").parameter(0x1000u64.to_le_bytes());
    launch.externals.insert("outside".to_owned(), vec![77, 0, 0, 0]);
    run(&launch, &mut memory).unwrap();
    assert_eq!(read_words(&memory, 0x1000, 2), [55, 77]);
}

#[test]
fn reductions_over_the_block_and_active_lanes() {
    let module = small(
        "mov.u32 %r1, %tid.x;
         setp.lt.u32 %p1, %r1, 10;
         bar.red.popc.u32 %r2, 0, %p1;
         mul.wide.u32 %rd2, %r1, 4;
         add.s64 %rd2, %rd1, %rd2;
         mov.u32 %r3, 0;
         @!%p1 bra OUT;
         activemask.b32 %r3;
         OUT: mad.lo.u32 %r4, %r2, 65536, %r3;
         st.global.u32 [%rd2], %r4;",
    );
    let mut memory = ConcreteMemory::new();
    memory.region(0x1000, vec![0; 256]);
    let launch = Launch::new(&module, "k").block(32, 1, 1).parameter(0x1000u64.to_le_bytes());
    run(&launch, &mut memory).unwrap();
    let expected: Vec<u32> = (0..32).map(|i| 10 * 65536 + if i < 10 { 0x3ff } else { 0 }).collect();
    assert_eq!(read_words(&memory, 0x1000, 32), expected);
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let module = small("");
    let mut memory = ConcreteMemory::new();
    let mut refused = |launch: Launch<'_>| run(&launch, &mut memory).unwrap_err().to_string();
    assert_eq!(refused(Launch::new(&module, "x")), "0:0: the launch does not fit: there is no kernel `x`");
    assert_eq!(refused(Launch::new(&module, "k")), "0:0: the launch does not fit: `k` takes 1 parameters, not 0");
    assert_eq!(
        refused(Launch::new(&module, "k").parameter([0; 4])),
        "0:0: the launch does not fit: `p` has 8 bytes, not 4"
    );
    assert_eq!(
        refused(Launch::new(&module, "k").parameter([0; 8]).block(2000, 1, 1)),
        "0:0: the launch does not fit: a block has between 1 and 1024 threads, not 2000"
    );
}

/// Which earlier events each event of a thread was computed from: through registers, and through a barrier reduction.
#[test]
fn what_an_event_was_computed_from_is_known() {
    let source = ".version 8.8 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 p) {
          .reg .u64 %d<6>; .reg .pred %q<3>;
          ld.param.u64 %d0, [p]; cvta.to.global.u64 %d0, %d0;
          ld.relaxed.sys.global.u64 %d1, [%d0];
          ld.global.u64 %d2, [%d0+8];
          setp.ne.u64 %q0, %d1, 7;
          bar.red.and.pred %q1, 0, %q0;
          selp.u64 %d3, 1, 0, %q1;
          add.u64 %d4, %d3, %d2;
          st.global.u64 [%d0+16], %d4;
          mov.u64 %d4, 5;
          st.global.u64 [%d0+24], %d4;
          ret; }";
    let module = parse_module(source).unwrap();
    let mut memory = ConcreteMemory::new();
    memory.region(PEER, vec![0; 32]);
    let launch = Launch::new(&module, "k").block(2, 1, 1).parameter(PEER.to_le_bytes());
    let traces = run(&launch, &mut memory).unwrap();
    for trace in traces {
        let depends: Vec<&[usize]> = trace.events.iter().map(|e| e.depends_on.as_slice()).collect();
        let none: &[usize] = &[];
        // Two loads; the reduction, of the first; a store of the second load and the reduction's result; one of neither.
        assert_eq!(depends, [none, none, &[0], &[1, 2], none]);
    }
}

/// The same through the parameters and results of functions, which hold what was stored to them last.
#[test]
fn what_an_argument_was_computed_from_is_known() {
    let source = ".version 8.8 .target sm_90 .address_size 64
        .func (.param .b64 result) f(.param .b64 x, .param .b64 y) {
          .reg .u64 %d<4>;
          ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y];
          st.param.b64 [result], %d1;
          add.u64 %d2, %d0, 1;
          st.param.b64 [result], %d2;
          ret; }
        .visible .entry k(.param .u64 p) {
          .reg .u64 %d<8>;
          ld.param.u64 %d0, [p]; cvta.to.global.u64 %d0, %d0;
          ld.global.u64 %d1, [%d0];
          ld.global.u64 %d2, [%d0+8];
          { .param .b64 a; .param .b64 b; .param .b64 r;
            st.param.b64 [a], %d1; st.param.b64 [b], %d2;
            call.uni (r), f, (a, b);
            ld.param.b64 %d3, [r]; ld.param.b64 %d4, [b]; }
          st.global.u64 [%d0+16], %d3;
          st.global.u64 [%d0+24], %d4;
          { .param .b64 a; .param .b64 b; .param .b64 r;
            st.param.b64 [a], 3; st.param.b64 [b], %d2;
            call.uni (r), f, (a, b);
            ld.param.b64 %d3, [r]; }
          st.global.u64 [%d0+16], %d3;
          ret; }";
    let module = parse_module(source).unwrap();
    let mut memory = ConcreteMemory::new();
    memory.region(PEER, vec![0; 32]);
    let launch = Launch::new(&module, "k").parameter(PEER.to_le_bytes());
    let traces = run(&launch, &mut memory).unwrap();
    let depends: Vec<&[usize]> = traces[0].events.iter().map(|e| e.depends_on.as_slice()).collect();
    let none: &[usize] = &[];
    assert_eq!(depends, [none, none, &[0], &[1], none]);
}

#[test]
fn what_depends_on_a_vote_is_known() {
    let source = ".version 8.8 .target sm_90 .address_size 64
        .visible .entry k(.param .u64 p) {
          .reg .u64 %d<4>; .reg .pred %q<3>;
          ld.param.u64 %d0, [p]; cvta.to.global.u64 %d0, %d0;
          ld.relaxed.sys.global.u64 %d1, [%d0];
          setp.ne.u64 %q0, %d1, 7;
          vote.sync.all.pred %q1, %q0, -1;
          selp.u64 %d2, 1, 0, %q1;
          st.global.u64 [%d0+16], %d2;
          ret; }";
    let module = parse_module(source).unwrap();
    let mut memory = ConcreteMemory::new();
    memory.region(PEER, vec![0; 32]);
    let launch = Launch::new(&module, "k").block(2, 1, 1).parameter(PEER.to_le_bytes());
    for trace in run(&launch, &mut memory).unwrap() {
        let depends: Vec<&[usize]> = trace.events.iter().map(|e| e.depends_on.as_slice()).collect();
        // The load; the vote, of the load; the store, of the vote.
        assert_eq!(depends, [&[] as &[usize], &[0], &[1]]);
    }
}
