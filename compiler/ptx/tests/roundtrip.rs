//! Generated instructions: what is spelled is read back as itself, operands and all, and arbitrary text never panics.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use proptest::prelude::*;
use proptest::sample::select;
use ptx::op::*;
use ptx::*;

const DECLARATIONS: &str = ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .b128 %q<9>;";

fn scope() -> impl Strategy<Value = Scope> {
    select(vec![Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys])
}

fn order(ordered: Semantics) -> impl Strategy<Value = Order> {
    prop_oneof![
        Just(Order::Unmarked),
        Just(Order::Weak),
        Just(Order::Volatile),
        Just(Order::Mmio(Semantics::Relaxed)),
        (select(vec![Semantics::Relaxed, ordered]), scope()).prop_map(|(s, scope)| Order::Strong(s, scope)),
    ]
}

fn all<T: Copy + std::fmt::Debug + 'static>(of: &'static [T]) -> impl Strategy<Value = T> + Clone {
    select(of)
}

fn space() -> impl Strategy<Value = StateSpace> {
    use StateSpace::*;
    select(vec![Generic, Global, Shared, SharedCta, SharedCluster, Local, Const, Param, ParamEntry])
}

fn ty() -> impl Strategy<Value = ScalarType> {
    all(ScalarType::ALL)
}

fn vector() -> impl Strategy<Value = Option<VectorSize>> {
    proptest::option::of(all(VectorSize::ALL))
}

fn hints() -> impl Strategy<Value = Vec<CacheHint>> {
    proptest::collection::vec(all(CacheHint::ALL), 0..3)
}

fn semantics() -> impl Strategy<Value = Option<Semantics>> {
    use Semantics::*;
    select(vec![
        None,
        Some(Weak),
        Some(Relaxed),
        Some(Acquire),
        Some(Release),
        Some(AcquireRelease),
        Some(SequentiallyConsistent),
    ])
}

fn loads_and_stores() -> impl Strategy<Value = Op> {
    let cache = || proptest::option::of(all(CacheOperator::ALL));
    prop_oneof![
        (order(Semantics::Acquire), space(), any::<bool>(), cache(), hints(), vector(), ty()).prop_map(
            |(order, space, non_coherent, cache, hints, vector, ty)| Op::Ld(Ld {
                order,
                space,
                non_coherent,
                cache,
                hints,
                vector,
                ty
            })
        ),
        (order(Semantics::Release), space(), cache(), hints(), vector(), ty())
            .prop_map(|(order, space, cache, hints, vector, ty)| Op::St(St { order, space, cache, hints, vector, ty })),
    ]
}

fn atomics() -> impl Strategy<Value = Op> {
    let parts = (any::<bool>(), semantics(), proptest::option::of(scope()), space(), all(AtomicOp::ALL));
    let more = (any::<bool>(), any::<bool>(), vector(), ty());
    prop_oneof![
        (parts, more).prop_map(|((returns, semantics, scope, space, op), (noftz, cache_hint, vector, ty))| {
            Op::Atomic(Atomic { returns, semantics, scope, space, op, noftz, cache_hint, vector, ty })
        }),
        (
            all(MultimemKind::ALL),
            semantics(),
            proptest::option::of(scope()),
            proptest::option::of(all(AtomicOp::ALL)),
            vector(),
            ty()
        )
            .prop_map(|(kind, semantics, scope, op, vector, ty)| Op::Multimem(Multimem {
                kind,
                semantics,
                scope,
                space: StateSpace::Global,
                op,
                accumulator: None,
                vector,
                ty
            })),
    ]
}

fn synchronisation() -> impl Strategy<Value = Op> {
    let restrict = || select(vec![None, Some(StateSpace::SharedCta), Some(StateSpace::SharedCluster)]);
    prop_oneof![
        (semantics(), scope(), restrict()).prop_map(|(semantics, scope, restrict)| Op::Fence(Fence {
            semantics,
            scope,
            restrict
        })),
        all(MembarLevel::ALL).prop_map(Op::Membar),
        (all(ProxyKind::ALL), semantics(), proptest::option::of(scope()), restrict()).prop_map(
            |(kind, semantics, scope, restrict)| Op::FenceProxy(FenceProxy { kind, semantics, scope, restrict })
        ),
        (
            any::<bool>(),
            any::<bool>(),
            all(BarrierAction::ALL),
            proptest::option::of(all(BarrierReduction::ALL)),
            any::<bool>()
        )
            .prop_map(|(short, cta, action, reduction, aligned)| Op::Barrier(Barrier {
                short,
                cta,
                action,
                reduction,
                aligned
            })),
        (any::<bool>(), semantics(), any::<bool>())
            .prop_map(|(arrive, semantics, aligned)| Op::BarrierCluster(BarrierCluster { arrive, semantics, aligned })),
        (all(MbarrierAction::ALL), any::<bool>(), semantics(), proptest::option::of(scope()), space()).prop_map(
            |(action, parity, semantics, scope, space)| Op::Mbarrier(Mbarrier {
                action,
                parity,
                semantics,
                scope,
                space
            })
        ),
        all(ShflMode::ALL).prop_map(|mode| Op::Shfl(Shfl { sync: true, mode })),
        all(VoteMode::ALL).prop_map(|mode| Op::Vote(Vote { sync: true, mode })),
    ]
}

fn copies() -> impl Strategy<Value = Op> {
    let flags = || (any::<bool>(), any::<bool>(), any::<bool>());
    prop_oneof![
        (space(), space(), all(BulkCompletion::ALL), flags()).prop_map(
            |(destination, source, completion, (multicast, byte_mask, cache_hint))| {
                Op::CpAsyncBulk(CpAsyncBulk { destination, source, completion, multicast, byte_mask, cache_hint })
            }
        ),
        (space(), space(), all(BulkCompletion::ALL), all(BulkReduction::ALL), any::<bool>(), any::<bool>(), ty())
            .prop_map(|(destination, source, completion, op, noftz, cache_hint, ty)| {
                Op::CpReduceAsyncBulk(CpReduceAsyncBulk { destination, source, completion, op, noftz, cache_hint, ty })
            }),
        (any::<bool>(), any::<bool>(), proptest::option::of(all(L2Prefetch::ALL))).prop_map(
            |(cache_all, cache_hint, prefetch)| {
                Op::CpAsync(CpAsync { cache_all, destination: StateSpace::SharedCta, cache_hint, prefetch })
            }
        ),
    ]
}

fn alu() -> impl Strategy<Value = Op> {
    let flags = proptest::collection::btree_set(all(AluFlag::ALL), 0..3);
    (
        all(AluOp::ALL),
        proptest::option::of(all(Compare::ALL)),
        proptest::option::of(all(Combine::ALL)),
        proptest::option::of(all(Rounding::ALL)),
        flags,
        ty(),
        proptest::option::of(ty()),
    )
        .prop_map(|(op, compare, combine, rounding, flags, ty, source_ty)| {
            Op::Alu(Alu { op, compare, combine, rounding, flags: flags.into_iter().collect(), ty, source_ty })
        })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![loads_and_stores(), atomics(), synchronisation(), copies(), alu()]
}

/// An operand that may stand in the slot.
fn operand(slot: &Slot, seed: u64) -> Operand {
    let number = seed % 9;
    let register = || match slot.ty.bits() {
        1 => format!("%p{number}"),
        8 | 16 => format!("%h{number}"),
        32 => format!("%r{number}"),
        64 => format!("%d{number}"),
        _ => format!("%q{number}"),
    };
    match slot.role {
        Role::Address if seed.is_multiple_of(3) => {
            Operand::Address(Address::at(Operand::register("%d1"), seed as i64 % 512 - 256))
        }
        Role::Address if seed % 3 == 1 => Operand::Address(Address::at(Operand::symbol("buffer"), 8)),
        Role::Address => Operand::Address(Address::of(Operand::register("%d2"))),
        Role::Constant => Operand::integer((seed % 100) as i64),
        Role::Target => Operand::symbol("LABEL"),
        _ if slot.lanes > 1 => Operand::Vector((0..slot.lanes).map(|_| Operand::register(register())).collect()),
        Role::Source if slot.ty == ScalarType::Pred && seed.is_multiple_of(2) => {
            Operand::Negated(Box::new(Operand::register(register())))
        }
        Role::Source if slot.ty.is_integer() && seed.is_multiple_of(4) => Operand::integer(seed as i64 % 1000 - 500),
        Role::Destination if slot.pair.is_some() && seed.is_multiple_of(2) => {
            Operand::Pair(Box::new(Operand::register(register())), Box::new(Operand::register("%p8")))
        }
        _ => Operand::register(register()),
    }
}

fn body(text: &str) -> Module {
    let text = format!(".version 8.8 .target sm_90 .address_size 64 .visible .entry k() {{ {DECLARATIONS} {text} }}");
    parse_module(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spelled_and_read_back(op in op(), seed in any::<u64>()) {
        let spelled = op.spelling();
        // What cannot be written is refused; what is read is the same again.
        let Ok(read) = Op::from_opcode(&spelled) else { return Ok(()) };
        let again = Op::from_opcode(&read.spelling());
        prop_assert_eq!(again.as_ref(), Ok(&read), "{}", spelled);
        let signatures: Vec<Vec<Slot>> = (0..9).filter_map(|count| read.signature(count)).collect();
        prop_assert!(!signatures.is_empty(), "{} takes no number of operands", spelled);
        let slots = signatures[seed as usize % signatures.len()].clone();
        let operands: Vec<Operand> =
            slots.iter().enumerate().map(|(i, slot)| operand(slot, seed.rotate_left(7 * i as u32))).collect();
        let mut instruction = Instruction::new(read, operands).unwrap();
        if seed.is_multiple_of(5) {
            instruction.guard = Some(Guard { negated: seed.is_multiple_of(2), predicate: Operand::register("%p0") });
        }
        let module = body(&format!("{instruction};"));
        prop_assert!(module.unknown().is_empty(), "{}: {:?}", instruction, module.unknown());
        let mut found = Vec::new();
        module.walk(&mut |statement| {
            if let StatementKind::Instruction(instruction) = &statement.kind {
                found.push(instruction.as_ref().clone());
            }
        });
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(&found[0].op, &instruction.op);
        prop_assert_eq!(&found[0].operands, &instruction.operands);
        prop_assert_eq!(&found[0].guard, &instruction.guard);
        prop_assert_eq!(found[0].to_string(), instruction.to_string());
    }

    #[test]
    fn valid_operations_are_not_lost(op in loads_and_stores()) {
        // Every load and store that the manual's syntax allows is read back as exactly itself.
        let legal = match &op {
            Op::Ld(ld) => !ld.non_coherent || ld.space == StateSpace::Global && matches!(ld.order, Order::Unmarked | Order::Weak),
            Op::St(st) => st.space != StateSpace::Const,
            _ => false,
        };
        let read = Op::from_opcode(&op.spelling());
        if legal {
            prop_assert_eq!(read.as_ref(), Ok(&op));
        } else {
            prop_assert!(read.is_err());
        }
    }

    #[test]
    fn arbitrary_text_never_panics(text in "\\PC{0,80}", constraints in "[=+&rlfdhqbn0-9,~{}a-z*]{0,20}") {
        let _ = parse_module(&text);
        let _ = parse_statements(&text);
        let _ = Constraints::parse(&constraints);
        let _ = InlineAsm::parse(&text, &constraints);
        let _ = InlineAsm::parse_in(Notation::Source, &text, &constraints);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = parse_module(&text);
        let _ = InlineAsm::parse(&text, "=r,l,r,r,r");
    }

    #[test]
    fn token_soup_never_panics(words in proptest::collection::vec(select(vec![
        "ld", ".global", ".acquire", ".sys", ".u32", "%r1", "[", "]", "{", "}", "(", ")", ",", ";", ":", "@", "!", "|", "+", "-",
        "5", "0f3F800000", "$0", "$1", "${0:x}", "$$", "${:uid}", "call", "bra", "L", ".reg", ".b32", ".param", "<", ">", "=", "_",
        "bar", ".sync", "fence", "cp", ".async", ".bulk", "\n", "//x\n", "/*x*/", ".loc", ".branchtargets", "%tid", ".x", ".visible", ".entry", ".func",
    ]), 0..60)) {
        let text = words.join(" ");
        if let Ok(module) = parse_module(&text) {
            let printed = module.to_string();
            prop_assert_eq!(parse_module(&printed).unwrap().to_string(), printed);
        }
        if let Ok(asm) = InlineAsm::parse(&text, "=r,l") {
            let printed = asm.to_text();
            prop_assert_eq!(InlineAsm::parse(&printed, "=r,l").unwrap().to_text(), printed);
        }
    }
}
