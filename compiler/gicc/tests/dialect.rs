//! The dialect as the library offers it: contexts, messages with places, lowering, and the way to LLVM IR.

use gicc::diagnostic::{Diagnostic, codes};
use gicc::dialect::{Caught, context, parse_file, parse_text, passes, run_passes, text_of, to_llvm};
use melior::ir::RegionLike as _;
use melior::ir::block::BlockLike as _;
use melior::ir::operation::OperationLike as _;

/// Lowers a text to LLVM IR.
fn lowered(text: &str) -> Result<String, Vec<Diagnostic>> {
    let context = context();
    let caught = Caught::new(&context);
    let mut module = parse_text(&context, &caught, text)?;
    for passes in [passes::TO_LLVM, passes::DEVICE_MODULE, passes::DEVICE_TO_LLVM, passes::CHECK_LOWERED] {
        run_passes(&context, &caught, &mut module, passes)?;
    }
    let device = module.body().first_operation().expect("the module of device code");
    let llvm = inkwell::context::Context::create();
    let ir = to_llvm(device, &caught, &llvm)?;
    ir.verify().map_err(|e| vec![Diagnostic::error(codes::INTERNAL, e.to_string())])?;
    Ok(ir.print_to_string().to_string())
}

#[test]
fn a_kernel_becomes_llvm_ir_with_calls_of_intrinsics() {
    let ir = lowered(
        r"
        func.func @k(%to: memref<64xf32>, %from: memref<64xf32>, %word: memref<1xi64>) attributes {gicc.kernel} {
          %pe = gicc.my_pe : i32
          %one = arith.constant 1 : i64
          gicc.put_signal block %to, %from signal %word set %one to %pe : memref<64xf32>, memref<64xf32>, memref<1xi64>
          %seen = gicc.wait block %word ge %one from %pe : memref<1xi64>
          return
        }",
    )
    .unwrap();
    assert!(ir.contains("define ptx_kernel void @k(ptr %0, ptr %1, ptr %2)"), "{ir}");
    assert!(ir.contains("call void @__gicc_put_signal_block(ptr %"), "{ir}");
    assert!(ir.contains("call i64 @__gicc_wait_block(ptr %"), "{ir}");
}

#[test]
fn messages_have_places_and_notes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.mlir");
    std::fs::write(
        &file,
        "func.func @k(%to: memref<4xf32, 3>, %from: memref<4xf32>, %pe: i32) {\n  gicc.put block %to, %from to %pe : \
         memref<4xf32, 3>, memref<4xf32>\n  return\n}\n",
    )
    .unwrap();
    let context = context();
    let caught = Caught::new(&context);
    let errors = parse_file(&context, &caught, &file).err().unwrap();
    let [error] = &errors[..] else { panic!("{errors:?}") };
    assert_eq!(error.code, codes::BAD_MLIR);
    assert!(error.message.contains("the destination is in shared memory"), "{error}");
    let span = error.span.as_ref().unwrap();
    assert_eq!((span.file.as_str(), span.line, span.column), (file.to_str().unwrap(), 2, 3));
    assert_eq!(error.notes[0].span.as_ref().unwrap().line, 1);
}

#[test]
fn a_panic_in_a_pass_is_an_error_of_the_module() {
    let context = context();
    let caught = Caught::new(&context);
    let module = parse_text(&context, &caught, "module {}").unwrap();
    let result = passes::guarded(module.as_operation(), "test", |_| panic!("a mistake"));
    assert_eq!(result, Err(passes::Failed));
    assert!(caught.take()[0].message.contains("internal error in the pass `test`"));
}

#[test]
fn text_is_what_was_read() {
    let context = context();
    let caught = Caught::new(&context);
    let module = parse_text(&context, &caught, "module {\n  gicc.team @world pes(4)\n}\n").unwrap();
    assert_eq!(text_of(&module, false), "module {\n  gicc.team @world pes(4)\n}\n");
    assert!(module.body().first_operation().is_some_and(|o| o.region_count() == 0));
    assert!(module.as_operation().region(0).is_ok_and(|r| r.first_block().is_some()));
}
