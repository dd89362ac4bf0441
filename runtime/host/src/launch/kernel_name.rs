//! Names by which a launch description may call a kernel: the symbol, the plain name, and the name as the source has it,
//! with namespaces and template arguments, each of which may be left out: `_ZN2ns1kIiLi3EEEvPT_` is `k`, `ns::k`,
//! `k<int, 3>` and `ns::k<int, 3>`.

/// Whether a kernel of this symbol is called so.
pub(super) fn matches(symbol: &str, written: &str) -> bool {
    let written = plain(written);
    symbol == written || qualified(symbol).is_some_and(|name| forms(&plain(&name)).any(|form| form == written))
}

/// The name as the source has it, without parameters.
pub(super) fn qualified(symbol: &str) -> Option<String> {
    // The demangler takes `f` for `float`.
    let mangled = symbol.starts_with("_Z").then(|| cpp_demangle::Symbol::new(symbol).ok()).flatten()?;
    let text =
        mangled.demangle_with_options(&cpp_demangle::DemangleOptions::new().no_params().no_return_type()).ok()?;
    Some(text)
}

/// Without spaces, and without the types that a demangler writes before numbers: `<(int)3>` is `<3>`.
fn plain(name: &str) -> String {
    let mut out = String::new();
    let mut rest = name.trim_start_matches("::");
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        if c == '(' && out.ends_with(['<', ',']) {
            rest = rest.split_once(')').map_or("", |(_, after)| after);
        } else if !c.is_whitespace() {
            out.push(c);
        }
    }
    out
}

/// A name and all that is left when namespaces, or the last template arguments, are left out.
fn forms(name: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0usize;
    let mut starts = vec![0];
    let mut arguments = None;
    for (at, c) in name.char_indices() {
        match c {
            '<' => {
                if depth == 0 {
                    arguments = Some(at);
                }
                depth += 1;
            }
            '>' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && name[..at].ends_with(':') => {
                starts.push(at + 1);
                arguments = None;
            }
            _ => {}
        }
    }
    starts
        .into_iter()
        .flat_map(move |start| [Some(&name[start..]), arguments.map(|end| &name[start..end])].into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_found_by_every_name_of_it() {
        let all = [
            (
                "_ZN2ns1kIiLi3EEEvPT_",
                &["k", "ns::k", "k<int,3>", "k<int, 3>", "ns::k<int, 3>", "::ns::k"][..],
                &["s::k", "k<int>", "ns", "k<int, 4>", "int"][..],
            ),
            ("_Z1kIN2ns1TEEvPT_", &["k", "k<ns::T>"], &["T", "T>", "k<T>"]),
            ("_Z3addPfS_i", &["add", "_Z3addPfS_i"], &["ad", "add(float*)"]),
            ("_ZN12_GLOBAL__N_11kEv", &["k"], &["K"]),
            ("jacobi", &["jacobi"], &["ns::jacobi", ""]),
        ];
        for (symbol, right, wrong) in all {
            for name in right {
                assert!(matches(symbol, name), "{symbol} is {name}: {:?}", qualified(symbol));
            }
            for name in wrong {
                assert!(!matches(symbol, name), "{symbol} is not {name}");
            }
        }
    }
}
