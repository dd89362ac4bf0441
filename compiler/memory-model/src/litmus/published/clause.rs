//! The closing clauses of the published format: `filter`, then `exists`, `~exists` or `forall`.

use super::super::{LitmusProblem, Parsed};
use super::lexer::TokenKind;
use super::parse::Parser;
use super::{Atom, Formula, Quantifier};
use crate::program::Comparison;

/// Nested deeper than this, a formula is refused.
const DEPTH: u32 = 64;

/// Reads the closing clauses into the test.
pub(super) fn closing(parser: &mut Parser) -> Parsed<()> {
    if parser.accept("locations") {
        // A list of what is to be shown; it changes no verdict.
        parser.expect("[")?;
        while !parser.accept("]") {
            if parser.peek().kind == TokenKind::End {
                return Err(parser.error(LitmusProblem::Expected("`]`")));
            }
            parser.next();
        }
    }
    if parser.accept("filter") {
        parser.test.filter = Some(formula(parser, 0)?);
        parser.accept(";");
    }
    let start_is_not = parser.accept("~") || parser.accept("not");
    parser.test.quantifier = if parser.accept("exists") {
        if start_is_not { Quantifier::NotExists } else { Quantifier::Exists }
    } else if !start_is_not && parser.accept("forall") {
        Quantifier::Forall
    } else if parser.peek().text == "final" {
        return Err(parser.error(LitmusProblem::NotSupported("`final`")));
    } else {
        return Err(parser.error(LitmusProblem::NoClause));
    };
    parser.test.clause = formula(parser, 0)?;
    parser.accept(";");
    Ok(())
}

/// `\/` binds weaker than `/\`.
fn formula(parser: &mut Parser, depth: u32) -> Parsed<Formula> {
    let mut left = conjunction(parser, depth)?;
    while parser.accept("\\/") {
        left = Formula::Or(Box::new(left), Box::new(conjunction(parser, depth)?));
    }
    Ok(left)
}

fn conjunction(parser: &mut Parser, depth: u32) -> Parsed<Formula> {
    let mut left = basic(parser, depth)?;
    while parser.accept("/\\") {
        left = Formula::And(Box::new(left), Box::new(basic(parser, depth)?));
    }
    Ok(left)
}

fn basic(parser: &mut Parser, depth: u32) -> Parsed<Formula> {
    if depth > DEPTH {
        return Err(parser.error(LitmusProblem::NotSupported("a formula nested this deep")));
    }
    if parser.accept("~") || parser.accept("not") {
        return Ok(Formula::Not(Box::new(basic(parser, depth + 1)?)));
    }
    if parser.accept("(") {
        let inner = formula(parser, depth + 1)?;
        parser.expect(")")?;
        return Ok(inner);
    }
    let left = atom(parser)?;
    let comparison = match parser.peek().text.as_str() {
        "=" | "==" => Comparison::Eq,
        "!=" => Comparison::Ne,
        "<" => Comparison::Lt,
        "<=" => Comparison::Le,
        ">" => Comparison::Gt,
        ">=" => Comparison::Ge,
        _ => return Err(parser.error(LitmusProblem::Expected("a comparison"))),
    };
    parser.next();
    Ok(Formula::Compare(left, comparison, atom(parser)?))
}

fn atom(parser: &mut Parser) -> Parsed<Atom> {
    if parser.accept("[") {
        let location = known_location(parser)?;
        parser.expect("]")?;
        return Ok(Atom::Location(location));
    }
    // A thread is `P0` or `0` before a colon.
    let text = parser.peek().text.clone();
    let is_word = parser.peek().kind == TokenKind::Word;
    let is_thread = parser.peek_text(1) == ":";
    let thread = if is_word { text.strip_prefix('P') } else { Some(text.as_str()).filter(|_| is_thread) };
    let Some(thread) = thread.and_then(|digits| digits.parse::<usize>().ok()) else {
        return Ok(if is_word { Atom::Location(known_location(parser)?) } else { Atom::Number(parser.number()?) });
    };
    if thread >= parser.test.threads.len() {
        return Err(parser.error(LitmusProblem::UnknownName { what: "thread", name: text }));
    }
    parser.next();
    parser.expect(":")?;
    Ok(Atom::Register(thread, parser.word("a register")?))
}

fn known_location(parser: &mut Parser) -> Parsed<usize> {
    let text = parser.peek().text.clone();
    match parser.test.locations.iter().position(|location| location.name == text) {
        Some(index) => {
            parser.next();
            if parser.peek().text == "[" {
                return Err(parser.error(LitmusProblem::NotSupported("an array")));
            }
            Ok(index)
        }
        None => Err(parser.error(LitmusProblem::UnknownName { what: "location", name: text })),
    }
}
