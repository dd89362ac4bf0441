//! Text of MLIR, a piece at a time. An expansion is written as text and parsed: what a test or `--dump-ir-after` shows is
//! then what was written here, and `mlir-opt` reads it too.
//!
//! ```text
//! let sum = b.op("llvm.add", x, y);        %7 = llvm.add %5, %6 : i64
//! ```
//!
//! Values are numbers with a type; every operation knows the types of its operands, so a wrong one is a wrong text, which
//! the parser refuses. Only the dialects `scf` and `llvm` are used: what computes needs no lowering. Each constant stands once,
//! at its function's beginning.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Write as _};

use gicc_abi::intrinsics::{self, Type as AbiType};

/// A scalar type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    /// A condition.
    I1,
    /// 32 bits.
    I32,
    /// 64 bits.
    I64,
    /// IEEE half precision.
    F16,
    /// The upper half of a single-precision number.
    Bf16,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

/// A type: a pointer, or lanes of a scalar (one lane is the scalar itself).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// A generic pointer.
    Ptr,
    /// Lanes of a scalar.
    Lanes(u32, Scalar),
}

/// A condition.
pub(crate) const I1: Type = Type::Lanes(1, Scalar::I1);
/// 32 bits.
pub(crate) const I32: Type = Type::Lanes(1, Scalar::I32);
/// 64 bits.
pub(crate) const I64: Type = Type::Lanes(1, Scalar::I64);
/// A packet: its low and high half.
pub(crate) const PACKET: Type = Type::Lanes(2, Scalar::I64);

impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |s: Scalar| match s {
            Scalar::I1 => "i1",
            Scalar::I32 => "i32",
            Scalar::I64 => "i64",
            Scalar::F16 => "f16",
            Scalar::Bf16 => "bf16",
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        };
        match *self {
            Type::Ptr => f.write_str("!llvm.ptr"),
            Type::Lanes(1, s) => f.write_str(name(s)),
            Type::Lanes(n, s) => write!(f, "vector<{n}x{}>", name(s)),
        }
    }
}

/// A value of a function that is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    id: u32,
    /// Its type.
    pub(crate) ty: Type,
}

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.id)
    }
}

/// The text of a function's body, as far as it is written.
#[derive(Debug, Default)]
pub(crate) struct Body {
    /// Definitions of the constants, which stand in front of the text.
    constants: String,
    /// The constants, by what is written of them.
    known: Vec<(String, Value)>,
    text: String,
    next: u32,
    depth: usize,
    /// What is called, with the types of its parameters and result.
    called: BTreeMap<String, String>,
}

fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|i| i.to_string()).collect::<Vec<_>>().join(", ")
}

impl Body {
    fn fresh(&mut self, ty: Type) -> Value {
        self.next += 1;
        Value { id: self.next - 1, ty }
    }

    fn line(&mut self, text: impl Display) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 2 * self.depth + 4);
    }

    fn result(&mut self, ty: Type, text: impl Display) -> Value {
        let value = self.fresh(ty);
        self.line(format_args!("{value} = {text}"));
        value
    }

    /// A constant, by its definition; the same value each time.
    fn once(&mut self, ty: Type, definition: String) -> Value {
        if let Some((_, value)) = self.known.iter().find(|(known, value)| *known == definition && value.ty == ty) {
            return *value;
        }
        let value = self.fresh(ty);
        let _ = writeln!(self.constants, "    {value} = {definition} : {ty}");
        self.known.push((definition, value));
        value
    }

    /// A constant of 32 bits.
    pub(crate) fn i32(&mut self, n: i64) -> Value {
        self.once(I32, format!("llvm.mlir.constant({n} : i32)"))
    }

    /// A constant of 64 bits.
    pub(crate) fn i64(&mut self, n: i64) -> Value {
        self.once(I64, format!("llvm.mlir.constant({n} : i64)"))
    }

    /// A constant condition.
    pub(crate) fn bool(&mut self, truth: bool) -> Value {
        self.once(I1, format!("llvm.mlir.constant({truth})"))
    }

    /// Zeroes of a type.
    pub(crate) fn zero(&mut self, ty: Type) -> Value {
        self.once(ty, "llvm.mlir.zero".into())
    }

    /// A binary operation of the dialect `llvm`.
    pub(crate) fn op(&mut self, name: &str, a: Value, b: Value) -> Value {
        let ty = a.ty;
        if name.starts_with("llvm.intr.") {
            return self.result(ty, format_args!("{name}({a}, {b}) : ({ty}, {ty}) -> {ty}"));
        }
        self.result(ty, format_args!("{name} {a}, {b} : {ty}"))
    }

    /// The sum of two integers.
    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        self.op("llvm.add", a, b)
    }

    /// The difference of two integers.
    pub(crate) fn sub(&mut self, a: Value, b: Value) -> Value {
        self.op("llvm.sub", a, b)
    }

    /// The product of two integers.
    pub(crate) fn mul(&mut self, a: Value, b: Value) -> Value {
        self.op("llvm.mul", a, b)
    }

    /// The lesser of two integers that are not negative.
    pub(crate) fn min(&mut self, a: Value, b: Value) -> Value {
        self.op("llvm.intr.umin", a, b)
    }

    /// A constant of the type of `like`.
    pub(crate) fn constant(&mut self, n: i64, like: Value) -> Value {
        if like.ty == I32 { self.i32(n) } else { self.i64(n) }
    }

    /// The sum with a constant.
    pub(crate) fn plus(&mut self, a: Value, n: i64) -> Value {
        let n = self.constant(n, a);
        self.add(a, n)
    }

    /// The product with a constant.
    pub(crate) fn times(&mut self, a: Value, n: i64) -> Value {
        let n = self.constant(n, a);
        self.mul(a, n)
    }

    /// `a / b` rounded up, for numbers that are not negative and a `b` that LLVM knows.
    pub(crate) fn div_up(&mut self, a: Value, b: Value) -> Value {
        let one = self.constant(1, b);
        let most = self.sub(b, one);
        let sum = self.add(a, most);
        self.op("llvm.udiv", sum, b)
    }

    /// The same for any `b` (1 if it is 0), in the device runtime, so that the division leaves the loops that it is the same in.
    pub(crate) fn div_up_or_one(&mut self, a: Value, b: Value) -> Value {
        let narrow = a.ty == I32;
        let (a, b) = if narrow { (self.wide(a), self.wide(b)) } else { (a, b) };
        let quotient = self.call("__gicc_div_up", &[a, b]);
        if narrow { self.narrow(quotient) } else { quotient }
    }

    /// A comparison of integers.
    pub(crate) fn cmp(&mut self, predicate: &str, a: Value, b: Value) -> Value {
        self.result(I1, format_args!("llvm.icmp \"{predicate}\" {a}, {b} : {}", a.ty))
    }

    /// Whether an integer is this constant.
    pub(crate) fn is(&mut self, a: Value, n: i64) -> Value {
        let n = self.constant(n, a);
        self.cmp("eq", a, n)
    }

    /// One of two values.
    pub(crate) fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        self.result(a.ty, format_args!("llvm.select {condition}, {a}, {b} : i1, {}", a.ty))
    }

    /// A conversion.
    pub(crate) fn cast(&mut self, name: &str, a: Value, to: Type) -> Value {
        if a.ty == to { a } else { self.result(to, format_args!("{name} {a} : {} to {to}", a.ty)) }
    }

    /// The same bits as another type.
    pub(crate) fn bits(&mut self, a: Value, to: Type) -> Value {
        self.cast("llvm.bitcast", a, to)
    }

    /// A number that is not negative, in 64 bits.
    pub(crate) fn wide(&mut self, a: Value) -> Value {
        self.cast("llvm.zext", a, I64)
    }

    /// The low 32 bits.
    pub(crate) fn narrow(&mut self, a: Value) -> Value {
        self.cast("llvm.trunc", a, I32)
    }

    /// A lane of a vector; the value itself where there is one lane.
    pub(crate) fn lane(&mut self, vector: Value, lane: u32) -> Value {
        match vector.ty {
            Type::Lanes(n, s) if n > 1 => {
                let at = self.i32(lane.into());
                let ty = vector.ty;
                self.result(Type::Lanes(1, s), format_args!("llvm.extractelement {vector}[{at} : i32] : {ty}"))
            }
            _ => vector,
        }
    }

    /// The vector with another value in a lane.
    pub(crate) fn with_lane(&mut self, vector: Value, lane: u32, value: Value) -> Value {
        match vector.ty {
            Type::Lanes(n, _) if n > 1 => {
                let at = self.i32(lane.into());
                let ty = vector.ty;
                self.result(ty, format_args!("llvm.insertelement {value}, {vector}[{at} : i32] : {ty}"))
            }
            _ => value,
        }
    }

    /// The address `bytes` (64 bits) further on.
    pub(crate) fn offset(&mut self, pointer: Value, bytes: Value) -> Value {
        self.result(
            Type::Ptr,
            format_args!("llvm.getelementptr {pointer}[{bytes}] : (!llvm.ptr, i64) -> !llvm.ptr, i8"),
        )
    }

    /// An address as a number.
    pub(crate) fn address(&mut self, pointer: Value) -> Value {
        self.cast("llvm.ptrtoint", pointer, I64)
    }

    /// A load.
    pub(crate) fn load(&mut self, ty: Type, pointer: Value, align: u32) -> Value {
        self.result(ty, format_args!("llvm.load {pointer} {{alignment = {align} : i64}} : !llvm.ptr -> {ty}"))
    }

    /// A store.
    pub(crate) fn store(&mut self, value: Value, pointer: Value, align: u32) {
        self.line(format_args!(
            "llvm.store {value}, {pointer} {{alignment = {align} : i64}} : {}, !llvm.ptr",
            value.ty
        ));
    }

    /// A call of an intrinsic; its result, or the first argument where it has none.
    pub(crate) fn call(&mut self, name: &'static str, arguments: &[Value]) -> Value {
        let known = intrinsics::find(name).expect("level H calls intrinsics of the table");
        self.call_function(name, arguments, abi_type(known.result))
    }

    /// A call of a function that is written beside this one.
    pub(crate) fn call_function(&mut self, name: &str, arguments: &[Value], result: Option<Type>) -> Value {
        let types = list(arguments.iter().map(|a| a.ty));
        let values = list(arguments);
        let arrow = result.map(|ty| format!(" -> {ty}")).unwrap_or_default();
        self.called.insert(name.to_owned(), format!("({types}){arrow}"));
        match result {
            Some(ty) => self.result(ty, format_args!("llvm.call @{name}({values}) : ({types}) -> {ty}")),
            None => {
                self.line(format_args!("llvm.call @{name}({values}) : ({types}) -> ()"));
                arguments.first().copied().unwrap_or(Value { id: 0, ty: I32 })
            }
        }
    }

    /// A number of 32 bits of which LLVM does not see that it is `value`, so that nothing that is computed of it leaves the
    /// loops around: one that it may leave costs a register there, and where calls may come in between, memory.
    pub(crate) fn opaque(&mut self, value: Value) -> Value {
        self.result(
            I32,
            format_args!("llvm.inline_asm has_side_effects \"mov.b32 $0, $1;\", \"=r,r\" {value} : (i32) -> i32"),
        )
    }

    /// The block meets; whether `truth` holds for all of its threads.
    pub(crate) fn all_of_block(&mut self, truth: Value) -> Value {
        self.called.insert(BARRIER_AND.to_owned(), "(i32, i1) -> i1".to_owned());
        let id = self.i32(0);
        self.result(I1, format_args!("llvm.call @{BARRIER_AND}({id}, {truth}) : (i32, i1) -> i1"))
    }

    /// A loop from `from` below `to`; `step` is positive. `carried` are the values that go from one round to the next.
    pub(crate) fn for_each(
        &mut self,
        [from, to, step]: [Value; 3],
        carried: &[Value],
        body: impl FnOnce(&mut Body, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let index = self.fresh(from.ty);
        let inside: Vec<Value> = carried.iter().map(|c| self.fresh(c.ty)).collect();
        let results: Vec<Value> = carried.iter().map(|c| self.fresh(c.ty)).collect();
        let head = format!("scf.for {index} = {from} to {to} step {step}");
        if carried.is_empty() {
            self.line(format_args!("{head} : {} {{", from.ty));
        } else {
            let names = list(&results);
            let pairs = list(inside.iter().zip(carried).map(|(i, c)| format!("{i} = {c}")));
            let types = list(carried.iter().map(|c| c.ty));
            self.line(format_args!("{names} = {head} iter_args({pairs}) -> ({types}) : {} {{", from.ty));
        }
        self.block(|b| body(b, index, &inside));
        self.line("}");
        results
    }

    /// A loop that runs at least once: `body` gets how often it ran before (32 bits) and says whether to go round again, and
    /// what comes out where not.
    pub(crate) fn repeat(
        &mut self,
        results: &[Type],
        body: impl FnOnce(&mut Body, Value) -> (Value, Vec<Value>),
    ) -> Vec<Value> {
        let zero = self.i32(0);
        let count = self.fresh(I32);
        let next_outside = self.fresh(I32);
        let values: Vec<Value> = results.iter().map(|t| self.fresh(*t)).collect();
        let types = list(std::iter::once(&I32).chain(results));
        let names = list(std::iter::once(&next_outside).chain(&values));
        self.line(format_args!("{names} = scf.while ({count} = {zero}) : (i32) -> ({types}) {{"));
        self.depth += 1;
        let (again, out) = body(self, count);
        let next = self.plus(count, 1);
        let passed = list(std::iter::once(&next).chain(&out));
        self.line(format_args!("scf.condition({again}) {passed} : {types}"));
        self.depth -= 1;
        self.line("} do {");
        let inside: Vec<Value> = std::iter::once(&I32).chain(results).map(|t| self.fresh(*t)).collect();
        let parameters = list(inside.iter().map(|v| format!("{v}: {}", v.ty)));
        self.line(format_args!("^bb0({parameters}):"));
        self.depth += 1;
        self.line(format_args!("scf.yield {} : i32", inside[0]));
        self.depth -= 1;
        self.line("}");
        values
    }

    /// A branch with results.
    pub(crate) fn branch(
        &mut self,
        condition: Value,
        results: &[Type],
        then: impl FnOnce(&mut Body) -> Vec<Value>,
        otherwise: impl FnOnce(&mut Body) -> Vec<Value>,
    ) -> Vec<Value> {
        let values: Vec<Value> = results.iter().map(|t| self.fresh(*t)).collect();
        if values.is_empty() {
            self.line(format_args!("scf.if {condition} {{"));
        } else {
            self.line(format_args!("{} = scf.if {condition} -> ({}) {{", list(&values), list(results)));
        }
        self.block(then);
        self.line("} else {");
        self.block(otherwise);
        self.line("}");
        values
    }

    /// What is done only where the condition holds.
    pub(crate) fn when(&mut self, condition: Value, then: impl FnOnce(&mut Body)) {
        self.line(format_args!("scf.if {condition} {{"));
        self.block(|b| {
            then(b);
            Vec::new()
        });
        self.line("}");
    }

    fn block(&mut self, body: impl FnOnce(&mut Body) -> Vec<Value>) {
        self.depth += 1;
        let yielded = body(self);
        if !yielded.is_empty() {
            let types = list(yielded.iter().map(|y| y.ty));
            let values = list(&yielded);
            self.line(format_args!("scf.yield {values} : {types}"));
        }
        self.depth -= 1;
    }
}

/// LLVM's barrier of a block that also says whether something holds for all of its threads.
const BARRIER_AND: &str = "llvm.nvvm.barrier.cta.red.and.aligned.all";

fn abi_type(ty: AbiType) -> Option<Type> {
    match ty {
        AbiType::Void => None,
        AbiType::I32 => Some(I32),
        AbiType::I64 => Some(I64),
        AbiType::Ptr => Some(Type::Ptr),
        AbiType::V2I64 => Some(PACKET),
    }
}

/// What becomes of a function. Several expansions may have it; linking keeps one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It is inlined where it is called.
    Inlined,
    /// It stays a function of its own.
    Apart,
}

/// A function of one expansion.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Its symbol.
    pub(crate) name: String,
    text: String,
    called: BTreeMap<String, String>,
}

impl Function {
    /// Writes a function.
    pub(crate) fn write(
        name: &str,
        kind: Kind,
        parameters: &[Type],
        result: Option<Type>,
        body: impl FnOnce(&mut Body, &[Value]) -> Option<Value>,
    ) -> Function {
        let mut b = Body::default();
        let values: Vec<Value> = parameters.iter().map(|t| b.fresh(*t)).collect();
        let returned = body(&mut b, &values);
        let parameters = list(values.iter().map(|v| format!("{v}: {}", v.ty)));
        let arrow = result.map(|t| format!(" -> {t}")).unwrap_or_default();
        let inlining = match kind {
            Kind::Inlined => "always_inline",
            Kind::Apart => "no_inline",
        };
        let end = match returned {
            Some(v) => format!("    llvm.return {v} : {}\n", v.ty),
            None => "    llvm.return\n".into(),
        };
        let text = format!(
            "  llvm.func linkonce_odr @{name}({parameters}){arrow} attributes {{convergent, {inlining}, passthrough = [\"{MADE_BY_GICC}\"]}} {{\n{}{}{end}  }}\n",
            b.constants, b.text
        );
        Function { name: name.to_owned(), text, called: b.called }
    }
}

/// The attribute of functions that level H made, by which they are known among a program's.
pub(crate) const MADE_BY_GICC: &str = "gicc-collective";

/// The text of a module of functions, with declarations of what they call beside each other.
pub(crate) fn module(functions: &[Function]) -> String {
    let mut text = String::from("module {\n");
    let called: BTreeMap<&String, &String> = functions.iter().flat_map(|f| &f.called).collect();
    for (name, types) in called {
        if functions.iter().any(|f| f.name == *name) {
            continue;
        }
        // LLVM's own barrier, and what only tells facts, may be called by any thread.
        let anyone =
            name == BARRIER_AND || intrinsics::find(name).is_some_and(|known| known.family == intrinsics::Family::Team);
        let convergent = if anyone { "" } else { " attributes {convergent}" };
        let _ = writeln!(text, "  llvm.func @{name}{types}{convergent}");
    }
    functions.iter().for_each(|f| text += &f.text);
    text + "}\n"
}
