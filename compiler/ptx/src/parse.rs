//! The parser: recursive descent over the tokens, one file per level of the grammar.

mod cursor;
mod module;
mod operand;
mod statement;

use crate::ast::{Module, Statement};
use crate::error::ParseError;
use cursor::Parser;

/// Parses a whole PTX file.
pub fn parse_module(source: &str) -> Result<Module, ParseError> {
    Parser::new(source)?.module()
}

/// Parses the statements of a function body, without the braces around it. Names that begin with `%` are registers;
/// others are registers where a `.reg` declares them, and symbols elsewhere.
pub fn parse_statements(source: &str) -> Result<Vec<Statement>, ParseError> {
    let mut parser = Parser::new(source)?;
    let mut out = Vec::new();
    parser.scopes.push(Vec::new());
    while !parser.at_end() {
        parser.statement(&mut out)?;
    }
    Ok(out)
}
