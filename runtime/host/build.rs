//! Strips `gicc-launch` in release builds: it is carried to GPU machines. (Cargo knows `strip` only for a whole profile.)

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("PROFILE").is_ok_and(|p| p == "release") {
        println!("cargo::rustc-link-arg-bin=gicc-launch=-Wl,--strip-all");
    }
}
