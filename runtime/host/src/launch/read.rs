//! Reads a launch description. Everything that is wrong with it is collected and shown at once, and an unknown key is as
//! wrong as a missing one.

use std::collections::HashSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Diagnostic, Diagnostics, Source, closest};
use super::element::ElementType;
use super::expression::{Expression, Meaning, Variable};
use super::{
    Argument, At, Bench, Buffer, Description, Draw, Field, FieldType, Init, Launch, Parameter, PeCounts, Scalar,
    Tolerance,
};

/// The most PEs of a team.
pub const MAX_PES: u32 = 1024;

/// Reads the description in `text`; `file` is the name for messages.
pub fn read(file: &str, text: &str) -> Result<Description, Diagnostics> {
    let source = Source { file: file.to_owned(), text: text.to_owned() };
    let document = DeTable::parse(text).map_err(|e| {
        let span = e.span().unwrap_or(0..0);
        Diagnostics::from(source.error(&span, e.message().trim().replace('\n', "; "), "the file must be TOML"))
    })?;
    let mut reader =
        Reader { source, errors: Vec::new(), parameters: Vec::new(), buffers: Vec::new(), names: HashSet::new() };
    let description = reader.document(document.get_ref(), document.span());
    match description {
        Some(description) if reader.errors.is_empty() => Ok(description),
        _ => {
            reader.errors.sort_by_key(|e| (e.line, e.column));
            reader.errors.dedup();
            Err(Diagnostics(reader.errors))
        }
    }
}

type Value<'t> = Spanned<DeValue<'t>>;

/// Where an expression stands, and which variables it may use.
#[derive(Clone, Copy)]
struct Place {
    what: &'static str,
    pe: bool,
    iteration: bool,
    index: bool,
}

impl Place {
    const fn same_everywhere(what: &'static str) -> Self {
        Place { what, pe: false, iteration: false, index: false }
    }
    const fn per_pe(what: &'static str) -> Self {
        Place { what, pe: true, iteration: false, index: false }
    }
    fn allows(self, variable: Variable) -> bool {
        match variable {
            Variable::PeCount => true,
            Variable::Pe => self.pe,
            Variable::Iteration => self.iteration,
            Variable::Index => self.index,
        }
    }
}

struct Reader {
    source: Source,
    errors: Vec<Diagnostic>,
    parameters: Vec<Parameter>,
    buffers: Vec<Buffer>,
    /// Names whose definition was seen, also where it was wrong, so that one error does not become many.
    names: HashSet<String>,
}

/// The entries of a table in the order of the file.
fn entries<'a, 't>(table: &'a DeTable<'t>) -> Vec<(&'a str, Range<usize>, &'a Value<'t>)> {
    let mut all: Vec<_> = table.iter().map(|(k, v)| (k.get_ref().as_ref(), k.span(), v)).collect();
    all.sort_by_key(|(_, span, _)| span.start);
    all
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a floating-point number",
        DeValue::Boolean(_) => "a truth value",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    value.as_integer().and_then(|i| i64::from_str_radix(&i.as_str().replace('_', ""), i.radix()).ok())
}

/// A number that is not necessarily an integer.
fn real(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Float(f) => f.as_str().replace('_', "").parse().ok(),
        other => integer(other).map(|i| i as f64),
    }
}

impl Reader {
    fn error(&mut self, span: &Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.errors.push(self.source.error(span, message, help));
    }

    /// Reports every key that is not among `known`.
    fn known_keys(&mut self, table: &DeTable<'_>, what: &str, known: &[&str]) {
        for (key, span, _) in entries(table) {
            if !known.contains(&key) {
                let help = match closest(key, known.iter().copied()) {
                    Some(k) => format!("did you mean `{k}`?"),
                    None => format!("the keys are {}", known.join(", ")),
                };
                self.error(&span, format!("unknown key `{key}` in {what}"), help);
            }
        }
    }

    fn wrong_type(&mut self, value: &Value<'_>, what: &str, wanted: &str) {
        let found = kind(value.get_ref());
        self.error(&value.span(), format!("{what} is {found}"), format!("write {wanted}"));
    }

    fn table<'a, 't>(&mut self, value: &'a Value<'t>, what: &str, wanted: &str) -> Option<&'a DeTable<'t>> {
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.wrong_type(value, what, wanted);
        }
        table
    }

    fn required<'a, 't>(
        &mut self,
        table: &'a DeTable<'t>,
        span: &Range<usize>,
        what: &str,
        key: &str,
        help: &str,
    ) -> Option<&'a Value<'t>> {
        let value = table.get(key);
        // A misspelt key has been named as unknown already.
        let misspelt = || entries(table).iter().any(|(found, _, _)| closest(found, [key]).is_some());
        if value.is_none() && !misspelt() {
            self.error(span, format!("{what} has no `{key}`"), help);
        }
        value
    }

    fn document(&mut self, root: &DeTable<'_>, span: Range<usize>) -> Option<Description> {
        self.known_keys(root, "the launch description", &["pes", "parameters", "buffers", "launches", "bench"]);
        let start = span.start..span.start;
        let pes = self
            .required(
                root,
                &start,
                "the launch description",
                "pes",
                "write `pes = 2`, `pes = [1, 2, 4]` or `pes = { from = 1, to = 8 }`",
            )
            .and_then(|v| self.pes(v));
        if let Some(value) = root.get("parameters")
            && let Some(table) = self.table(value, "`parameters`", "a table: [parameters]")
        {
            for (name, span, value) in entries(table) {
                self.parameter(name, span, value);
            }
        }
        if let Some(value) = root.get("buffers")
            && let Some(table) = self.table(value, "`buffers`", "a table for each buffer: [buffers.name]")
        {
            for (name, span, value) in entries(table) {
                self.buffer(name, span, value);
            }
        }
        let mut launches = Vec::new();
        if let Some(value) = self.required(
            root,
            &start,
            "the launch description",
            "launches",
            "add a table [[launches]] with kernel, grid, block and arguments",
        ) {
            match value.get_ref().as_array() {
                Some(array) => {
                    if array.is_empty() {
                        self.error(&value.span(), "`launches` is empty", "add a table [[launches]]");
                    }
                    launches = array.iter().filter_map(|v| self.launch(v)).collect();
                }
                None => self.wrong_type(value, "`launches`", "[[launches]], with two brackets, for each launch"),
            }
        }
        let bench = root.get("bench").and_then(|v| self.bench(v, &launches));
        Some(Description {
            source: self.source.clone(),
            pes: pes?,
            parameters: std::mem::take(&mut self.parameters),
            buffers: std::mem::take(&mut self.buffers),
            launches,
            bench,
        })
    }

    fn pe_count(&mut self, value: &Value<'_>) -> Option<u32> {
        match integer(value.get_ref()) {
            Some(n) if (1..=i64::from(MAX_PES)).contains(&n) => u32::try_from(n).ok(),
            Some(n) => {
                self.error(
                    &value.span(),
                    format!("{n} is no number of PEs"),
                    format!("from 1 to {MAX_PES} PEs are possible"),
                );
                None
            }
            None => {
                self.wrong_type(value, "a number of PEs", "an integer");
                None
            }
        }
    }

    fn pes(&mut self, value: &Value<'_>) -> Option<PeCounts> {
        match value.get_ref() {
            DeValue::Array(array) if array.is_empty() => {
                self.error(&value.span(), "`pes` is empty", "name at least one number of PEs");
                None
            }
            DeValue::Array(array) => {
                array.iter().map(|v| self.pe_count(v)).collect::<Option<Vec<_>>>().map(PeCounts::List)
            }
            DeValue::Table(table) => {
                self.known_keys(table, "`pes`", &["from", "to"]);
                let span = value.span();
                let from = self.required(table, &span, "`pes`", "from", "write `pes = { from = 1, to = 8 }`");
                let from = from.and_then(|v| self.pe_count(v));
                let to = self.required(table, &span, "`pes`", "to", "write `pes = { from = 1, to = 8 }`");
                let to = to.and_then(|v| self.pe_count(v));
                let (from, to) = (from?, to?);
                if from > to {
                    self.error(&span, format!("`from` is {from}, greater than `to`, {to}"), "exchange them");
                    return None;
                }
                Some(PeCounts::Range(from, to))
            }
            DeValue::Integer(_) => self.pe_count(value).map(|n| PeCounts::List(vec![n])),
            _ => {
                self.wrong_type(value, "`pes`", "a number, an array of numbers, or `{ from = 1, to = 8 }`");
                None
            }
        }
    }

    /// Checks that `name` can be a name, and takes it.
    fn define(&mut self, name: &str, span: &Range<usize>) {
        let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
        if !is_name {
            self.error(
                span,
                format!("`{name}` is no name"),
                "a name consists of letters, digits and _, and starts with no digit",
            );
        } else if Variable::ALL.iter().any(|(_, n)| *n == name) {
            self.error(span, format!("`{name}` has a meaning of its own"), "choose another name");
        } else if self.names.contains(name) {
            self.error(
                span,
                format!("`{name}` is the name of a parameter and of a buffer"),
                "parameters and buffers share one name space",
            );
        }
        self.names.insert(name.to_owned());
    }

    fn parameter(&mut self, name: &str, span: Range<usize>, value: &Value<'_>) {
        const PLACE: Place = Place::per_pe("a parameter");
        let mut per_pe = false;
        let draw = match value.get_ref() {
            DeValue::Float(_) => real(value.get_ref()).map(Draw::Real),
            DeValue::Table(table) => {
                self.known_keys(
                    table,
                    &format!("parameter `{name}`"),
                    &["random", "distribution", "choice", "uniform", "value", "per_pe"],
                );
                if let Some(v) = table.get("per_pe") {
                    match v.get_ref().as_bool() {
                        Some(b) => per_pe = b,
                        None => self.wrong_type(v, "`per_pe`", "true or false"),
                    }
                }
                self.drawn(name, table, value.span())
            }
            DeValue::Integer(_) | DeValue::String(_) => self.expression(value, PLACE).map(Draw::Integer),
            _ => {
                self.wrong_type(
                    value,
                    &format!("parameter `{name}`"),
                    "a number, an expression, or `{ random = [1, 100] }`",
                );
                None
            }
        };
        self.define(name, &span);
        let Some(draw) = draw else { return };
        let varies = |e: &At<Expression>| {
            e.value.uses(Variable::Pe)
                || self.parameters.iter().enumerate().any(|(i, p)| p.per_pe && e.value.uses_parameter(i))
        };
        per_pe |= match &draw {
            Draw::Integer(e) => varies(e),
            Draw::Random { low, high, .. } => varies(low) || varies(high),
            _ => false,
        };
        self.parameters.push(Parameter { name: At { value: name.to_owned(), span }, draw, per_pe });
    }

    fn drawn(&mut self, name: &str, table: &DeTable<'_>, span: Range<usize>) -> Option<Draw> {
        const HELP: &str = "write `{ random = [1, 100] }`, `{ choice = [1, 2, 4] }`, `{ uniform = [0.0, 1.0] }` or `{ value = \"pe + 1\" }`";
        let sources: Vec<_> =
            ["random", "choice", "uniform", "value"].iter().filter(|k| table.contains_key(**k)).collect();
        let [source] = sources[..] else {
            self.error(&span, format!("parameter `{name}` needs one source of its value"), HELP);
            return None;
        };
        let logarithmic = match table.get("distribution") {
            None => false,
            Some(v) => match v.get_ref().as_str() {
                Some("log") if *source == "random" => true,
                Some("uniform") if *source == "random" => false,
                _ => {
                    self.error(
                        &v.span(),
                        "`distribution` is \"uniform\" or \"log\", beside `random`",
                        "leave it out for uniform",
                    );
                    false
                }
            },
        };
        let value = table.get(*source)?;
        match *source {
            "value" => self.expression(value, Place::per_pe("a parameter")).map(Draw::Integer),
            "random" => {
                let (low, high) = self.pair(value, "`random`")?;
                let low = self.expression(low, Place::per_pe("a bound"));
                let high = self.expression(high, Place::per_pe("a bound"));
                let (low, high) = (low?, high?);
                if let (Some(l), Some(h)) = (low.value.as_literal(), high.value.as_literal())
                    && l > h
                {
                    self.error(
                        &value.span(),
                        format!("there is no integer from {l} to {h}"),
                        "write the smaller bound first",
                    );
                    return None;
                }
                Some(Draw::Random { low, high, logarithmic })
            }
            "choice" => {
                let Some(array) = value.get_ref().as_array().filter(|a| !a.is_empty()) else {
                    self.error(&value.span(), "`choice` is an array of one or more integers", HELP);
                    return None;
                };
                array.iter().map(|v| self.integer(v, "a choice")).collect::<Option<Vec<_>>>().map(Draw::Choice)
            }
            _ => self.reals(value).map(|(low, high)| Draw::Uniform(low, high)),
        }
    }

    fn integer(&mut self, value: &Value<'_>, what: &str) -> Option<i64> {
        let number = integer(value.get_ref());
        if number.is_none() {
            self.wrong_type(value, what, "an integer of 64 bits");
        }
        number
    }

    fn pair<'a, 't>(&mut self, value: &'a Value<'t>, what: &str) -> Option<(&'a Value<'t>, &'a Value<'t>)> {
        match value.get_ref().as_array().map(|a| a.iter().collect::<Vec<_>>()).as_deref() {
            Some([low, high]) => Some((low, high)),
            _ => {
                self.error(&value.span(), format!("{what} is an array of two numbers"), "write [low, high]");
                None
            }
        }
    }

    fn reals(&mut self, value: &Value<'_>) -> Option<(f64, f64)> {
        let (low, high) = self.pair(value, "`uniform`")?;
        let (Some(l), Some(h)) = (real(low.get_ref()), real(high.get_ref())) else {
            self.error(&value.span(), "`uniform` needs two numbers here", "write [low, high]");
            return None;
        };
        if !(l < h && (h - l).is_finite()) {
            self.error(
                &value.span(),
                format!("there is no number from {l:?} up to {h:?}"),
                "write finite bounds, the smaller first",
            );
            return None;
        }
        Some((l, h))
    }

    /// An integer, or a string with an expression.
    fn expression(&mut self, value: &Value<'_>, place: Place) -> Option<At<Expression>> {
        let span = value.span();
        match value.get_ref() {
            DeValue::Integer(_) => match integer(value.get_ref()) {
                Some(n) => Some(At { value: Expression::literal(n), span }),
                None => {
                    self.error(&span, "the number does not fit in 64 bits", "numbers are from -2^63 to 2^63 - 1");
                    None
                }
            },
            DeValue::String(text) => self.expression_text(text, span, place),
            _ => {
                self.wrong_type(value, place.what, "an integer or an expression in quotes");
                None
            }
        }
    }

    fn expression_text(&mut self, text: &str, span: Range<usize>, place: Place) -> Option<At<Expression>> {
        let mut broken = false;
        let parsed = Expression::parse(text, &mut |name| match self.meaning(name, place) {
            Ok(Some(meaning)) => Ok(meaning),
            Ok(None) => {
                broken = true;
                Ok(Meaning::Variable(Variable::PeCount))
            }
            Err(e) => Err(e),
        });
        match parsed {
            Ok(_) if broken => None,
            Ok(value) => Some(At { value, span }),
            Err(e) => {
                let inside = self.source.text.get(span.start + 1..span.start + 1 + text.len()) == Some(text);
                let at = if inside { span.start + 1 + e.span.start..span.start + 1 + e.span.end } else { span };
                self.error(&at, e.message, e.help);
                None
            }
        }
    }

    /// What a name means in an expression; `Ok(None)` for a name whose definition is wrong.
    fn meaning(&self, name: &str, place: Place) -> Result<Option<Meaning>, (String, String)> {
        let what = place.what;
        if let Some((variable, _)) = Variable::ALL.iter().find(|(_, n)| *n == name) {
            return if place.allows(*variable) {
                Ok(Some(Meaning::Variable(*variable)))
            } else {
                Err((
                    format!("`{name}` cannot be used in {what}"),
                    match variable {
                        Variable::Pe => format!("{what} must be the same on every PE"),
                        Variable::Iteration => "`iteration` exists in arguments of a launch".into(),
                        _ => "`i` exists in `each`".into(),
                    },
                ))
            };
        }
        if let Some(index) = self.parameters.iter().position(|p| p.name.value == name) {
            let p = &self.parameters[index];
            if p.is_real() {
                return Err((
                    format!("parameter `{name}` is a floating-point number"),
                    "expressions are of integers".into(),
                ));
            }
            if p.per_pe && !place.pe {
                return Err((
                    format!("parameter `{name}` differs between PEs and cannot be used in {what}"),
                    format!("{what} must be the same on every PE"),
                ));
            }
            return Ok(Some(Meaning::Parameter(index)));
        }
        if self.buffers.iter().any(|b| b.name.value == name) {
            return Err((
                format!("`{name}` is a buffer, not a number"),
                "an address is moved by { buffer = …, offset = … }".into(),
            ));
        }
        if self.names.contains(name) {
            return Ok(None);
        }
        let variables = Variable::ALL.iter().filter(|(v, _)| place.allows(*v)).map(|(_, n)| *n);
        let known = self.parameters.iter().map(|p| p.name.value.as_str()).chain(variables);
        let help = match closest(name, known) {
            Some(k) => format!("did you mean `{k}`?"),
            None => "a parameter is defined under [parameters], above its use".into(),
        };
        Err((format!("there is no parameter `{name}`"), help))
    }

    fn buffer(&mut self, name: &str, span: Range<usize>, value: &Value<'_>) {
        let what = format!("buffer `{name}`");
        if let Some(table) = self.table(value, &what, "a table: [buffers.name]") {
            self.known_keys(table, &what, &["type", "length", "symmetric", "init", "output"]);
            let element = self.required(table, &span, &what, "type", "write type = \"f32\", for example");
            let element = element.and_then(|v| self.element(v));
            let length = self.required(table, &span, &what, "length", "write the number of elements");
            let length = length.and_then(|v| self.expression(v, Place::same_everywhere("a length")));
            let mut symmetric = false;
            if let Some(v) = table.get("symmetric") {
                match v.get_ref().as_bool() {
                    Some(b) => symmetric = b,
                    None => self.wrong_type(v, "`symmetric`", "true or false"),
                }
            }
            let init = match (table.get("init"), element) {
                (None, _) => Some(At { value: Init::Poison, span: span.clone() }),
                (Some(v), Some(element)) => self.init(v, element).map(|value| At { value, span: v.span() }),
                (Some(_), None) => None,
            };
            let output = table.get("output").map(|v| self.tolerance(v));
            self.define(name, &span);
            if let (Some(element), Some(length), Some(init)) = (element, length, init) {
                let name = At { value: name.to_owned(), span };
                self.buffers.push(Buffer { name, element, length, symmetric, init, output: output.flatten() });
                return;
            }
        }
        self.names.insert(name.to_owned());
    }

    fn element(&mut self, value: &Value<'_>) -> Option<ElementType> {
        let names = || ElementType::ALL.iter().map(|(_, n)| *n);
        let Some(name) = value.get_ref().as_str() else {
            self.wrong_type(value, "`type`", "a type's name in quotes");
            return None;
        };
        let ty = ElementType::from_name(name);
        if ty.is_none() {
            let help = format!("the types are {}", names().collect::<Vec<_>>().join(", "));
            self.error(&value.span(), format!("unknown type `{name}`"), help);
        }
        ty
    }

    fn init(&mut self, value: &Value<'_>, element: ElementType) -> Option<Init> {
        const HELP: &str = "write \"zero\", \"iota\", \"random\", \"poison\", { constant = 3 }, { uniform = [-1.0, 1.0] } or { each = \"pe * 100 + i\" }";
        match value.get_ref() {
            DeValue::String(text) => match text.as_ref() {
                "zero" => Some(Init::Zero),
                "iota" => Some(Init::Iota),
                "poison" => Some(Init::Poison),
                "random" if element.is_real() => {
                    self.error(
                        &value.span(),
                        format!("random bits of {} may be no number", element.name()),
                        "write { uniform = [-1.0, 1.0] }",
                    );
                    None
                }
                "random" => Some(Init::Random),
                other => {
                    self.error(&value.span(), format!("unknown initialisation `{other}`"), HELP);
                    None
                }
            },
            DeValue::Table(table) => {
                self.known_keys(table, "`init`", &["constant", "uniform", "each"]);
                if table.len() != 1 {
                    self.error(&value.span(), "`init` needs one kind of initialisation", HELP);
                    return None;
                }
                if let Some(v) = table.get("constant") {
                    self.constant(v, element)
                } else if let Some(v) = table.get("uniform") {
                    self.uniform(v, element)
                } else {
                    let place = Place { what: "an initial value", pe: true, iteration: false, index: true };
                    self.expression(table.get("each")?, place).map(Init::Each)
                }
            }
            _ => {
                self.wrong_type(value, "`init`", HELP.trim_start_matches("write "));
                None
            }
        }
    }

    fn constant(&mut self, value: &Value<'_>, element: ElementType) -> Option<Init> {
        if let (DeValue::Float(_), true) = (value.get_ref(), element.is_real()) {
            return real(value.get_ref()).map(|v| Init::Constant(Scalar::Real(v)));
        }
        let e = self.expression(value, Place::per_pe("an initial value"))?;
        Some(Init::Constant(Scalar::Integer(e)))
    }

    fn uniform(&mut self, value: &Value<'_>, element: ElementType) -> Option<Init> {
        if element.is_real() {
            return self.reals(value).map(|(low, high)| Init::UniformReals(low, high));
        }
        let (low, high) = self.pair(value, "`uniform`")?;
        let low = self.expression(low, Place::per_pe("a bound"));
        let high = self.expression(high, Place::per_pe("a bound"));
        Some(Init::UniformIntegers(low?, high?))
    }

    fn tolerance(&mut self, value: &Value<'_>) -> Option<Tolerance> {
        const HELP: &str = "write output = \"exact\" or output = { absolute = 1e-6, relative = 1e-5 }";
        match value.get_ref() {
            DeValue::String(text) if text == "exact" => Some(Tolerance::Exact),
            DeValue::Table(table) => {
                self.known_keys(table, "`output`", &["absolute", "relative"]);
                if table.is_empty() {
                    self.error(&value.span(), "`output` has no tolerance", HELP);
                }
                let mut part = |key: &str| match table.get(key) {
                    None => Some(0.0),
                    Some(v) => match real(v.get_ref()) {
                        Some(t) if t >= 0.0 && t.is_finite() => Some(t),
                        _ => {
                            self.error(
                                &v.span(),
                                format!("`{key}` is no tolerance"),
                                "a tolerance is a number, not negative",
                            );
                            None
                        }
                    },
                };
                let (absolute, relative) = (part("absolute"), part("relative"));
                Some(Tolerance::Within { absolute: absolute?, relative: relative? })
            }
            _ => {
                self.error(&value.span(), "`output` says how exact the result must be", HELP);
                None
            }
        }
    }

    fn launch(&mut self, value: &Value<'_>) -> Option<Launch> {
        let table = self.table(value, "a launch", "[[launches]], with two brackets")?;
        let span = value.span();
        let what = "the launch";
        self.known_keys(table, what, &["kernel", "grid", "block", "shared_bytes", "repeat", "fails", "arguments"]);
        let kernel = self.required(table, &span, what, "kernel", "write the kernel's name: kernel = \"push\"");
        let kernel = kernel.and_then(|v| self.text(v, "`kernel`"));
        let grid = self.required(table, &span, what, "grid", "write the number of blocks: grid = 4");
        let grid = grid.and_then(|v| self.extent(v, "a number of blocks"));
        let block = self.required(table, &span, what, "block", "write the number of threads: block = 256");
        let block = block.and_then(|v| self.extent(v, "a number of threads"));
        let none = |n| At { value: Expression::literal(n), span: span.clone() };
        let shared_bytes = match table.get("shared_bytes") {
            None => Some(none(0)),
            Some(v) => self.expression(v, Place::same_everywhere("the shared memory")),
        };
        let repeat = match table.get("repeat") {
            None => Some(none(1)),
            Some(v) => self.expression(v, Place::same_everywhere("`repeat`")),
        };
        let fails = match table.get("fails") {
            None => false,
            Some(v) => v.get_ref().as_bool().unwrap_or_else(|| {
                self.wrong_type(v, "`fails`", "true or false");
                false
            }),
        };
        let arguments =
            self.required(table, &span, what, "arguments", "write arguments = [] for a kernel without parameters");
        let arguments = arguments.and_then(|v| {
            let Some(array) = v.get_ref().as_array() else {
                self.wrong_type(v, "`arguments`", "an array with an entry for each parameter of the kernel");
                return None;
            };
            let all: Vec<_> = array.iter().map(|a| self.argument(a, true)).collect();
            Some(At { value: all.into_iter().collect::<Option<Vec<_>>>()?, span: v.span() })
        });
        Some(Launch {
            kernel: kernel?,
            grid: grid?,
            block: block?,
            shared_bytes: shared_bytes?,
            repeat: repeat?,
            fails,
            arguments: arguments?,
        })
    }

    fn text(&mut self, value: &Value<'_>, what: &str) -> Option<At<String>> {
        match value.get_ref().as_str() {
            Some(text) => Some(At { value: text.to_owned(), span: value.span() }),
            None => {
                self.wrong_type(value, what, "a name in quotes");
                None
            }
        }
    }

    fn extent(&mut self, value: &Value<'_>, what: &'static str) -> Option<At<Vec<At<Expression>>>> {
        let place = Place::same_everywhere(what);
        let dimensions = match value.get_ref() {
            DeValue::Array(array) if (1..=3).contains(&array.len()) => {
                let all: Vec<_> = array.iter().map(|v| self.expression(v, place)).collect();
                all.into_iter().collect::<Option<Vec<_>>>()?
            }
            DeValue::Array(array) => {
                self.error(
                    &value.span(),
                    format!("there are no {} dimensions", array.len()),
                    "write one to three numbers",
                );
                return None;
            }
            _ => vec![self.expression(value, place)?],
        };
        Some(At { value: dimensions, span: value.span() })
    }

    fn argument(&mut self, value: &Value<'_>, structures: bool) -> Option<At<Argument>> {
        let span = value.span();
        let at = |value| Some(At { value, span: span.clone() });
        let place = Place { what: "an argument", pe: true, iteration: true, index: false };
        match value.get_ref() {
            DeValue::Float(_) => at(Argument::Real(real(value.get_ref())?)),
            DeValue::Boolean(b) => at(Argument::Integer(Expression::literal((*b).into()))),
            DeValue::Integer(_) => {
                let e = self.expression(value, place)?;
                at(Argument::Integer(e.value))
            }
            DeValue::String(text) => {
                let name = text.trim();
                if let Some(buffer) = self.buffers.iter().position(|b| b.name.value == name) {
                    return at(Argument::Buffer { buffer, offset: None, in_bytes: false, multicast: false });
                }
                if let Some(index) = self.parameters.iter().position(|p| p.name.value == name && p.is_real()) {
                    return at(Argument::RealParameter(index));
                }
                let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                if is_name && matches!(self.meaning(name, place), Err((m, _)) if m.starts_with("there is no")) {
                    self.unknown_name(name, &span);
                    return None;
                }
                let e = self.expression_text(text, span.clone(), place)?;
                at(Argument::Integer(e.value))
            }
            DeValue::Table(table) if structures && table.contains_key("struct") => {
                self.known_keys(table, "the argument", &["struct"]);
                let fields = self.structure(table.get("struct")?)?;
                at(Argument::Structure(fields))
            }
            DeValue::Table(table) => {
                self.known_keys(table, "the argument", &["buffer", "multicast", "offset", "byte_offset"]);
                let multicast = table.contains_key("multicast");
                if multicast && table.contains_key("buffer") {
                    self.error(
                        &span,
                        "the argument has two addresses",
                        "write either `buffer` (on this PE) or `multicast` (on every PE)",
                    );
                    return None;
                }
                let key = if multicast { "multicast" } else { "buffer" };
                let buffer =
                    self.required(table, &span, "the argument", key, "write { buffer = \"name\", offset = 1 }");
                let name = buffer.and_then(|v| self.text(v, &format!("`{key}`")))?;
                let Some(buffer) = self.buffers.iter().position(|b| b.name.value == name.value) else {
                    if !self.names.contains(&name.value) {
                        self.unknown_name(&name.value, &name.span);
                    }
                    return None;
                };
                if multicast && !self.buffers[buffer].symmetric {
                    self.error(
                        &name.span,
                        format!("`{}` has no multicast address, because it is not symmetric", name.value),
                        "write `symmetric = true` in the buffer",
                    );
                    return None;
                }
                let (offset, in_bytes) = match (table.get("offset"), table.get("byte_offset")) {
                    (Some(_), Some(v)) => {
                        self.error(
                            &v.span(),
                            "the argument has two offsets",
                            "write either `offset` (elements) or `byte_offset`",
                        );
                        return None;
                    }
                    (Some(v), None) => (Some(self.expression(v, place)?), false),
                    (None, Some(v)) => (Some(self.expression(v, place)?), true),
                    (None, None) => (None, false),
                };
                at(Argument::Buffer { buffer, offset, in_bytes, multicast })
            }
            _ => {
                self.wrong_type(
                    value,
                    "an argument",
                    "a buffer's name, a number, an expression, or { buffer = …, offset = … }",
                );
                None
            }
        }
    }

    fn unknown_name(&mut self, name: &str, span: &Range<usize>) {
        let known = self.buffers.iter().map(|b| b.name.value.as_str());
        let known = known.chain(self.parameters.iter().map(|p| p.name.value.as_str()));
        let known = known.chain(["pe", "n_pes", "iteration"]);
        let help = match closest(name, known) {
            Some(k) => format!("did you mean `{k}`?"),
            None => "define it under [buffers] or [parameters]".into(),
        };
        self.error(span, format!("there is no buffer or parameter `{name}`"), help);
    }

    fn structure(&mut self, value: &Value<'_>) -> Option<Vec<Field>> {
        let Some(array) = value.get_ref().as_array().filter(|a| !a.is_empty()) else {
            self.error(&value.span(), "`struct` is an array of fields", "write [{ type = \"i32\", value = \"n\" }]");
            return None;
        };
        let mut fields = Vec::new();
        for entry in array.iter() {
            let table = self.table(entry, "a field", "{ type = \"i32\", value = \"n\" }")?;
            self.known_keys(table, "the field", &["type", "value"]);
            let ty =
                self.required(table, &entry.span(), "the field", "type", "write type = \"pointer\" or type = \"i32\"")?;
            let ty = if ty.get_ref().as_str() == Some("pointer") {
                FieldType::Pointer
            } else {
                FieldType::Number(self.element(ty)?)
            };
            let value = self.required(table, &entry.span(), "the field", "value", "write what it holds")?;
            fields.push(Field { ty, value: self.argument(value, false)? });
        }
        Some(fields)
    }

    fn bench(&mut self, value: &Value<'_>, launches: &[Launch]) -> Option<Bench> {
        let table = self.table(value, "`bench`", "a table: [bench]")?;
        let span = value.span();
        self.known_keys(table, "`bench`", &["kernel", "sweep", "iterations", "warmup", "repeats", "graph"]);
        let kernel = self.required(table, &span, "`bench`", "kernel", "write the name of the kernel that is timed");
        let timed = kernel.and_then(|v| self.timed(v, launches));
        let mut sweep = Vec::new();
        if let Some(v) = table.get("sweep")
            && let Some(table) = self.table(v, "`sweep`", "{ bytes = [16, 1024], blocks = [1, 8] }")
        {
            for (name, span, value) in entries(table) {
                let index = self.swept(name, &span);
                let Some(array) = value.get_ref().as_array().filter(|a| !a.is_empty()) else {
                    self.error(&value.span(), format!("`{name}` sweeps no values"), "write an array of integers");
                    continue;
                };
                let values: Vec<_> = array.iter().map(|v| self.integer(v, "a swept value")).collect();
                if let (Some(index), Some(values)) = (index, values.into_iter().collect::<Option<Vec<_>>>()) {
                    sweep.push((index, values));
                }
            }
        }
        let iterations = table.get("iterations").and_then(|v| {
            let table = self.table(v, "`iterations`", "{ parameter = \"iterations\", count = 1000 }")?;
            self.known_keys(table, "`iterations`", &["parameter", "count"]);
            let name = self.required(table, &v.span(), "`iterations`", "parameter", "name the parameter");
            let name = name.and_then(|v| self.text(v, "`parameter`"))?;
            let index = self.swept(&name.value, &name.span);
            let count = self.required(table, &v.span(), "`iterations`", "count", "write how many");
            let count = count.and_then(|v| {
                let n = self.integer(v, "`count`")?;
                if n < 1 {
                    self.error(&v.span(), format!("{n} iterations take no time"), "write 1 or more");
                }
                Some(n)
            });
            Some((index?, count?))
        });
        let mut number = |key: &str, default: u32, least: i64| match table.get(key) {
            None => default,
            Some(v) => {
                let n = self.integer(v, &format!("`{key}`")).unwrap_or(least);
                if !(least..=100_000).contains(&n) {
                    self.error(&v.span(), format!("`{key}` is {n}"), format!("write a number from {least} to 100000"));
                }
                u32::try_from(n).unwrap_or(default)
            }
        };
        let (warmup, repeats) = (number("warmup", 1, 0), number("repeats", 9, 1));
        let graph = table.get("graph").map(|_| number("graph", 1, 1));
        Some(Bench { launches: timed?, sweep, iterations, warmup, repeats, graph })
    }

    /// The launches of the kernels that a benchmark names: one, or an array of several.
    fn timed(&mut self, value: &Value<'_>, launches: &[Launch]) -> Option<Vec<usize>> {
        let names: Vec<&Value<'_>> = match value.get_ref().as_array() {
            Some(array) => array.iter().collect(),
            None => vec![value],
        };
        if names.is_empty() {
            self.error(&value.span(), "no kernel is timed".to_owned(), "name at least one");
            return None;
        }
        names
            .into_iter()
            .map(|v| {
                let kernel = self.text(v, "`kernel`")?;
                let index = launches.iter().position(|l| l.kernel.value == kernel.value);
                if index.is_none() {
                    self.error(
                        &kernel.span,
                        format!("no launch is of a kernel `{}`", kernel.value),
                        "add it as [[launches]]",
                    );
                }
                index
            })
            .collect()
    }

    /// The index of a parameter that a benchmark sets.
    fn swept(&mut self, name: &str, span: &Range<usize>) -> Option<usize> {
        let index = self.parameters.iter().position(|p| p.name.value == name);
        match index {
            Some(i) if self.parameters[i].is_real() || self.parameters[i].per_pe => {
                self.error(
                    span,
                    format!("parameter `{name}` cannot be swept"),
                    "a swept parameter is an integer, the same on every PE",
                );
                None
            }
            Some(i) => Some(i),
            None => {
                if !self.names.contains(name) {
                    self.unknown_name(name, span);
                }
                None
            }
        }
    }
}
