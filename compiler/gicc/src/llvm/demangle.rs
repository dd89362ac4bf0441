//! Names as the source has them.

/// The name of a symbol in the source, with its parameters where it is C++'s.
pub fn demangled(symbol: &str) -> String {
    // The demangler takes `f` for `float`.
    let mangled = symbol.starts_with("_Z").then(|| cpp_demangle::Symbol::new(symbol).ok()).flatten();
    mangled.and_then(|s| s.demangle().ok()).unwrap_or_else(|| symbol.to_owned())
}
