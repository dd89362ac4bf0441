//! Types of buffers' elements, their bytes and their values.

use half::{bf16, f16};

/// The type of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are the types' usual names")]
pub enum ElementType {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F16,
    Bf16,
    F32,
    F64,
}

/// An element's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of an integer type.
    Integer(i128),
    /// Of a floating-point type.
    Real(f64),
}

impl ElementType {
    /// Every type with its name.
    pub const ALL: [(ElementType, &'static str); 12] = [
        (ElementType::I8, "i8"),
        (ElementType::I16, "i16"),
        (ElementType::I32, "i32"),
        (ElementType::I64, "i64"),
        (ElementType::U8, "u8"),
        (ElementType::U16, "u16"),
        (ElementType::U32, "u32"),
        (ElementType::U64, "u64"),
        (ElementType::F16, "f16"),
        (ElementType::Bf16, "bf16"),
        (ElementType::F32, "f32"),
        (ElementType::F64, "f64"),
    ];

    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(t, _)| *t)
    }

    /// The name in launch.toml.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(t, _)| *t == self).map_or("", |(_, n)| n)
    }

    /// Bytes of an element.
    pub const fn bytes(self) -> usize {
        match self {
            ElementType::I8 | ElementType::U8 => 1,
            ElementType::I16 | ElementType::U16 | ElementType::F16 | ElementType::Bf16 => 2,
            ElementType::I32 | ElementType::U32 | ElementType::F32 => 4,
            ElementType::I64 | ElementType::U64 | ElementType::F64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    pub const fn is_real(self) -> bool {
        matches!(self, ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::F64)
    }

    /// The least and the greatest value of an integer type.
    pub const fn range(self) -> Option<(i128, i128)> {
        Some(match self {
            ElementType::I8 => (i8::MIN as i128, i8::MAX as i128),
            ElementType::I16 => (i16::MIN as i128, i16::MAX as i128),
            ElementType::I32 => (i32::MIN as i128, i32::MAX as i128),
            ElementType::I64 => (i64::MIN as i128, i64::MAX as i128),
            ElementType::U8 => (0, u8::MAX as i128),
            ElementType::U16 => (0, u16::MAX as i128),
            ElementType::U32 => (0, u32::MAX as i128),
            ElementType::U64 => (0, u64::MAX as i128),
            _ => return None,
        })
    }

    /// The value of an element; `bytes` has [`Self::bytes`] bytes.
    pub fn read(self, bytes: &[u8]) -> Value {
        let mut word = [0; 8];
        word[..self.bytes()].copy_from_slice(&bytes[..self.bytes()]);
        let bits = u64::from_le_bytes(word);
        match self {
            ElementType::I8 => Value::Integer((bits as i8).into()),
            ElementType::I16 => Value::Integer((bits as i16).into()),
            ElementType::I32 => Value::Integer((bits as i32).into()),
            ElementType::I64 => Value::Integer((bits as i64).into()),
            ElementType::U8 | ElementType::U16 | ElementType::U32 | ElementType::U64 => Value::Integer(bits.into()),
            ElementType::F16 => Value::Real(f16::from_bits(bits as u16).to_f64()),
            ElementType::Bf16 => Value::Real(bf16::from_bits(bits as u16).to_f64()),
            ElementType::F32 => Value::Real(f32::from_bits(bits as u32).into()),
            ElementType::F64 => Value::Real(f64::from_bits(bits)),
        }
    }

    /// The value of an element for people: as few digits as tell it from its neighbours in the type.
    pub fn show(self, value: Value) -> String {
        match value {
            Value::Real(v) if self == ElementType::F32 => format!("{:?}", v as f32),
            other => other.to_string(),
        }
    }

    /// Appends an element. An integer is truncated to the type's bits, a real number is rounded to the type.
    pub fn push(self, value: Value, out: &mut Vec<u8>) {
        let bits = match (self, value) {
            (ElementType::F16, v) => f16::from_f64(v.to_f64()).to_bits().into(),
            (ElementType::Bf16, v) => bf16::from_f64(v.to_f64()).to_bits().into(),
            (ElementType::F32, v) => (v.to_f64() as f32).to_bits().into(),
            (ElementType::F64, v) => v.to_f64().to_bits(),
            (_, Value::Integer(v)) => v as u64,
            (_, Value::Real(v)) => v as i128 as u64,
        };
        out.extend_from_slice(&bits.to_le_bytes()[..self.bytes()]);
    }

    /// The bit pattern of an element that nobody wrote: not a number, or bytes 0xA5.
    pub fn poison(self) -> &'static [u8] {
        match self {
            ElementType::F16 => &[0xA5, 0x7F],
            ElementType::Bf16 => &[0xE5, 0x7F],
            ElementType::F32 => &[0xA5, 0xA5, 0xE5, 0x7F],
            ElementType::F64 => &[0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0xFD, 0x7F],
            _ => &[0xA5; 8][..self.bytes()],
        }
    }
}

impl Value {
    /// As a floating-point number.
    pub fn to_f64(self) -> f64 {
        match self {
            Value::Integer(v) => v as f64,
            Value::Real(v) => v,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Integer(v) => v.fmt(f),
            Value::Real(v) => write!(f, "{v:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lead_back() {
        for (ty, name) in ElementType::ALL {
            assert_eq!(ElementType::from_name(name), Some(ty));
            assert_eq!(ty.name(), name);
            let value = if ty.is_real() { Value::Real(-1.5) } else { Value::Integer(100) };
            let mut bytes = Vec::new();
            ty.push(value, &mut bytes);
            assert_eq!(bytes.len(), ty.bytes(), "{name}");
            assert_eq!(ty.read(&bytes), value, "{name}");
        }
    }

    #[test]
    fn negative_integers_keep_their_sign() {
        for (ty, _) in ElementType::ALL.iter().filter(|(t, _)| t.range().is_some_and(|r| r.0 < 0)) {
            let mut bytes = Vec::new();
            ty.push(Value::Integer(-3), &mut bytes);
            assert_eq!(ty.read(&bytes), Value::Integer(-3));
        }
    }

    #[test]
    fn poison_of_a_floating_point_type_is_not_a_number() {
        for (ty, name) in ElementType::ALL {
            assert_eq!(ty.poison().len(), ty.bytes());
            if let Value::Real(v) = ty.read(ty.poison()) {
                assert!(v.is_nan(), "{name}");
            }
        }
    }
}
