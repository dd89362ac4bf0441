//! The flow itself: see [`super`].

use std::collections::HashMap;

use inkwell::llvm_sys::LLVMOpcode;

use super::{Bytes, Path, PathId, Paths, Pick, Value};
use crate::analysis::body::{AsmOperand, Body, Kind, Layout, NodeId};
use crate::analysis::communication::Space;
use crate::analysis::known;

/// Passes at most; sets only grow and are small, so that real kernels need far fewer.
const PASSES: u32 = 24;
/// Entries that are kept of one local object; more become one.
const ENTRIES: usize = 96;
/// Copies of copies are followed so deep.
const COPIES: u32 = 4;

/// What every value may point to.
#[derive(Debug)]
pub(crate) struct Provenance {
    pub(crate) paths: Paths,
    pub(crate) values: Vec<Value>,
    /// Values that were loaded and then used as pointers.
    pub(crate) used_as_pointer: Vec<bool>,
    contents: HashMap<PathId, Vec<Entry>>,
}

/// What lies in a local object.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    at: Bytes,
    bytes: u64,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    Value(Value),
    /// What lies at another place.
    Copy(Value),
}

impl Provenance {
    /// The places that an address may be.
    pub(crate) fn of(&self, node: NodeId) -> &Value {
        &self.values[node.index()]
    }
}

/// Solves a body.
pub(crate) fn solve(body: &Body) -> Provenance {
    let mut work = Work {
        body,
        out: Provenance {
            paths: Paths::default(),
            values: vec![Value::default(); body.nodes.len()],
            used_as_pointer: vec![false; body.nodes.len()],
            contents: HashMap::new(),
        },
        changed: true,
        picks: vec![None; body.nodes.len()],
    };
    let order = order(body);
    for _ in 0..PASSES {
        work.changed = false;
        for &node in &order {
            work.visit(node);
        }
        if !work.changed {
            break;
        }
    }
    work.mark_pointers();
    work.out
}

/// Constants first, then blocks in reverse post-order.
fn order(body: &Body) -> Vec<NodeId> {
    let mut order: Vec<NodeId> =
        (0..body.nodes.len() as u32).map(NodeId).filter(|n| body.node(*n).at.is_none()).collect();
    // A constant expression's operands were made after it.
    order.reverse();
    let successors: Vec<Vec<u32>> = body.blocks.iter().map(|b| b.successors.clone()).collect();
    let control = crate::analysis::communication::Control::new(&successors);
    for block in control.blocks() {
        if let Some(block) = body.blocks.get(block.0 as usize) {
            order.extend(&block.nodes);
        }
    }
    order
}

struct Work<'b> {
    body: &'b Body,
    out: Provenance,
    changed: bool,
    picks: Vec<Option<Pick>>,
}

impl Work<'_> {
    fn visit(&mut self, node: NodeId) {
        let value = self.transfer(node);
        if !value.is_nothing() && self.out.values[node.index()].join(&value) {
            self.changed = true;
        }
    }

    fn value(&self, node: NodeId) -> &Value {
        &self.out.values[node.index()]
    }

    fn root(&mut self, path: Path) -> Value {
        let id = self.out.paths.intern(path);
        Value::at(id, Bytes::Known(0))
    }

    fn transfer(&mut self, node: NodeId) -> Value {
        let body = self.body;
        match body.kind(node) {
            Kind::Parameter(n) => match body.parameters.get(*n as usize) {
                Some(p) if p.by_value.is_some() => self.root(Path::ByValue(*n)),
                // A number of fewer bits is no address.
                Some(p) if p.pointer || body.node(node).bits == 64 => self.root(Path::Parameter(*n)),
                _ => Value::default(),
            },
            Kind::Global(n) => self.root(Path::Global(*n)),
            Kind::Alloca => self.root(Path::Alloca(node)),
            // What is no address is not followed.
            Kind::Load { .. } | Kind::Rmw { .. } if body.node(node).float => Value::default(),
            Kind::Load { pointer, bytes, .. } => {
                let pick = self.pick(*pointer);
                self.load(*pointer, u64::from(*bytes), pick)
            }
            Kind::Store { value, pointer, bytes, .. } => {
                let what = self.value(*value).clone();
                self.store(*pointer, u64::from(*bytes), What::Value(what));
                Value::default()
            }
            Kind::Rmw { pointer, bytes, .. } | Kind::CompareExchange { pointer, bytes, .. } => {
                self.load(*pointer, u64::from(*bytes), Pick::Other)
            }
            Kind::Element { base, constant, variable } => {
                let mut value = self.value(*base).moved(|b| b.plus(*constant));
                if !variable.is_empty() {
                    value = value.moved(Bytes::computed);
                    value.shifted |= variable.iter().any(|(v, _)| self.value(*v).shifted);
                }
                value
            }
            Kind::Cast(from) => self.value(*from).clone(),
            Kind::Binary { op, left, right } => self.binary(*op, *left, *right),
            Kind::Select { yes, no, .. } => self.either(&[*yes, *no]),
            Kind::Phi(incoming) => {
                let all: Vec<NodeId> = incoming.iter().map(|(v, _)| *v).collect();
                self.either(&all)
            }
            Kind::Extract { from, .. } => self.value(*from).clone(),
            Kind::Insert { into, value, .. } => {
                let mut joined = self.value(*into).clone();
                joined.join(self.value(*value));
                joined
            }
            Kind::Call { name, arguments, .. } => {
                let name = name.clone();
                self.call(&name, arguments)
            }
            Kind::Assembly { code, inputs } => self.assembly(&code.clone(), inputs),
            Kind::Other(operands) => {
                let mut joined = Value::default();
                for operand in operands {
                    joined.join(&self.value(*operand).clone());
                }
                joined.moved(|_| Bytes::Unknown)
            }
            Kind::Integer(_)
            | Kind::Null
            | Kind::Constant
            | Kind::Fence(_)
            | Kind::Compare { .. }
            | Kind::Indirect { .. }
            | Kind::Branch(_) => Value::default(),
        }
    }

    /// Control flow meets.
    fn either(&self, nodes: &[NodeId]) -> Value {
        let mut joined = Value::default();
        for node in nodes {
            joined.join(self.value(*node));
        }
        joined.by_way |= joined.places.len() > 1;
        joined
    }

    fn binary(&self, op: LLVMOpcode, left: NodeId, right: NodeId) -> Value {
        let (a, b) = (self.value(left), self.value(right));
        let shifted = a.shifted || b.shifted;
        let mut value = match op {
            LLVMOpcode::LLVMAdd => {
                let sides = [(left, right), (right, left)].map(|(of, other)| {
                    if self.is_index(of) {
                        return Value::default();
                    }
                    match self.body.integer(other) {
                        Some(n) => self.value(of).moved(|b| b.plus(n)),
                        None => self.value(of).moved(Bytes::computed),
                    }
                });
                let mut value = sides[0].clone();
                value.join(&sides[1]);
                value.by_way = a.by_way || b.by_way;
                value
            }
            // A pointer less a pointer is a distance.
            LLVMOpcode::LLVMSub if b.places.is_empty() => match self.body.integer(right) {
                Some(n) => a.moved(|x| x.plus(n.wrapping_neg())),
                None => a.moved(Bytes::computed),
            },
            LLVMOpcode::LLVMOr => {
                let mut value = a.clone();
                value.join(b);
                value.by_way = a.by_way || b.by_way;
                value
            }
            LLVMOpcode::LLVMAnd | LLVMOpcode::LLVMXor => {
                if self.body.integer(right).is_some() {
                    a.moved(Bytes::computed)
                } else {
                    Value::default()
                }
            }
            // Halves of a 64-bit word.
            LLVMOpcode::LLVMShl | LLVMOpcode::LLVMLShr | LLVMOpcode::LLVMAShr
                if self.body.integer(right) == Some(32) =>
            {
                a.clone()
            }
            _ => Value::default(),
        };
        value.shifted |= shifted;
        value
    }

    /// A number of 32 bits or less that was extended is a distance, not an address.
    fn is_index(&self, node: NodeId) -> bool {
        match self.body.kind(node) {
            Kind::Cast(from) => {
                let bits = self.body.node(*from).bits;
                (bits > 0 && bits < 64) || self.is_index(*from)
            }
            _ => false,
        }
    }

    fn call(&mut self, name: &str, arguments: &[NodeId]) -> Value {
        match known::returns(name) {
            Some(known::Returns::Stride) => Value { shifted: true, ..Value::default() },
            Some(known::Returns::Argument(n)) => arguments.get(n).map(|a| self.value(*a).clone()).unwrap_or_default(),
            Some(known::Returns::Pointer) => {
                let path = Path::Call(name.into());
                self.root(path)
            }
            None => {
                if let Some((to, from)) = known::copy(name) {
                    if let (Some(&to), Some(&from)) = (arguments.get(to), arguments.get(from)) {
                        let bytes = arguments.get(2).and_then(|n| self.body.integer(*n));
                        let bytes = bytes.and_then(|n| u64::try_from(n).ok()).unwrap_or(u64::MAX);
                        let what = self.value(from).clone();
                        self.store(to, bytes, What::Copy(what));
                    }
                    return Value::default();
                }
                Value::default()
            }
        }
    }

    /// Moves, address conversions and loads inside assembly; any other output may be what any input is, where it is wide
    /// enough for an address.
    fn assembly(&mut self, code: &crate::analysis::body::Assembly, inputs: &[NodeId]) -> Value {
        let mut value = Value::default();
        let Ok(parsed) = &code.code else { return value };
        for instruction in parsed.instructions() {
            let placeholder = |operand: &ptx::Operand| match operand {
                ptx::Operand::Placeholder(p) => match code.operands.get(p.index as usize) {
                    Some(AsmOperand::Input(n)) => inputs.get(*n as usize).copied(),
                    _ => None,
                },
                _ => None,
            };
            match &instruction.op {
                ptx::Op::Mov(_) | ptx::Op::Cvta(_) | ptx::Op::Mapa(_) => {
                    for operand in instruction.operands.iter().skip(1) {
                        operand.walk(&mut |o| {
                            if let Some(node) = placeholder(o) {
                                value.join(&self.out.values[node.index()]);
                            }
                        });
                    }
                }
                ptx::Op::Ld(ld) if ld.ty.bytes() >= 4 => {
                    if let Some(ptx::Operand::Address(address)) = instruction.operands.get(1)
                        && let Some(node) = placeholder(&address.base)
                    {
                        let pick = self.pick(node);
                        let constant = if let ptx::Offset::Bytes(n) = address.offset { n } else { 0 };
                        let from = self.value(node).moved(|b| b.plus(constant));
                        let loaded = self.load_from(&from, 16, pick, 0);
                        value.join(&loaded);
                    }
                }
                _ => {}
            }
        }
        value
    }

    fn load(&mut self, pointer: NodeId, bytes: u64, pick: Pick) -> Value {
        // A value of fewer than four bytes is no part of an address that a program puts together.
        if bytes < 4 {
            return Value::default();
        }
        let from = self.value(pointer).clone();
        self.load_from(&from, bytes, pick, 0)
    }

    fn load_from(&mut self, from: &Value, bytes: u64, pick: Pick, depth: u32) -> Value {
        let mut joined = Value::default();
        for &(path, at) in &from.places {
            match self.out.paths.get(path).clone() {
                Path::Alloca(_) => {
                    let found = self.contents(path, at, bytes, pick, depth);
                    joined.join(&found);
                }
                Path::Global(n) if self.is_shared(n) => {
                    let found = self.contents(path, at, bytes, pick, depth);
                    if found.is_nothing() {
                        joined.join(&self.name(path, at, pick));
                    } else {
                        joined.join(&found);
                    }
                }
                _ => {
                    let named = self.name(path, at, pick);
                    joined.join(&named);
                }
            }
        }
        joined.by_way |= from.by_way && joined.places.len() > 1;
        joined
    }

    fn is_shared(&self, global: u32) -> bool {
        self.body.globals.get(global as usize).is_some_and(|g| g.space == Space::Shared)
    }

    /// The name of what lies at a place of memory whose contents are not followed. A constant place within an array is an
    /// element like the others.
    fn name(&mut self, path: PathId, at: Bytes, pick: Pick) -> Value {
        let layout: Option<&Layout> = match self.out.paths.get(path) {
            Path::ByValue(n) => self.body.parameters.get(*n as usize).and_then(|p| p.by_value.as_ref()),
            Path::Global(n) => self.body.globals.get(*n as usize).map(|g| &g.layout),
            _ => None,
        };
        let (at, pick) = match (at, layout) {
            (Bytes::Known(n) | Bytes::From(n), Some(layout)) => match layout.array_at(n) {
                // The field of an element of an array of structures stays told apart.
                Some((begin, element)) => {
                    let field = if element > 0 { (n - begin) % element } else { 0 };
                    let pick = if matches!(at, Bytes::Known(_)) { Pick::Other } else { pick };
                    (Bytes::From(begin + field), pick)
                }
                None => (at, pick),
            },
            _ => (at, pick),
        };
        let pick = if matches!(at, Bytes::Known(_)) { Pick::Fixed } else { pick };
        self.root(Path::Loaded { from: path, at, pick })
    }

    fn contents(&mut self, path: PathId, at: Bytes, bytes: u64, pick: Pick, depth: u32) -> Value {
        let mut joined = Value::default();
        let Some(entries) = self.out.contents.get(&path) else { return joined };
        let mut copies = Vec::new();
        for entry in entries {
            if !overlaps(entry, at, bytes) {
                continue;
            }
            match &entry.what {
                What::Value(value) => {
                    joined.join(value);
                }
                What::Copy(from) => copies.push((entry.at, from.clone())),
            }
        }
        // The own element of a copy of a table is the own element of the table.
        if pick == Pick::Own && !matches!(at, Bytes::Known(_)) {
            let mut own =
                Value { by_way: joined.by_way, shifted: joined.shifted, more: joined.more, places: Vec::new() };
            let mut begins: HashMap<PathId, i64> = HashMap::new();
            for (path, _) in &joined.places {
                if let Path::Loaded { from, at: Bytes::Known(n) | Bytes::From(n), .. } = self.out.paths.get(*path) {
                    begins.entry(*from).and_modify(|b| *b = (*b).min(*n)).or_insert(*n);
                }
            }
            for (path, bytes) in &joined.places {
                let path = match self.out.paths.get(*path).clone() {
                    Path::Loaded { from, at: Bytes::Known(_) | Bytes::From(_), .. } => {
                        let at = Bytes::From(begins.get(&from).copied().unwrap_or(0));
                        self.out.paths.intern(Path::Loaded { from, at, pick: Pick::Own })
                    }
                    _ => *path,
                };
                own.join(&Value::at(path, *bytes));
            }
            joined = own;
        }
        if depth < COPIES {
            for (to, from) in copies {
                let from = match (at, to) {
                    (Bytes::Known(at), Bytes::Known(to)) => from.moved(|b| b.plus(at.wrapping_sub(to))),
                    (Bytes::From(at), Bytes::Known(to)) => from.moved(|b| b.plus(at.wrapping_sub(to)).computed()),
                    _ => from.moved(Bytes::computed),
                };
                let found = self.load_from(&from, bytes, pick, depth + 1);
                joined.join(&found);
            }
        }
        joined
    }

    fn store(&mut self, pointer: NodeId, bytes: u64, what: What) {
        if matches!(&what, What::Value(v) | What::Copy(v) if v.is_nothing()) {
            return;
        }
        let to = self.value(pointer).clone();
        for &(path, at) in &to.places {
            let followed = match self.out.paths.get(path) {
                Path::Alloca(_) => true,
                Path::Global(n) => self.is_shared(*n),
                _ => false,
            };
            if !followed {
                continue;
            }
            let entries = self.out.contents.entry(path).or_default();
            let full = entries.len() >= ENTRIES;
            let place = if full { (Bytes::Unknown, u64::MAX) } else { (at, bytes) };
            let same = entries.iter_mut().find(|e| {
                (e.at, e.bytes) == place
                    && matches!((&e.what, &what), (What::Value(_), What::Value(_)) | (What::Copy(_), What::Copy(_)))
            });
            match (same, &what) {
                (Some(Entry { what: What::Value(old) | What::Copy(old), .. }), What::Value(new) | What::Copy(new)) => {
                    self.changed |= old.join(new);
                }
                (None, _) => {
                    entries.push(Entry { at: place.0, bytes: place.1, what: what.clone() });
                    self.changed = true;
                }
            }
        }
    }

    /// What picks the element at an address.
    fn pick(&mut self, address: NodeId) -> Pick {
        // The smallest step is from element to element; larger ones choose one of several tables.
        let mut steps: Vec<(i64, NodeId)> = Vec::new();
        let mut at = address;
        for _ in 0..32 {
            match self.body.kind(at) {
                Kind::Element { base, variable, .. } => {
                    steps.extend(variable.iter().map(|(v, scale)| (*scale, *v)));
                    at = *base;
                }
                Kind::Cast(from) => at = *from,
                Kind::Binary { op: LLVMOpcode::LLVMAdd, left, right } => {
                    let (left, right) = (*left, *right);
                    let pointer_left = !self.value(left).places.is_empty() && !self.is_index(left);
                    let (base, index) = if pointer_left { (left, right) } else { (right, left) };
                    steps.push(self.scaled(index));
                    at = base;
                }
                Kind::Phi(_) | Kind::Select { .. } => return Pick::Other,
                _ => break,
            }
        }
        steps.sort_by_key(|(scale, v)| (scale.unsigned_abs(), *v));
        let mut pick = Pick::Fixed;
        for (n, (_, v)) in steps.iter().enumerate() {
            let of = if n == 0 || self.index(*v, 0) == Pick::Other && !self.is_argument(*v, 0) {
                self.index(*v, 0)
            } else {
                Pick::Fixed
            };
            pick = pick.max(of);
        }
        pick
    }

    /// A distance in bytes as a number times a constant.
    fn scaled(&self, mut node: NodeId) -> (i64, NodeId) {
        let mut scale = 1_i64;
        for _ in 0..8 {
            match self.body.kind(node) {
                Kind::Cast(from) => node = *from,
                Kind::Binary { op: LLVMOpcode::LLVMMul, left, right } => match self.body.integer(*right) {
                    Some(n) => {
                        scale = scale.wrapping_mul(n);
                        node = *left;
                    }
                    None => break,
                },
                Kind::Binary { op: LLVMOpcode::LLVMShl, left, right } => match self.body.integer(*right) {
                    Some(n @ 0..=62) => {
                        scale = scale.wrapping_mul(1 << n);
                        node = *left;
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        (scale, node)
    }

    /// Whether a number is computed from arguments alone.
    fn is_argument(&mut self, node: NodeId, depth: u32) -> bool {
        if depth > 6 {
            return false;
        }
        match self.body.kind(node) {
            Kind::Binary { left, right, .. } => {
                let (left, right) = (*left, *right);
                self.is_argument(left, depth + 1) && self.is_argument(right, depth + 1)
            }
            Kind::Cast(from) => self.is_argument(*from, depth + 1),
            _ => self.index(node, depth + 1) != Pick::Other,
        }
    }

    /// What an index is.
    fn index(&mut self, node: NodeId, depth: u32) -> Pick {
        if let Some(found) = self.picks[node.index()] {
            return found;
        }
        if depth > 32 {
            return Pick::Other;
        }
        let found = match self.body.kind(node) {
            Kind::Integer(_) | Kind::Null | Kind::Constant => Pick::Fixed,
            Kind::Parameter(_) => Pick::Own,
            Kind::Cast(from) => self.index(*from, depth + 1),
            Kind::Load { pointer, .. } => match self.pick_of_scalar(*pointer) {
                true => Pick::Own,
                false => Pick::Other,
            },
            Kind::Binary {
                op:
                    LLVMOpcode::LLVMMul
                    | LLVMOpcode::LLVMShl
                    | LLVMOpcode::LLVMURem
                    | LLVMOpcode::LLVMSRem
                    | LLVMOpcode::LLVMAnd,
                left,
                right,
            } => {
                let (left, right) = (*left, *right);
                self.index(left, depth + 1).max(self.index(right, depth + 1))
            }
            // A constant distance from the own number is another's: `rank + 1`, `rank ^ 1`. A table behind another one in
            // the same memory begins at a multiple of the number of PEs, which is an argument too: `n + rank`.
            Kind::Binary { op: LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMOr, left, right } => {
                let (left, right) = (*left, *right);
                // `rank + plane * 8` is the own element of one of several tables.
                for (plane, rank) in [(left, right), (right, left)] {
                    if self.scaled(plane).0.unsigned_abs() > 1 && self.is_argument(plane, depth + 1) {
                        let of = self.index(rank, depth + 1);
                        if of == Pick::Own {
                            self.picks[node.index()] = Some(of);
                            return of;
                        }
                    }
                }
                match (self.index(left, depth + 1), self.index(right, depth + 1)) {
                    (Pick::Own, Pick::Own) => Pick::Own,
                    (Pick::Fixed, Pick::Fixed) => Pick::Fixed,
                    _ => Pick::Other,
                }
            }
            Kind::Call { name, .. } if known::is_own_rank(name) => Pick::Own,
            _ => Pick::Other,
        };
        self.picks[node.index()] = Some(found);
        found
    }

    /// Whether an address is a constant place in the arguments, or in memory that the arguments point to.
    fn pick_of_scalar(&self, pointer: NodeId) -> bool {
        let value = self.value(pointer);
        !value.places.is_empty()
            && value.places.iter().all(|(path, at)| {
                matches!(at, Bytes::Known(_))
                    && matches!(
                        self.out.paths.get(*path),
                        Path::ByValue(_) | Path::Parameter(_) | Path::Global(_) | Path::Loaded { .. }
                    )
            })
    }

    fn mark_pointers(&mut self) {
        let body = self.body;
        for n in 0..body.nodes.len() {
            let node = NodeId(n as u32);
            match body.kind(node) {
                Kind::Load { pointer, .. }
                | Kind::Store { pointer, .. }
                | Kind::Rmw { pointer, .. }
                | Kind::CompareExchange { pointer, .. } => self.mark(*pointer),
                Kind::Call { name, arguments, .. } => {
                    if let Some((to, from)) = known::copy(name) {
                        for argument in [to, from] {
                            if let Some(&a) = arguments.get(argument) {
                                self.mark(a);
                            }
                        }
                    }
                }
                Kind::Assembly { code, inputs } => {
                    let code = code.clone();
                    for address in crate::analysis::operations::assembly_addresses(&code, inputs) {
                        self.mark(address);
                    }
                }
                _ => {}
            }
        }
    }

    /// Marks what an address is computed from.
    fn mark(&mut self, address: NodeId) {
        let mut work = vec![address];
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut self.out.used_as_pointer[at.index()], true) {
                continue;
            }
            match self.body.kind(at) {
                Kind::Element { base, .. } => work.push(*base),
                Kind::Cast(from) | Kind::Extract { from, .. } => work.push(*from),
                Kind::Binary { left, right, .. } => {
                    work.extend([*left, *right].into_iter().filter(|n| !self.value(*n).places.is_empty()));
                }
                Kind::Select { yes, no, .. } => work.extend([*yes, *no]),
                Kind::Phi(incoming) => work.extend(incoming.iter().map(|(v, _)| *v)),
                Kind::Insert { into, value, .. } => work.extend([*into, *value]),
                _ => {}
            }
        }
    }
}

fn overlaps(entry: &Entry, at: Bytes, bytes: u64) -> bool {
    let end = |begin: i64, bytes: u64| i128::from(begin) + i128::from(bytes);
    match (entry.at, at) {
        (Bytes::Known(a), Bytes::Known(b)) => i128::from(a) < end(b, bytes) && i128::from(b) < end(a, entry.bytes),
        // A computed element lies at or behind the constant part.
        (Bytes::Known(a), Bytes::From(b)) => end(a, entry.bytes) > i128::from(b),
        (Bytes::From(a), Bytes::Known(b)) => end(b, bytes) > i128::from(a),
        _ => true,
    }
}
