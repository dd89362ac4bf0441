//! Integer expressions of a launch description: `n * 4 + pe`, `div_up(n, 256)`.
//!
//! Names are resolved when the text is parsed, so an unknown name is an error of the file and not of a run. Arithmetic is
//! on signed 64-bit integers; overflow and division by zero are errors.

use std::ops::Range;

/// A name that is not a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// `n_pes`.
    PeCount,
    /// `pe`: the PE for which the expression is evaluated.
    Pe,
    /// `iteration`: the number of the repetition of a launch.
    Iteration,
    /// `i`: the index of the element.
    Index,
}

impl Variable {
    /// Every variable with its spelling.
    pub const ALL: [(Variable, &'static str); 4] = [
        (Variable::PeCount, "n_pes"),
        (Variable::Pe, "pe"),
        (Variable::Iteration, "iteration"),
        (Variable::Index, "i"),
    ];
}

/// A function of two or three arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Min,
    Max,
    DivUp,
    AlignUp,
    Select,
}

const FUNCTIONS: [(&str, Function, usize); 5] = [
    ("min", Function::Min, 2),
    ("max", Function::Max, 2),
    ("div_up", Function::DivUp, 2),
    ("align_up", Function::AlignUp, 2),
    ("select", Function::Select, 3),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// An expression whose names are resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression(Node);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Literal(i64),
    Parameter(usize),
    Variable(Variable),
    Negate(Box<Node>),
    Binary(Operator, Box<(Node, Node)>),
    Call(Function, Vec<Node>),
}

/// What a name means where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The parameter of this index.
    Parameter(usize),
    /// A variable.
    Variable(Variable),
}

/// Says what a name means, or why it may not stand there: the cause and the cure.
pub type Resolve<'a> = &'a mut dyn FnMut(&str) -> Result<Meaning, (String, String)>;

/// Values of the names during evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    /// Each parameter, truncated where it is a floating-point number.
    pub parameters: &'a [i64],
    /// `n_pes`.
    pub n_pes: i64,
    /// `pe`.
    pub pe: i64,
    /// `iteration`.
    pub iteration: i64,
    /// `i`.
    pub index: i64,
}

/// What is wrong with the text of an expression, and where in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Bytes of the text.
    pub span: Range<usize>,
    /// The cause.
    pub message: String,
    /// The cure.
    pub help: String,
}

impl Expression {
    /// A number.
    pub fn literal(value: i64) -> Self {
        Expression(Node::Literal(value))
    }

    /// The value, where it is a number.
    pub fn as_literal(&self) -> Option<i64> {
        if let Node::Literal(value) = self.0 { Some(value) } else { None }
    }

    /// Parses `text`. `resolve` says what a name means, or why it may not stand here.
    pub fn parse(text: &str, resolve: Resolve<'_>) -> Result<Self, SyntaxError> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, end: text.len(), resolve, depth: 0 };
        let node = parser.expression(0)?;
        match parser.peek() {
            None => Ok(Expression(node)),
            Some((span, _)) => Err(error(span, "the expression ends before this", "an operator is missing")),
        }
    }

    /// The value.
    pub fn evaluate(&self, values: &Values<'_>) -> Result<i64, String> {
        self.0.evaluate(values)
    }

    /// Whether the value depends on a variable.
    pub fn uses(&self, variable: Variable) -> bool {
        self.0.any(&|n| *n == Node::Variable(variable))
    }

    /// Whether the value depends on the parameter of this index.
    pub fn uses_parameter(&self, index: usize) -> bool {
        self.0.any(&|n| *n == Node::Parameter(index))
    }
}

impl Node {
    fn any(&self, test: &dyn Fn(&Node) -> bool) -> bool {
        test(self)
            || match self {
                Node::Literal(_) | Node::Parameter(_) | Node::Variable(_) => false,
                Node::Negate(n) => n.any(test),
                Node::Binary(_, pair) => pair.0.any(test) || pair.1.any(test),
                Node::Call(_, arguments) => arguments.iter().any(|n| n.any(test)),
            }
    }

    fn evaluate(&self, v: &Values<'_>) -> Result<i64, String> {
        Ok(match self {
            Node::Literal(value) => *value,
            Node::Parameter(index) => v.parameters.get(*index).copied().unwrap_or_default(),
            Node::Variable(Variable::PeCount) => v.n_pes,
            Node::Variable(Variable::Pe) => v.pe,
            Node::Variable(Variable::Iteration) => v.iteration,
            Node::Variable(Variable::Index) => v.index,
            Node::Negate(n) => n.evaluate(v)?.checked_neg().ok_or_else(overflow)?,
            Node::Binary(operator, pair) => binary(*operator, pair.0.evaluate(v)?, pair.1.evaluate(v)?)?,
            Node::Call(function, arguments) => {
                let a = arguments.iter().map(|n| n.evaluate(v)).collect::<Result<Vec<_>, _>>()?;
                match function {
                    Function::Min => a[0].min(a[1]),
                    Function::Max => a[0].max(a[1]),
                    Function::DivUp => div_up(a[0], a[1])?,
                    Function::AlignUp => div_up(a[0], a[1])?.checked_mul(a[1]).ok_or_else(overflow)?,
                    Function::Select => a[if a[0] != 0 { 1 } else { 2 }],
                }
            }
        })
    }
}

fn overflow() -> String {
    "the value does not fit in 64 bits".into()
}

fn div_up(a: i64, b: i64) -> Result<i64, String> {
    if b <= 0 {
        return Err(format!("the divisor {b} is not positive"));
    }
    Ok(a.div_euclid(b) + i64::from(a.rem_euclid(b) != 0))
}

fn binary(operator: Operator, a: i64, b: i64) -> Result<i64, String> {
    let value = match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Divide | Operator::Remainder if b == 0 => return Err("a division by zero".into()),
        Operator::Divide => a.checked_div(b),
        Operator::Remainder => a.checked_rem(b),
        Operator::ShiftLeft | Operator::ShiftRight if !(0..64).contains(&b) => {
            return Err(format!("a shift by {b} bits"));
        }
        Operator::ShiftLeft => i64::try_from(i128::from(a) << b).ok(),
        Operator::ShiftRight => Some(a >> b),
        Operator::Equal => Some((a == b).into()),
        Operator::NotEqual => Some((a != b).into()),
        Operator::Less => Some((a < b).into()),
        Operator::LessOrEqual => Some((a <= b).into()),
        Operator::Greater => Some((a > b).into()),
        Operator::GreaterOrEqual => Some((a >= b).into()),
    };
    value.ok_or_else(overflow)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(i64),
    Name(String),
    Operator(Operator),
    Open,
    Close,
    Comma,
}

fn error(span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> SyntaxError {
    SyntaxError { span, message: message.into(), help: help.into() }
}

fn tokens(text: &str) -> Result<Vec<(Range<usize>, Token)>, SyntaxError> {
    const SYMBOLS: [(&str, Token); 16] = [
        ("<<", Token::Operator(Operator::ShiftLeft)),
        (">>", Token::Operator(Operator::ShiftRight)),
        ("==", Token::Operator(Operator::Equal)),
        ("!=", Token::Operator(Operator::NotEqual)),
        ("<=", Token::Operator(Operator::LessOrEqual)),
        (">=", Token::Operator(Operator::GreaterOrEqual)),
        ("<", Token::Operator(Operator::Less)),
        (">", Token::Operator(Operator::Greater)),
        ("+", Token::Operator(Operator::Add)),
        ("-", Token::Operator(Operator::Subtract)),
        ("*", Token::Operator(Operator::Multiply)),
        ("/", Token::Operator(Operator::Divide)),
        ("%", Token::Operator(Operator::Remainder)),
        ("(", Token::Open),
        (")", Token::Close),
        (",", Token::Comma),
    ];
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        if c.is_whitespace() {
            at += c.len_utf8();
        } else if c.is_ascii_alphanumeric() || c == '_' {
            at += text[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len() - at);
            let word = &text[start..at];
            let token = if c.is_ascii_digit() {
                let digits = word.replace('_', "");
                let number = match digits.strip_prefix("0x") {
                    Some(hex) => i64::from_str_radix(hex, 16),
                    None => digits.parse(),
                };
                Token::Number(number.map_err(|_| {
                    error(
                        start..at,
                        format!("`{word}` is no integer of 64 bits"),
                        "write digits, or 0x and hexadecimal digits",
                    )
                })?)
            } else {
                Token::Name(word.to_owned())
            };
            out.push((start..at, token));
        } else if let Some((symbol, token)) = SYMBOLS.iter().find(|(s, _)| text[at..].starts_with(s)) {
            at += symbol.len();
            out.push((start..at, token.clone()));
        } else {
            return Err(error(
                start..start + c.len_utf8(),
                format!("`{c}` has no meaning in an expression"),
                "expressions are of integers: + - * / % << >> == != < <= > >= ( ) and min, max, div_up, align_up, select",
            ));
        }
    }
    Ok(out)
}

/// Deeper nesting than a person writes; keeps the recursion from using up the stack.
const MAX_DEPTH: usize = 100;

struct Parser<'a> {
    tokens: Vec<(Range<usize>, Token)>,
    at: usize,
    end: usize,
    resolve: Resolve<'a>,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<(Range<usize>, Token)> {
        self.tokens.get(self.at).cloned()
    }

    fn here(&self) -> Range<usize> {
        self.tokens.get(self.at).map_or(self.end.saturating_sub(1)..self.end, |(span, _)| span.clone())
    }

    /// Operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<Node, SyntaxError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(error(self.here(), "the expression is nested too deeply", "name a part of it as a parameter"));
        }
        let mut left = self.operand()?;
        while let Some((_, Token::Operator(operator))) = self.peek() {
            let binding = match operator {
                Operator::Multiply | Operator::Divide | Operator::Remainder => 4,
                Operator::Add | Operator::Subtract => 3,
                Operator::ShiftLeft | Operator::ShiftRight => 2,
                _ => 1,
            };
            if binding < least.max(1) {
                break;
            }
            self.at += 1;
            let right = self.expression(binding + 1)?;
            left = Node::Binary(operator, Box::new((left, right)));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Node, SyntaxError> {
        let here = self.here();
        let token = self.peek().map(|(_, token)| token);
        self.at += 1;
        match token {
            Some(Token::Number(value)) => Ok(Node::Literal(value)),
            Some(Token::Operator(Operator::Subtract)) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(error(here, "the expression is nested too deeply", "one minus is enough"));
                }
                let operand = self.operand()?;
                self.depth -= 1;
                Ok(match operand {
                    Node::Literal(value) => Node::Literal(value.wrapping_neg()),
                    other => Node::Negate(Box::new(other)),
                })
            }
            Some(Token::Open) => {
                let inside = self.expression(0)?;
                self.expect(Token::Close, ")")?;
                Ok(inside)
            }
            Some(Token::Name(name)) if matches!(self.peek(), Some((_, Token::Open))) => self.call(&name, here),
            Some(Token::Name(name)) => match (self.resolve)(&name) {
                Ok(Meaning::Parameter(index)) => Ok(Node::Parameter(index)),
                Ok(Meaning::Variable(variable)) => Ok(Node::Variable(variable)),
                Err((message, help)) => Err(error(here, message, help)),
            },
            _ => Err(error(here, "a number, a name or `(` is missing here", "every operator needs two operands")),
        }
    }

    fn call(&mut self, name: &str, span: Range<usize>) -> Result<Node, SyntaxError> {
        let Some(&(_, function, arity)) = FUNCTIONS.iter().find(|(n, _, _)| *n == name) else {
            return Err(error(
                span,
                format!("there is no function `{name}`"),
                "the functions are min(a,b), max(a,b), div_up(a,b), align_up(a,b) and select(c,a,b)",
            ));
        };
        self.at += 1;
        let mut arguments = vec![self.expression(0)?];
        while matches!(self.peek(), Some((_, Token::Comma))) {
            self.at += 1;
            arguments.push(self.expression(0)?);
        }
        self.expect(Token::Close, ")")?;
        if arguments.len() != arity {
            let given = arguments.len();
            return Err(error(span, format!("`{name}` takes {arity} arguments, not {given}"), ""));
        }
        Ok(Node::Call(function, arguments))
    }

    fn expect(&mut self, token: Token, text: &str) -> Result<(), SyntaxError> {
        if self.peek().is_some_and(|(_, t)| t == token) {
            self.at += 1;
            Ok(())
        } else {
            Err(error(self.here(), format!("`{text}` is missing here"), ""))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Expression, SyntaxError> {
        Expression::parse(text, &mut |name| match name {
            "n" => Ok(Meaning::Parameter(0)),
            "pe" => Ok(Meaning::Variable(Variable::Pe)),
            "n_pes" => Ok(Meaning::Variable(Variable::PeCount)),
            _ => Err((format!("no name `{name}`"), String::new())),
        })
    }

    fn value(text: &str) -> Result<i64, String> {
        let values = Values { parameters: &[10], n_pes: 4, pe: 3, iteration: 0, index: 0 };
        parse(text).map_err(|e| e.message)?.evaluate(&values)
    }

    #[test]
    fn operators_bind_as_in_c() {
        assert_eq!(value("1 + 2 * 3 - -4"), Ok(11));
        assert_eq!(value("(pe + 1) % n_pes"), Ok(0));
        assert_eq!(value("20 - 5 - 5"), Ok(10));
        assert_eq!(value("1 << 3 + 1"), Ok(16));
        assert_eq!(value("n + 1 > 10 == 1"), Ok(1));
        assert_eq!(value("0x10 + 1_000"), Ok(1016));
    }

    #[test]
    fn functions() {
        assert_eq!(value("div_up(n, 4)"), Ok(3));
        assert_eq!(value("align_up(n, 4)"), Ok(12));
        assert_eq!(value("select(pe == 3, min(1, 2), max(1, 2))"), Ok(1));
        assert_eq!(value("min(1)"), Err("`min` takes 2 arguments, not 1".into()));
        assert_eq!(value("sin(1)"), Err("there is no function `sin`".into()));
    }

    #[test]
    fn arithmetic_errors_are_errors() {
        assert_eq!(value("n / 0"), Err("a division by zero".into()));
        assert_eq!(value("0x7fffffffffffffff + 1"), Err(overflow()));
        assert_eq!(value("1 << 63"), Err(overflow()));
        assert_eq!(value("1 << 64"), Err("a shift by 64 bits".into()));
        assert_eq!(value("div_up(1, 0)"), Err("the divisor 0 is not positive".into()));
    }

    #[test]
    fn a_syntax_error_has_a_place() {
        assert_eq!(parse("n * m").expect_err("m").span, 4..5);
        assert_eq!(parse("n n").expect_err("n n").span, 2..3);
        assert_eq!(parse("(n").expect_err("(n").message, "`)` is missing here");
        assert_eq!(parse("1.5").expect_err("1.5").span, 1..2);
        assert!(parse("").is_err());
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&"-".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[-+*/%<>=(), n0-9a-z]{0,40}") {
            let _ = value(&text);
        }

        #[test]
        fn arithmetic_agrees_with_rust(a in -1000i64..1000, b in -1000i64..1000, c in 1i64..1000) {
            prop_assert_eq!(value(&format!("{a} + {b} * {c}")), Ok(a + b * c));
            prop_assert_eq!(value(&format!("({a} - {b}) / {c} % {c}")), Ok((a - b) / c % c));
        }
    }
}
