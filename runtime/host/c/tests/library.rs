//! The C library from C, and on GPUs with a module that this test loads itself.

use std::ffi::{CStr, CString, c_void};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;

use cudarc::driver::sys;
use gicc_abi::layout::{Error, ModuleRecord, State};
use gicc_abi::{ABI_VERSION, MODULE_RECORD_SYMBOL, STATE_SYMBOL};

const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../include");

const PROGRAM: &str = r#"
#include <gicc/host.h>
#include <stdio.h>
#include <string.h>
static int shows(const char *part) {
  if (strstr(gicc_last_error(), part)) return 1;
  fprintf(stderr, "not about %s: %s\n", part, gicc_last_error());
  return 0;
}
int main(void) {
  gicc_team *team = NULL;
  uint64_t address;
  uint32_t module;
  if (!gicc_team_create(1, 1 << 20, -1.0, &team) || !shows("timeout")) return 1;
  if (!gicc_team_create(1, 1 << 20, 1.0, NULL) || !shows("NULL")) return 2;
  if (!gicc_team_create(4096, 1 << 20, 1.0, &team) || !(shows("no CUDA driver") || shows("GPU"))) return 3;
  if (!gicc_symmetric_alloc(NULL, "x", 8, &address) || !shows("the team is NULL")) return 4;
  if (!gicc_symmetric_free_all(NULL) || !gicc_module_init(NULL, NULL, "x", &module)) return 5;
  if (!gicc_module_clear(NULL, 0) || !gicc_module_check(NULL, 0) || !gicc_module_reset(NULL, 0)) return 6;
  gicc_team_destroy(NULL);
  return (int)gicc_team_n_pes(NULL);
}
"#;

#[test]
fn a_c_program_links_and_is_told_its_errors() {
    let deps = std::env::current_exe().expect("this test").parent().expect("a folder").to_owned();
    let libraries: Vec<PathBuf> = [deps.parent().expect("a folder").to_owned(), deps].into();
    let folder = std::env::temp_dir().join(format!("gicc-host-c-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&source, PROGRAM).expect("a file");
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I", INCLUDE])
        .arg(&source)
        .arg("-o")
        .arg(&program);
    for library in &libraries {
        cc.arg("-L").arg(library).arg(format!("-Wl,-rpath,{}", library.display()));
    }
    assert!(cc.arg("-lgicc_host_c").status().expect("a C compiler").success());
    let output = Command::new(&program).output().expect("the program");
    let _ = std::fs::remove_dir_all(&folder);
    assert!(output.status.success(), "{:?} {}", output.status, String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A module whose kernel stores `my_pe + 1` to the address of the next PE that it is given.
fn ptx(version: u32) -> CString {
    let record = ModuleRecord {
        magic: ModuleRecord::MAGIC,
        abi_version: version,
        record_bytes: size_of::<ModuleRecord>() as u32,
        error_words: 1,
        ..ModuleRecord::default()
    };
    let bytes: Vec<String> = record.to_bytes().iter().map(u8::to_string).collect();
    let at = |name: &str| State::FIELDS.iter().find(|f| f.name == name).expect("a field").offset;
    let code = Error::FIELDS.iter().find(|f| f.name == "code").expect("a field").offset;
    let text = format!(
        ".version 7.0\n.target sm_80\n.address_size 64\n\
         .visible .const .align 8 .b8 {STATE_SYMBOL}[{state}];\n\
         .visible .global .align 8 .b8 {MODULE_RECORD_SYMBOL}[{length}] = {{{record}}};\n\
         .visible .entry tell(.param .u64 p) {{
           .reg .u64 %d<4>; .reg .u32 %r<5>;
           ld.const.u32 %r0, [{STATE_SYMBOL}+{my_pe}]; ld.const.u32 %r1, [{STATE_SYMBOL}+{n_pes}];
           ld.const.u64 %d0, [{STATE_SYMBOL}+{stride}]; ld.param.u64 %d1, [p];
           add.u32 %r2, %r0, 1; rem.u32 %r3, %r2, %r1; sub.u32 %r3, %r3, %r0; cvt.s64.s32 %d2, %r3;
           mad.lo.u64 %d1, %d2, %d0, %d1; st.u32 [%d1], %r2;
           ld.const.u64 %d3, [{STATE_SYMBOL}+{error}]; st.u32 [%d3+{code}], 2; ret; }}",
        state = size_of::<State>(),
        length = bytes.len(),
        record = bytes.join(","),
        my_pe = at("my_pe"),
        n_pes = at("n_pes"),
        stride = at("heap_stride"),
        error = at("error"),
    );
    CString::new(text).expect("text")
}

fn last_error() -> String {
    // SAFETY: the pointer is valid until this thread's next call.
    unsafe { CStr::from_ptr(gicc_host_c::gicc_last_error()) }.to_string_lossy().into_owned()
}

fn ok(result: sys::CUresult) {
    assert_eq!(result, sys::CUresult::CUDA_SUCCESS);
}

#[test]
fn a_module_that_was_loaded_elsewhere_becomes_usable() {
    let n_pes = gicc_host::backend::cuda::gpu_count().min(8);
    if n_pes == 0 {
        let _ = writeln!(std::io::stderr(), "skipped: no GPU");
        return;
    }
    // SAFETY: the calls are those of the header, with pointers to live values; the driver was started by gpu_count.
    unsafe {
        let mut team = std::ptr::null_mut();
        assert_eq!(gicc_host_c::gicc_team_create(n_pes, 1 << 20, 1.0, &mut team), 0, "{}", last_error());
        let load = |version: u32| -> Vec<sys::CUmodule> {
            (0..n_pes as i32)
                .map(|device| {
                    let (mut context, mut module) = (std::ptr::null_mut(), std::ptr::null_mut());
                    ok(sys::cuDevicePrimaryCtxRetain(&mut context, device));
                    ok(sys::cuCtxSetCurrent(context));
                    ok(sys::cuModuleLoadData(&mut module, ptx(version).as_ptr().cast()));
                    module
                })
                .collect()
        };
        let mut index = 7;
        let old = load(ABI_VERSION + 1);
        assert_ne!(
            gicc_host_c::gicc_module_init(team, old.as_ptr().cast::<*mut c_void>(), c"old.cu".as_ptr(), &mut index),
            0
        );
        assert!(last_error().contains("old.cu: the module was compiled for version"), "{}", last_error());
        let modules = load(ABI_VERSION);
        let result =
            gicc_host_c::gicc_module_init(team, modules.as_ptr().cast::<*mut c_void>(), c"k.cu".as_ptr(), &mut index);
        assert_eq!(result, 0, "{}", last_error());
        let mut addresses = vec![0; n_pes as usize];
        let result = gicc_host_c::gicc_symmetric_alloc(team, c"data".as_ptr(), 4, addresses.as_mut_ptr());
        assert_eq!(result, 0, "{}", last_error());
        assert_eq!(gicc_host_c::gicc_module_clear(team, index), 0);
        assert_eq!(gicc_host_c::gicc_module_check(team, index), 0);
        for pe in 0..n_pes as usize {
            let (mut context, mut function) = (std::ptr::null_mut(), std::ptr::null_mut());
            ok(sys::cuDevicePrimaryCtxRetain(&mut context, pe as i32));
            ok(sys::cuCtxSetCurrent(context));
            ok(sys::cuModuleGetFunction(&mut function, modules[pe], c"tell".as_ptr()));
            let mut arguments = [std::ptr::from_mut(&mut addresses[pe]).cast::<c_void>()];
            let none = std::ptr::null_mut();
            ok(sys::cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, none, arguments.as_mut_ptr(), none.cast()));
            ok(sys::cuCtxSynchronize());
        }
        for pe in 0..n_pes {
            let mut value = 0u32;
            ok(sys::cuMemcpyDtoH_v2(std::ptr::from_mut(&mut value).cast(), addresses[pe as usize], 4));
            assert_eq!(value, (pe + n_pes - 1) % n_pes + 1);
        }
        assert_ne!(gicc_host_c::gicc_module_check(team, index), 0);
        assert!(last_error().contains("which does not exist"), "{}", last_error());
        assert_eq!(gicc_host_c::gicc_module_reset(team, index), 0);
        assert_eq!(gicc_host_c::gicc_module_check(team, index), 0);
        gicc_host_c::gicc_team_destroy(team);
    }
}
