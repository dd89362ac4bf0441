//! `printf`: the format of C, with the arguments packed as CUDA packs them: each at a multiple of its size, integers in
//! 4 or 8 bytes, floating point in 8.

use std::fmt::Write as _;

use crate::memory::Memory;

/// What a thread can read: memory, and what is its own.
pub(crate) struct Readable<'a> {
    pub(crate) memory: &'a Memory,
    /// Start and end of the thread's stack and of its block's shared memory.
    pub(crate) own: [(u64, u64); 2],
}

impl Readable<'_> {
    /// The end of what lies around an address.
    fn end(&self, address: u64) -> Option<u64> {
        let own = self.own.iter().find(|(start, end)| (*start..*end).contains(&address));
        own.map(|o| o.1).or_else(|| self.memory.end_at(address))
    }

    /// Bytes from an address up to and without a zero byte, as far as memory goes.
    pub(crate) fn text(&self, address: u64) -> Option<Vec<u8>> {
        let bytes = (self.end(address)? - address) as usize;
        // SAFETY: stacks, shared memory and regions are mapped as wholes.
        let all = unsafe { std::slice::from_raw_parts(address as *const u8, bytes) };
        Some(all[..all.iter().position(|&b| b == 0).unwrap_or(bytes)].to_vec())
    }

    /// A little-endian word of 4 or 8 bytes.
    fn word(&self, address: u64, bytes: u64) -> Option<u64> {
        if self.end(address)? - address < bytes {
            return None;
        }
        // SAFETY: as above.
        Some(unsafe {
            if bytes == 4 {
                (address as *const u32).read_unaligned().into()
            } else {
                (address as *const u64).read_unaligned()
            }
        })
    }
}

/// The format takes an argument that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missing;

/// Formats and appends; the number of arguments, or -1 (as 64 bits) where the format does not exist. The arguments are
/// packed at `arguments`.
pub(crate) fn format(from: &Readable<'_>, format: u64, arguments: u64, out: &mut String) -> Result<u64, Missing> {
    let Some(format) = from.text(format) else { return Ok(u64::MAX) };
    let format = String::from_utf8_lossy(&format).into_owned();
    let mut arguments = Arguments { from, at: arguments };
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
        spec.write(&mut arguments, out)?;
    }
    out.push_str(rest);
    Ok(count)
}

struct Arguments<'a> {
    from: &'a Readable<'a>,
    at: u64,
}

impl Arguments<'_> {
    /// The next argument, of this size.
    fn next(&mut self, bytes: u64) -> Result<u64, Missing> {
        let at = self.at.checked_next_multiple_of(bytes).ok_or(Missing)?;
        let word = self.from.word(at, bytes).ok_or(Missing)?;
        self.at = at + bytes;
        Ok(word)
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

    fn write(&self, arguments: &mut Arguments<'_>, out: &mut String) -> Result<(), Missing> {
        let mut left = self.left;
        let mut resolve = |number: Option<Number>| {
            Ok(match number {
                Some(Number::Given(n)) => Some(n as i64),
                Some(Number::Argument) => Some(i64::from(arguments.next(4)? as u32 as i32)),
                None => None,
            })
        };
        let width = resolve(self.width)?.map_or(0, |w| {
            left |= w < 0;
            w.unsigned_abs().min(4096) as usize
        });
        let precision = resolve(self.precision)?.and_then(|p| usize::try_from(p).ok()).map(|p| p.min(4096));
        let wide = self.bytes == 8;
        let (sign, body) = match self.conversion {
            'd' | 'i' => {
                let raw = arguments.next(if wide { 8 } else { 4 })?;
                let value = match self.bytes {
                    8 => raw as i64,
                    2 => i64::from(raw as i16),
                    1 => i64::from(raw as i8),
                    _ => i64::from(raw as i32),
                };
                (self.sign(value < 0), digits(value.unsigned_abs().to_string(), precision))
            }
            'u' | 'o' | 'x' | 'X' => {
                let raw = arguments.next(if wide { 8 } else { 4 })?;
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
                let raw = arguments.next(4)?;
                (String::new(), char::from(raw as u8).to_string())
            }
            's' => {
                let at = arguments.next(8)?;
                let text = if at == 0 {
                    b"(null)".to_vec()
                } else {
                    arguments.from.text(at).unwrap_or_else(|| b"(bad address)".to_vec())
                };
                let text = &text[..precision.unwrap_or(text.len()).min(text.len())];
                (String::new(), String::from_utf8_lossy(text).into_owned())
            }
            'p' => (String::new(), format!("{:#x}", arguments.next(8)?)),
            _ => {
                let value = f64::from_bits(arguments.next(8)?);
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
        Ok(())
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
        tried(text, words).unwrap()
    }

    fn tried(text: &str, words: &[u64]) -> Result<String, Missing> {
        let mut memory = Memory::new(1, 4096, false).unwrap();
        let at = memory.allocate(0, 256, "text", RegionKind::Private).unwrap();
        let bytes = std::ffi::CString::new(text).unwrap();
        let bytes = bytes.to_bytes_with_nul();
        let range = words.as_ptr_range();
        let own = [(range.start as u64, range.end as u64), (0, 0)];
        // SAFETY: the buffer is large enough.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at as *mut u8, bytes.len()) };
        let mut out = String::new();
        format(&Readable { memory: &memory, own }, at, range.start as u64, &mut out)?;
        Ok(out)
    }

    #[test]
    fn a_missing_argument_is_no_crash() {
        for text in ["%d", "%s", "%f", "%*d", "%p", "%d %d %d"] {
            assert_eq!(tried(text, if text.len() > 4 { &[1] } else { &[] }), Err(Missing), "{text}");
        }
    }

    #[test]
    fn a_text_in_memory_of_the_thread_is_read() {
        let words = [u64::from_le_bytes(*b"abc\0\0\0\0\0"), 0];
        let address = words.as_ptr() as u64;
        assert_eq!(formatted("%s|%.2s", &[address, address]), "(bad address)|(b");
        let memory = Memory::new(1, 4096, false).unwrap();
        let from = Readable { memory: &memory, own: [(0, 0), (address, address + 16)] };
        assert_eq!(from.text(address), Some(b"abc".to_vec()));
        assert_eq!(from.text(address + 16), None);
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
