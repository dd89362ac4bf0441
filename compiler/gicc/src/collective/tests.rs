//! Every signature's text is MLIR that `mlir-opt` lowers to LLVM; what does not exist is refused.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;

#[test]
fn every_expansion_lowers_to_llvm() {
    let text: Vec<String> = root::signatures()
        // Operations differ in one line: one stands for all but for the small types.
        .filter(|s| {
            matches!(s.collective, Collective::AllReduce(ReduceOp::Min | ReduceOp::Xor) | Collective::AllGather)
        })
        // The grid makes no difference to how a part is addressed.
        .filter(|s| !s.part || s.group == Group::Block)
        .map(|s| expansion(&[s], &|_| false))
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
    for signature in root::signatures() {
        let text = expansion(&[signature], &is_root);
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
fn roots_and_signatures_tell_each_other() {
    let mut symbols: Vec<String> = root::signatures().map(|s| s.symbol()).collect();
    let all = symbols.len();
    symbols.sort();
    symbols.dedup();
    assert_eq!((symbols.len(), root::all().len()), (all, all + 1));
    for signature in root::signatures() {
        assert_eq!(root::signature(&signature.root()), Some(signature));
    }
    assert_eq!(root::signature(frame::FAR_WAIT), None);
}

#[test]
fn what_is_decided_is_a_signature() {
    let all: Vec<Signature> = root::signatures().collect();
    for asked in &all {
        for count in [None, Some(0), Some(1), Some(5000), Some(1 << 30), Some(i64::MAX)] {
            let (decided, choice) = asked.decided(count).expect("it exists");
            assert!(all.contains(&decided), "{asked:?} {count:?}: {choice:?}");
            assert!(asked.algorithm == Algorithm::Auto || decided == *asked, "{asked:?} {count:?}: {choice:?}");
            // The bytes of so many elements are no number of 64 bits.
            assert!(count != Some(i64::MAX) || decided.algorithm != Algorithm::Auto, "{asked:?}: {choice:?}");
        }
    }
}

#[test]
fn what_does_not_exist_is_refused() {
    let signature =
        |collective, element, algorithm| Signature { collective, group: Group::Block, part: false, element, algorithm };
    let of = |s: Signature| s.decided(None).expect_err("it does not exist").to_string();
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
