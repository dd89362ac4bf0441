//! `printf`: the format of C, with the arguments packed as CUDA packs them: each at a multiple of its size, integers in
//! 4 or 8 bytes, floating point in 8.

use std::fmt::Write as _;

use crate::memory::Memory;

/// Formats and appends; the number of arguments, or -1 (as 64 bits) where the format does not exist.
///
/// # Safety
///
/// The arguments are packed at `arguments` as the format says.
pub(crate) unsafe fn format(memory: &Memory, format: u64, arguments: u64, out: &mut String) -> u64 {
    let Some(format) = memory.text_at(format) else { return u64::MAX };
    let format = String::from_utf8_lossy(&format).into_owned();
    let mut arguments = Arguments { at: arguments };
    let mut count = 0;
    let mut rest = format.as_str();
    while let Some(percent) = rest.find('%') {
        out.push_str(&rest[..percent]);
        let Some((spec, length)) = Spec::parse(&rest[percent..]) else {
            out.push('%');
            rest = &rest[percent + 1..];
            continue;
        };
        rest = &rest[percent + length..];
        if spec.conversion == '%' {
            out.push('%');
            continue;
        }
        count += 1;
        // SAFETY: as the caller promises.
        unsafe { spec.write(memory, &mut arguments, out) };
    }
    out.push_str(rest);
    count
}

struct Arguments {
    at: u64,
}

impl Arguments {
    /// # Safety
    ///
    /// The next argument has this size.
    unsafe fn next(&mut self, bytes: u64) -> u64 {
        let at = self.at.next_multiple_of(bytes);
        self.at = at + bytes;
        // SAFETY: as the caller promises.
        unsafe {
            if bytes == 4 { (at as *const u32).read_unaligned().into() } else { (at as *const u64).read_unaligned() }
        }
    }
}

#[derive(Clone, Copy)]
enum Number {
    Given(usize),
    /// `*`
    Argument,
}

/// One conversion.
struct Spec {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: Option<Number>,
    precision: Option<Number>,
    /// How many bytes an integer has: 1, 2, 4 or 8.
    bytes: u32,
    conversion: char,
}

impl Spec {
    /// A conversion at the start of the text, and its length.
    fn parse(text: &str) -> Option<(Self, usize)> {
        let mut chars = text.char_indices().skip(1).peekable();
        let mut spec = Self {
            left: false,
            zero: false,
            plus: false,
            space: false,
            alternate: false,
            width: None,
            precision: None,
            bytes: 4,
            conversion: ' ',
        };
        while let Some(&(_, c)) = chars.peek() {
            match c {
                '-' => spec.left = true,
                '0' => spec.zero = true,
                '+' => spec.plus = true,
                ' ' => spec.space = true,
                '#' => spec.alternate = true,
                _ => break,
            }
            chars.next();
        }
        let number = |chars: &mut std::iter::Peekable<std::iter::Skip<std::str::CharIndices<'_>>>| {
            if chars.next_if(|&(_, c)| c == '*').is_some() {
                return Some(Number::Argument);
            }
            let mut value = None;
            while let Some((_, c)) = chars.next_if(|(_, c)| c.is_ascii_digit()) {
                value = Some((value.unwrap_or(0usize) * 10 + c as usize - '0' as usize).min(4096));
            }
            value.map(Number::Given)
        };
        spec.width = number(&mut chars);
        if chars.next_if(|&(_, c)| c == '.').is_some() {
            spec.precision = Some(number(&mut chars).unwrap_or(Number::Given(0)));
        }
        while let Some((_, c)) = chars.next_if(|&(_, c)| "hljztL".contains(c)) {
            spec.bytes = match (c, spec.bytes) {
                ('h', 2) => 1,
                ('h', _) => 2,
                _ => 8,
            };
        }
        let (at, conversion) = chars.next()?;
        if !"diuoxXcspfFeEgGaA%".contains(conversion) {
            return None;
        }
        spec.conversion = conversion;
        Some((spec, at + conversion.len_utf8()))
    }

    /// # Safety
    ///
    /// The next arguments are what the conversion takes.
    unsafe fn write(&self, memory: &Memory, arguments: &mut Arguments, out: &mut String) {
        let mut left = self.left;
        let mut resolve = |number: Option<Number>| match number {
            Some(Number::Given(n)) => Some(n as i64),
            // SAFETY: as the caller promises.
            Some(Number::Argument) => Some(i64::from(unsafe { arguments.next(4) } as u32 as i32)),
            None => None,
        };
        let width = resolve(self.width).map_or(0, |w| {
            left |= w < 0;
            w.unsigned_abs().min(4096) as usize
        });
        let precision = resolve(self.precision).and_then(|p| usize::try_from(p).ok()).map(|p| p.min(4096));
        let wide = self.bytes == 8;
        let (sign, body) = match self.conversion {
            'd' | 'i' => {
                // SAFETY: as the caller promises.
                let raw = unsafe { arguments.next(if wide { 8 } else { 4 }) };
                let value = match self.bytes {
                    8 => raw as i64,
                    2 => i64::from(raw as i16),
                    1 => i64::from(raw as i8),
                    _ => i64::from(raw as i32),
                };
                (self.sign(value < 0), digits(value.unsigned_abs().to_string(), precision))
            }
            'u' | 'o' | 'x' | 'X' => {
                // SAFETY: as the caller promises.
                let raw = unsafe { arguments.next(if wide { 8 } else { 4 }) };
                let value = match self.bytes {
                    2 => raw & 0xffff,
                    1 => raw & 0xff,
                    _ => raw,
                };
                let prefix = match (self.conversion, self.alternate && value != 0) {
                    ('x', true) => "0x",
                    ('X', true) => "0X",
                    ('o', true) => "0",
                    _ => "",
                };
                let text = match self.conversion {
                    'o' => format!("{value:o}"),
                    'x' => format!("{value:x}"),
                    'X' => format!("{value:X}"),
                    _ => value.to_string(),
                };
                (prefix.to_owned(), digits(text, precision))
            }
            'c' => {
                // SAFETY: as the caller promises.
                let raw = unsafe { arguments.next(4) };
                (String::new(), char::from(raw as u8).to_string())
            }
            's' => {
                // SAFETY: as the caller promises.
                let at = unsafe { arguments.next(8) };
                let text = if at == 0 {
                    b"(null)".to_vec()
                } else {
                    memory.text_at(at).unwrap_or_else(|| b"(bad address)".to_vec())
                };
                let text = &text[..precision.unwrap_or(text.len()).min(text.len())];
                (String::new(), String::from_utf8_lossy(text).into_owned())
            }
            // SAFETY: as the caller promises.
            'p' => (String::new(), format!("{:#x}", unsafe { arguments.next(8) })),
            _ => {
                // SAFETY: as the caller promises.
                let value = f64::from_bits(unsafe { arguments.next(8) });
                (self.sign(value.is_sign_negative() && !value.is_nan()), self.float(value.abs(), precision))
            }
        };
        let length = sign.chars().count() + body.chars().count();
        let padding = width.saturating_sub(length);
        let numeric = !matches!(self.conversion, 's' | 'c' | 'p');
        let integer = matches!(self.conversion, 'd' | 'i' | 'u' | 'o' | 'x' | 'X');
        let _ = if left {
            write!(out, "{sign}{body}{}", " ".repeat(padding))
        } else if self.zero && numeric && !(integer && precision.is_some()) {
            write!(out, "{sign}{}{body}", "0".repeat(padding))
        } else {
            write!(out, "{}{sign}{body}", " ".repeat(padding))
        };
    }

    fn sign(&self, negative: bool) -> String {
        if negative {
            "-"
        } else if self.plus {
            "+"
        } else if self.space {
            " "
        } else {
            ""
        }
        .to_owned()
    }

    fn float(&self, value: f64, precision: Option<usize>) -> String {
        let upper = self.conversion.is_ascii_uppercase();
        let text = if value.is_nan() {
            "nan".to_owned()
        } else if value.is_infinite() {
            "inf".to_owned()
        } else {
            match self.conversion.to_ascii_lowercase() {
                'f' => format!("{value:.*}", precision.unwrap_or(6)),
                'e' => scientific(value, precision.unwrap_or(6)),
                'a' => hexadecimal(value),
                _ => self.general(value, precision.unwrap_or(6).max(1)),
            }
        };
        if upper { text.to_uppercase() } else { text }
    }

    /// `%g`: the shorter of the two, without trailing zeros.
    fn general(&self, value: f64, precision: usize) -> String {
        let text = scientific(value, precision - 1);
        let exponent = text.rsplit_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0);
        let trim = |text: &str| {
            if self.alternate || !text.contains('.') {
                text.to_owned()
            } else {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            }
        };
        if exponent < -4 || exponent >= precision as i32 {
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
            format!("{}e{exponent}", trim(mantissa))
        } else {
            trim(&format!("{value:.*}", (precision as i32 - 1 - exponent).max(0) as usize))
        }
    }
}

/// At least so many digits; zero with no digits asked for is empty.
fn digits(text: String, precision: Option<usize>) -> String {
    match precision {
        Some(0) if text == "0" => String::new(),
        Some(least) if text.len() < least => format!("{}{text}", "0".repeat(least - text.len())),
        _ => text,
    }
}

fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// `%a`, with all the digits that the value has.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i32);
    let (lead, power) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{power:+}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::RegionKind;

    fn formatted(text: &str, words: &[u64]) -> String {
        let mut memory = Memory::new(1, 4096, false).unwrap();
        let at = memory.allocate(0, 256, "text", RegionKind::Private).unwrap();
        let bytes = std::ffi::CString::new(text).unwrap();
        let bytes = bytes.to_bytes_with_nul();
        let mut out = String::new();
        // SAFETY: the buffer is large enough; the words are as the format says.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len());
            format(&memory, at, words.as_ptr() as u64, &mut out);
        }
        out
    }

    #[test]
    fn conversions_are_those_of_c() {
        // Two 32-bit arguments lie in one word.
        let two = |a: i32, b: i32| u64::from(a as u32) | u64::from(b as u32) << 32;
        assert_eq!(formatted("%d|%5d", &[two(-3, 42)]), "-3|   42");
        assert_eq!(formatted("%-5d|%05d", &[two(7, -42)]), "7    |-0042");
        assert_eq!(formatted("%#x %X", &[two(255, 255)]), "0xff FF");
        assert_eq!(formatted("%u %lld", &[u64::from(u32::MAX), -1i64 as u64]), "4294967295 -1");
        assert_eq!(formatted("%.3f", &[1.23456f64.to_bits()]), "1.235");
        assert_eq!(formatted("%e", &[12345.678f64.to_bits()]), "1.234568e+04");
        assert_eq!(
            formatted("%g %g %g", &[0.0001f64.to_bits(), 1e20f64.to_bits(), 100000f64.to_bits()]),
            "0.0001 1e+20 100000"
        );
        assert_eq!(formatted("%8.2f|%-8.2f|", &[2.5f64.to_bits(), (-2.5f64).to_bits()]), "    2.50|-2.50   |");
        assert_eq!(formatted("100%% %c", &[u64::from(b'x')]), "100% x");
        assert_eq!(formatted("%a", &[1.5f64.to_bits()]), "0x1.8p+0");
        assert_eq!(formatted("%*d", &[two(4, 9)]), "   9");
        assert_eq!(formatted("%s", &[0]), "(null)");
        assert_eq!(formatted("%y", &[]), "%y");
    }
}
