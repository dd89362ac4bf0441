//! Where in the source each call of the simulator comes from: a table of places, numbered in the order of first use.

use std::collections::HashMap;

use crate::diagnostic::Span;

/// The table under construction. Number 0 is "unknown".
#[derive(Default)]
pub(super) struct Sites {
    files: Vec<String>,
    functions: Vec<String>,
    sites: Vec<[u32; 4]>,
    known_files: HashMap<String, u32>,
    known_functions: HashMap<String, u32>,
    known_sites: HashMap<[u32; 4], u32>,
}

impl Sites {
    pub(super) fn new() -> Self {
        let mut sites = Self::default();
        let file = intern(&mut sites.files, &mut sites.known_files, "");
        let function = intern(&mut sites.functions, &mut sites.known_functions, "");
        sites.add([file, 0, 0, function]);
        sites
    }

    /// The number of a place in a function. Where the line is unknown the place still knows its function.
    pub(super) fn number(&mut self, span: Option<&Span>, function: &str) -> u32 {
        let function = intern(&mut self.functions, &mut self.known_functions, function);
        let site = match span {
            Some(span) => {
                [intern(&mut self.files, &mut self.known_files, &span.file), span.line, span.column, function]
            }
            None => [0, 0, 0, function],
        };
        self.add(site)
    }

    fn add(&mut self, site: [u32; 4]) -> u32 {
        if let Some(&number) = self.known_sites.get(&site) {
            return number;
        }
        let number = self.sites.len() as u32;
        // A program with more sites than a meta word can hold loses only the places of the later ones.
        if self.sites.len() >= gicc_abi::sim::Meta::MAX_SITES {
            return 0;
        }
        self.sites.push(site);
        self.known_sites.insert(site, number);
        number
    }

    /// Files, functions and sites, as the description holds them.
    pub(super) fn into_parts(self) -> (Vec<String>, Vec<String>, Vec<[u32; 4]>) {
        (self.files, self.functions, self.sites)
    }
}

fn intern(names: &mut Vec<String>, known: &mut HashMap<String, u32>, name: &str) -> u32 {
    if let Some(&number) = known.get(name) {
        return number;
    }
    let number = names.len() as u32;
    names.push(name.to_owned());
    known.insert(name.to_owned(), number);
    number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_numbered_once() {
        let mut sites = Sites::new();
        let span = |line| Span { file: "a.cu".into(), line, column: 3 };
        let one = sites.number(Some(&span(7)), "f");
        assert_eq!(sites.number(Some(&span(7)), "f"), one);
        assert_ne!(sites.number(Some(&span(8)), "f"), one);
        assert_ne!(sites.number(None, "f"), 0);
        let (files, functions, table) = sites.into_parts();
        assert_eq!((files.len(), functions.len(), table.len()), (2, 2, 4));
    }
}
