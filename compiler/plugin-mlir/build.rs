//! Where the plugin finds `libMLIR.so`: Debian keeps it outside the loader's path.

fn main() {
    println!("cargo:rerun-if-env-changed=MLIR_SYS_220_PREFIX");
    let prefix = std::env::var("MLIR_SYS_220_PREFIX").unwrap_or_else(|_| "/usr/lib/llvm-22".to_owned());
    println!("cargo:rustc-link-arg=-Wl,-rpath,{prefix}/lib");
}
