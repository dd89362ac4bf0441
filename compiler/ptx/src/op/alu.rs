//! Arithmetic, logic, comparison, selection and conversion (PTX ISA §9.7.1–§9.7.8).

use crate::modifiers::{Modifiers, Reason, Spelling};
use crate::signature::{Slot, slots};
use crate::types::{ScalarType, VectorSize};
use crate::words::words;

words! {
    /// The opcode.
    AluOp {
        Add = "add", Sub = "sub", Mul = "mul", Mad = "mad", Fma = "fma", Div = "div", Rem = "rem",
        Addc = "addc", Subc = "subc", Madc = "madc", Mul24 = "mul24", Mad24 = "mad24", Sad = "sad",
        Abs = "abs", Neg = "neg", Min = "min", Max = "max",
        And = "and", Or = "or", Xor = "xor", Not = "not", Cnot = "cnot", Lop3 = "lop3",
        Shl = "shl", Shr = "shr", Shf = "shf", Popc = "popc", Clz = "clz", Bfind = "bfind", Brev = "brev",
        Bfe = "bfe", Bfi = "bfi", Bmsk = "bmsk", Szext = "szext", Fns = "fns", Prmt = "prmt",
        Dp4a = "dp4a", Dp2a = "dp2a",
        Rcp = "rcp", Sqrt = "sqrt", Rsqrt = "rsqrt", Sin = "sin", Cos = "cos", Lg2 = "lg2", Ex2 = "ex2", Tanh = "tanh",
        Copysign = "copysign", Testp = "testp",
        Setp = "setp", Set = "set", Selp = "selp", Slct = "slct", Cvt = "cvt",
    }
}

words! {
    /// Comparisons.
    Compare {
        Eq = "eq", Ne = "ne", Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", Lo = "lo", Ls = "ls", Hi = "hi", Hs = "hs",
        Equ = "equ", Neu = "neu", Ltu = "ltu", Leu = "leu", Gtu = "gtu", Geu = "geu", Num = "num", Nan = "nan",
    }
}

words! {
    /// How a comparison is combined with a predicate.
    Combine { And = "and", Or = "or", Xor = "xor" }
}

words! {
    /// Rounding.
    Rounding {
        Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp", Rna = "rna", Rs = "rs",
        Rni = "rni", Rzi = "rzi", Rmi = "rmi", Rpi = "rpi",
    }
}

words! {
    /// Other modifiers; which of them an opcode has is checked.
    AluFlag {
        Hi = "hi", Lo = "lo", Wide = "wide", Left = "l", Right = "r", Wrap = "wrap", Clamp = "clamp", ShiftAmount = "shiftamt",
        F4e = "f4e", B4e = "b4e", Rc8 = "rc8", Ecl = "ecl", Ecr = "ecr", Rc16 = "rc16",
        CarryOut = "cc", Approx = "approx", Full = "full", Ftz = "ftz", Sat = "sat", SatFinite = "satfinite",
        Relu = "relu", Nan = "NaN", XorSign = "xorsign", AbsResult = "abs",
        Finite = "finite", Infinite = "infinite", Number = "number", NotANumber = "notanumber", Normal = "normal", Subnormal = "subnormal",
    }
}

/// An arithmetic or logic instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Alu {
    /// The opcode.
    pub op: AluOp,
    /// Comparison of `setp` and `set`.
    pub compare: Option<Compare>,
    /// How `setp`, `set` and `lop3` combine with a predicate.
    pub combine: Option<Combine>,
    /// Rounding.
    pub rounding: Option<Rounding>,
    /// Other modifiers, in the order of [`AluFlag::ALL`].
    pub flags: Vec<AluFlag>,
    /// The type; of the result, where there are two.
    pub ty: ScalarType,
    /// The type of the source of `cvt` and `set`, of the third operand of `slct`, of the second of `dp4a` and `dp2a`.
    pub source_ty: Option<ScalarType>,
}

/// `mov`, also as packing and unpacking.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mov {
    /// Vector size.
    pub vector: Option<VectorSize>,
    /// Type.
    pub ty: ScalarType,
}

impl AluOp {
    /// Modifiers that this opcode may have.
    fn flags(self) -> &'static [AluFlag] {
        use AluFlag::*;
        match self {
            AluOp::Add | AluOp::Sub => &[CarryOut, Ftz, Sat],
            AluOp::Addc | AluOp::Subc => &[CarryOut],
            AluOp::Mul => &[Hi, Lo, Wide, Ftz, Sat],
            AluOp::Mad => &[Hi, Lo, Wide, CarryOut, Ftz, Sat],
            AluOp::Madc => &[Hi, Lo, CarryOut],
            AluOp::Mul24 => &[Hi, Lo],
            AluOp::Mad24 => &[Hi, Lo, Sat],
            AluOp::Fma => &[Ftz, Sat, Relu],
            AluOp::Div => &[Approx, Full, Ftz],
            AluOp::Abs | AluOp::Neg => &[Ftz],
            AluOp::Min | AluOp::Max => &[Ftz, Nan, XorSign, AbsResult, Relu],
            AluOp::Shf => &[Left, Right, Wrap, Clamp],
            AluOp::Bfind => &[ShiftAmount],
            AluOp::Bmsk | AluOp::Szext => &[Wrap, Clamp],
            AluOp::Prmt => &[F4e, B4e, Rc8, Ecl, Ecr, Rc16],
            AluOp::Dp2a => &[Hi, Lo],
            AluOp::Rcp
            | AluOp::Sqrt
            | AluOp::Rsqrt
            | AluOp::Sin
            | AluOp::Cos
            | AluOp::Lg2
            | AluOp::Ex2
            | AluOp::Tanh => &[Approx, Ftz],
            AluOp::Testp => &[Finite, Infinite, Number, NotANumber, Normal, Subnormal],
            AluOp::Setp | AluOp::Set => &[Ftz],
            AluOp::Slct => &[Ftz],
            AluOp::Cvt => &[Ftz, Sat, SatFinite, Relu],
            _ => &[],
        }
    }

    /// Whether exactly one of a group of modifiers has to be there.
    fn requires(self) -> &'static [AluFlag] {
        use AluFlag::*;
        match self {
            AluOp::Shf => &[Left, Right],
            AluOp::Bmsk | AluOp::Szext => &[Wrap, Clamp],
            AluOp::Mul24 | AluOp::Mad24 | AluOp::Madc | AluOp::Dp2a => &[Hi, Lo],
            AluOp::Testp => &[Finite, Infinite, Number, NotANumber, Normal, Subnormal],
            _ => &[],
        }
    }

    fn has_rounding(self) -> bool {
        use AluOp::*;
        matches!(self, Add | Sub | Mul | Mad | Fma | Div | Rcp | Sqrt | Cvt)
    }

    fn accepts_type(self, ty: ScalarType) -> bool {
        use AluOp::*;
        use ScalarType as T;
        let bits = matches!(ty, T::Pred | T::B16 | T::B32 | T::B64);
        let integer = matches!(ty, T::U16 | T::U32 | T::U64 | T::S16 | T::S32 | T::S64 | T::U16x2 | T::S16x2);
        let float = ty.is_float();
        match self {
            And | Or | Xor | Not => bits,
            Cnot | Shl => bits && ty != T::Pred,
            Lop3 | Prmt | Bmsk | Fns => ty == T::B32,
            Popc | Clz | Brev => matches!(ty, T::B32 | T::B64),
            Shf => ty == T::B32,
            Shr => integer || bits && ty != T::Pred,
            Bfi => matches!(ty, T::B32 | T::B64),
            Bfe => matches!(ty, T::U32 | T::U64 | T::S32 | T::S64),
            Bfind => matches!(ty, T::B32 | T::B64) || integer,
            Szext | Mul24 | Mad24 | Dp4a | Dp2a => matches!(ty, T::U32 | T::S32),
            Addc | Subc | Madc => integer || matches!(ty, T::B32 | T::B64),
            Rem | Sad => integer,
            Fma | Rcp | Sqrt | Rsqrt | Sin | Cos | Lg2 | Ex2 | Tanh | Copysign | Testp => float,
            Add | Sub | Mul | Mad | Div | Abs | Neg | Min | Max => integer || float,
            Setp | Set | Selp | Slct => integer || float || bits,
            Cvt => ty != T::Pred && ty != T::B128,
        }
    }
}

impl Alu {
    /// Whether the modifier is there.
    pub fn has(&self, flag: AluFlag) -> bool {
        self.flags.contains(&flag)
    }

    pub(crate) fn decode(op: AluOp, m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        let compares = matches!(op, AluOp::Setp | AluOp::Set);
        let compare = if compares { Some(m.need("comparison", Compare::from_ptx)?) } else { None };
        let combine = if compares || op == AluOp::Lop3 { m.find(Combine::from_ptx) } else { None };
        let rounding = if op.has_rounding() { m.find(Rounding::from_ptx) } else { None };
        let mut flags: Vec<AluFlag> =
            std::iter::from_fn(|| m.find(|word| AluFlag::from_ptx(word).filter(|f| op.flags().contains(f)))).collect();
        flags.sort();
        let required = op.requires();
        if !required.is_empty() && flags.iter().filter(|flag| required.contains(flag)).count() != 1 {
            return Err(format!("one of {required:?} is needed"));
        }
        let ty = m.ty()?;
        let two_types = matches!(op, AluOp::Set | AluOp::Slct | AluOp::Cvt | AluOp::Dp4a | AluOp::Dp2a);
        let source_ty = if two_types { Some(m.ty()?) } else { None };
        if !op.accepts_type(ty) {
            return Err(format!("{op} has no type .{ty}"));
        }
        let integer_product = matches!(op, AluOp::Mul | AluOp::Mad) && !ty.is_float();
        let halves = [AluFlag::Hi, AluFlag::Lo, AluFlag::Wide];
        if integer_product && flags.iter().filter(|flag| halves.contains(flag)).count() != 1 {
            return Err("an integer product is .hi, .lo or .wide".to_owned());
        }
        if flags.contains(&AluFlag::Wide) && !matches!(ty.bits(), 16 | 32) {
            return Err("a .wide product has factors of 16 or 32 bits".to_owned());
        }
        Ok(Alu { op, compare, combine, rounding, flags, ty, source_ty })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new(self.op.ptx());
        s.maybe(self.compare.map(Compare::ptx)).maybe(self.combine.map(Combine::ptx));
        s.maybe(self.rounding.map(Rounding::ptx));
        let behind = |flag: AluFlag| self.op == AluOp::Prmt && AluOp::Prmt.flags().contains(&flag);
        for flag in self.flags.iter().filter(|flag| !behind(**flag)) {
            s.word(flag.ptx());
        }
        s.word(self.ty.ptx()).maybe(self.source_ty.map(ScalarType::ptx));
        for flag in self.flags.iter().filter(|flag| behind(**flag)) {
            s.word(flag.ptx());
        }
        s
    }

    /// The type of the result.
    pub fn result_type(&self) -> ScalarType {
        use AluOp::*;
        match self.op {
            Popc | Clz => ScalarType::U32,
            Bfind => ScalarType::U32,
            Setp | Testp => ScalarType::Pred,
            _ if self.has(AluFlag::Wide) => widened(self.ty),
            _ => self.ty,
        }
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        use AluOp::*;
        let (ty, word) = (self.ty, Slot::source(ScalarType::U32));
        let source = Slot::source(ty);
        let result = Slot::destination(self.result_type());
        let predicate = Slot::source(ScalarType::Pred);
        let other = Slot::source(self.source_ty.unwrap_or(ty));
        match self.op {
            Abs | Neg | Not | Cnot | Popc | Clz | Bfind | Brev | Rcp | Sqrt | Rsqrt | Sin | Cos | Lg2 | Ex2 | Tanh
            | Testp => slots(count, &[result, source], &[]),
            Add | Sub | Mul | Div | Rem | Addc | Subc | Mul24 | And | Or | Xor | Copysign => {
                slots(count, &[result, source, source], &[])
            }
            Min | Max => slots(count, &[result, source, source], &[source]),
            Mad | Madc | Mad24 => slots(count, &[result, source, source, Slot::source(self.result_type())], &[]),
            Fma => slots(count, &[result, source, source, source], &[]),
            Sad => slots(count, &[result, source, source, source], &[]),
            Shl | Shr => slots(count, &[result, source, word], &[]),
            Shf => slots(count, &[result, source, source, word], &[]),
            Bfe => slots(count, &[result, source, word, word], &[]),
            Bfi => slots(count, &[result, source, source, word, word], &[]),
            Bmsk => slots(count, &[result, word, word], &[]),
            Szext => slots(count, &[result, source, word], &[]),
            Fns => slots(count, &[result, source, source, Slot::source(ScalarType::S32)], &[]),
            Prmt => slots(count, &[result, source, source, source], &[]),
            Lop3 => {
                let table = Slot::constant(ScalarType::U32);
                match self.combine {
                    None => slots(count, &[result, source, source, source, table], &[]),
                    Some(_) => {
                        let result = result.paired(ScalarType::Pred);
                        slots(count, &[result, source, source, source, table, predicate], &[])
                    }
                }
            }
            Dp4a | Dp2a => slots(count, &[result, source, other, Slot::source(ty)], &[]),
            Setp => {
                let result = result.paired(ScalarType::Pred);
                match self.combine {
                    None => slots(count, &[result, source, source], &[]),
                    Some(_) => slots(count, &[result, source, source, predicate], &[]),
                }
            }
            Set => match self.combine {
                None => slots(count, &[result, other, other], &[]),
                Some(_) => slots(count, &[result, other, other, predicate], &[]),
            },
            Selp => slots(count, &[result, source, source, predicate], &[]),
            Slct => slots(count, &[result, source, source, other], &[]),
            Cvt => slots(count, &[result, other], &[other, word]),
        }
    }
}

fn widened(ty: ScalarType) -> ScalarType {
    match ty {
        ScalarType::U16 => ScalarType::U32,
        ScalarType::S16 => ScalarType::S32,
        ScalarType::U32 => ScalarType::U64,
        ScalarType::S32 => ScalarType::S64,
        other => other,
    }
}

impl Mov {
    pub(crate) fn decode(m: &mut Modifiers<'_>) -> Result<Self, Reason> {
        Ok(Mov { vector: m.vector(), ty: m.ty()? })
    }

    pub(crate) fn spell(&self) -> Spelling {
        let mut s = Spelling::new("mov");
        s.maybe(self.vector.map(VectorSize::ptx)).word(self.ty.ptx());
        s
    }

    pub(crate) fn slots(&self, count: usize) -> Option<Vec<Slot>> {
        let lanes = self.vector.map_or(0, VectorSize::lanes);
        slots(count, &[Slot::destination(self.ty).lanes(lanes), Slot::source(self.ty).lanes(lanes)], &[])
    }
}
