//! Every signature's text is MLIR that `mlir-opt` lowers to LLVM; what does not exist is refused.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;

/// Every signature that exists; counts as given.
fn signatures(counts: &[Option<i64>]) -> Vec<Signature> {
    let mut all = Vec::new();
    for &element in ElementType::ALL {
        for (group, part) in [(Group::Block, false), (Group::Grid, false), (Group::Block, true), (Group::Grid, true)] {
            for &count in counts {
                for &algorithm in Algorithm::ALL {
                    let mut collectives = vec![Collective::AllGather];
                    collectives.extend(ReduceOp::ALL.iter().map(|op| Collective::AllReduce(*op)));
                    for collective in collectives {
                        let signature = Signature { collective, group, part, element, algorithm, count };
                        if signature.check().is_ok() {
                            all.push(signature);
                        }
                    }
                }
            }
        }
    }
    all
}

#[test]
fn every_expansion_lowers_to_llvm() {
    let text: Vec<String> = signatures(&[None, Some(1000), Some(1 << 20)])
        .iter()
        // Operations differ in one line: one stands for all but for the small types.
        .filter(|s| {
            matches!(s.collective, Collective::AllReduce(ReduceOp::Min | ReduceOp::Xor) | Collective::AllGather)
        })
        // The grid and the count make no difference to how a part is addressed.
        .filter(|s| !s.part || s.group == Group::Block && s.count.is_none())
        .filter_map(|s| s.expand(&|_| false).expect("it exists").text)
        .collect();
    assert!(text.len() > 100, "{}", text.len());
    let mut child = Command::new("mlir-opt-22")
        .args(["--split-input-file", "--convert-scf-to-cf", "--convert-arith-to-llvm", "--convert-cf-to-llvm"])
        .args(["--reconcile-unrealized-casts", "-o", "/dev/null"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("mlir-opt-22 is installed");
    let mut input = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || input.write_all(text.join("// -----\n").as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads all");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}", errors.chars().take(3000).collect::<String>());
}

/// The functions of level H that an expansion declares.
fn declared(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("llvm.func @gicc_"));
    lines.filter_map(|rest| rest.split_once('(')).map(|(name, _)| format!("gicc_{name}")).collect()
}

#[test]
fn what_entries_leave_out_are_roots_that_exist() {
    let roots = root::all();
    for signature in signatures(&[None, Some(1000), Some(1 << 20)]) {
        let text = signature.expand(&is_root).expect("it exists").text.expect("there is no entry yet");
        let declared = declared(&text);
        assert!(declared.iter().all(|name| roots.contains(name)), "{signature:?}: {declared:?}");
        assert!(declared.contains(&signature.root()), "{signature:?}: {declared:?}");
        // Nothing else of an entry is a function of its own.
        let defined = text.matches("llvm.func linkonce_odr").count();
        assert!(defined == 1, "{signature:?}: {defined} functions");
    }
}

#[test]
fn roots_are_whole() {
    for symbol in root::all() {
        assert!(is_root(&symbol));
        let text = root::text(&symbol).expect("it exists");
        assert!(text.contains(&format!("llvm.func linkonce_odr @{symbol}(")), "{symbol}");
        assert_eq!(declared(&text), [""; 0], "{symbol}");
        let llvm = inkwell::context::Context::create();
        let is_sum = symbol.contains("_f32_sum_") || symbol.contains("_f64_by_") || symbol == frame::FAR_WAIT;
        // Types do not depend on the elements and the operation, and making IR of all of them takes a minute.
        if is_sum {
            let module = lower_root(&llvm, &symbol).expect("it lowers").expect("it exists");
            let ty = module.get_function(&symbol).expect("it is defined").get_type().print_to_string().to_string();
            assert_eq!(Some(&*ty), type_of_root(&symbol), "{symbol}");
        }
    }
    for other in ["k", "gicc_all_of_any_size", "gicc_all_reduce_block_f32_xor_by_auto_of_any_size"] {
        assert!(!is_root(other));
        assert_eq!((root::text(other), type_of_root(other)), (None, None));
    }
}

#[test]
fn symbols_tell_signatures_apart() {
    let all = signatures(&[None, Some(1), Some(2)]);
    let mut symbols: Vec<String> = all.iter().map(Signature::symbol).collect();
    symbols.sort();
    symbols.dedup();
    assert_eq!(symbols.len(), all.len());
}

#[test]
fn what_does_not_exist_is_refused() {
    let signature = |collective, element, algorithm| Signature {
        collective,
        group: Group::Block,
        part: false,
        element,
        algorithm,
        count: None,
    };
    let of = |s: Signature| s.expand(&|_| false).expect_err("it does not exist").to_string();
    assert_eq!(
        of(signature(Collective::AllReduce(ReduceOp::Xor), ElementType::Bf16, Algorithm::Auto)),
        "`xor` does not exist for elements of type bf16"
    );
    assert_eq!(
        of(signature(Collective::AllReduce(ReduceOp::Sum), ElementType::F32, Algorithm::Direct)),
        "`direct` is no algorithm of all_reduce"
    );
    assert_eq!(
        of(signature(Collective::AllGather, ElementType::F32, Algorithm::TwoShot)),
        "`two_shot` is no algorithm of all_gather"
    );
}
