//! PTX text from the parts of a module. Comments and layout are not kept; everything else is.

use crate::ast::*;
use crate::operand::write_list;
use crate::types::{ScalarType, VectorSize};
use std::fmt::{self, Display, Formatter};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.items.iter().try_for_each(|item| writeln!(f, "{item}"))
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ItemKind::Version(version) => write!(f, ".version {version}"),
            ItemKind::Target(words) => write!(f, ".target {}", words.join(", ")),
            ItemKind::AddressSize(bits) => write!(f, ".address_size {bits}"),
            ItemKind::Variable(variable) => write!(f, "{variable};"),
            ItemKind::Function(function) => write!(f, "{function}"),
            ItemKind::Directive(verbatim) => f.write_str(&verbatim.text),
            ItemKind::Unknown(unknown) => f.write_str(&unknown.text),
        }
    }
}

impl Display for Version {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Display for Linkage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Linkage::Visible => ".visible",
            Linkage::Extern => ".extern",
            Linkage::Weak => ".weak",
            Linkage::Common => ".common",
        })
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = self.linkage {
            write!(f, "{linkage} ")?;
        }
        write!(f, ".{} ", self.space)?;
        if let Some(attribute) = &self.attribute {
            write!(f, ".attribute{attribute} ")?;
        }
        if let Some(align) = self.align {
            write!(f, ".align {align} ")?;
        }
        write_type(f, self.vector, self.ty)?;
        write!(f, " {}", self.name)?;
        write_dimensions(f, &self.dimensions)?;
        match &self.initializer {
            Some(initializer) => write!(f, " = {initializer}"),
            None => Ok(()),
        }
    }
}

impl Display for Initializer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Initializer::Value(value) => write!(f, "{value}"),
            Initializer::Generic { symbol, offset: 0 } => write!(f, "generic({symbol})"),
            Initializer::Generic { symbol, offset } => write!(f, "generic({symbol})+{offset}"),
            Initializer::Masked { mask, value } => write!(f, "0x{mask:X}({value})"),
            Initializer::List(list) => {
                f.write_str("{")?;
                for (i, element) in list.iter().enumerate() {
                    write!(f, "{}{element}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
        }
    }
}

impl Display for Registers {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(".reg ")?;
        write_type(f, self.vector, self.ty)?;
        for (i, (name, count)) in self.names.iter().enumerate() {
            write!(f, "{} {name}", if i > 0 { "," } else { "" })?;
            if let Some(count) = count {
                write!(f, "<{count}>")?;
            }
        }
        Ok(())
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(linkage) = self.linkage {
            write!(f, "{linkage} ")?;
        }
        f.write_str(if self.is_entry { ".entry " } else { ".func " })?;
        if let Some(attribute) = &self.attribute {
            write!(f, ".attribute{attribute} ")?;
        }
        if !self.returns.is_empty() {
            f.write_str("(")?;
            write_parameters(f, &self.returns)?;
            f.write_str(") ")?;
        }
        write!(f, "{}(", self.name)?;
        write_parameters(f, &self.parameters)?;
        f.write_str(")")?;
        for directive in &self.directives {
            write!(f, "\n{}", directive.text)?;
        }
        let Some(body) = &self.body else {
            return f.write_str(";");
        };
        f.write_str("\n{\n")?;
        write_statements(f, body, 1)?;
        f.write_str("}")
    }
}

impl Display for Parameter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".{} ", self.space)?;
        if let Some(align) = self.align {
            write!(f, ".align {align} ")?;
        }
        write_type(f, self.vector, self.ty)?;
        if let Some(pointer) = self.pointer {
            f.write_str(" .ptr")?;
            if let Some(space) = pointer.space {
                write!(f, " .{space}")?;
            }
            if let Some(align) = pointer.align {
                write!(f, " .align {align}")?;
            }
        }
        write!(f, " {}", self.name)?;
        write_dimensions(f, &self.dimensions)
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            StatementKind::Label(name) => write!(f, "{name}:"),
            StatementKind::Instruction(instruction) => write!(f, "{instruction};"),
            StatementKind::Block(inner) => {
                f.write_str("{\n")?;
                write_statements(f, inner, 1)?;
                f.write_str("}")
            }
            StatementKind::Registers(registers) => write!(f, "{registers};"),
            StatementKind::Variable(variable) => write!(f, "{variable};"),
            StatementKind::BranchTargets(labels) => write!(f, ".branchtargets {};", labels.join(", ")),
            StatementKind::Directive(verbatim) => f.write_str(&verbatim.text),
            StatementKind::Unknown(unknown) => f.write_str(&unknown.text),
        }
    }
}

fn write_statements(f: &mut Formatter<'_>, statements: &[Statement], depth: usize) -> fmt::Result {
    for statement in statements {
        match &statement.kind {
            StatementKind::Label(_) => writeln!(f, "{statement}")?,
            StatementKind::Block(inner) => {
                writeln!(f, "{:\t<depth$}{{", "")?;
                write_statements(f, inner, depth + 1)?;
                writeln!(f, "{:\t<depth$}}}", "")?;
            }
            _ => writeln!(f, "{:\t<depth$}{statement}", "")?,
        }
    }
    Ok(())
}

fn write_type(f: &mut Formatter<'_>, vector: Option<VectorSize>, ty: ScalarType) -> fmt::Result {
    if let Some(vector) = vector {
        write!(f, ".{vector} ")?;
    }
    write!(f, ".{ty}")
}

fn write_dimensions(f: &mut Formatter<'_>, dimensions: &[Option<u64>]) -> fmt::Result {
    dimensions.iter().try_for_each(|dimension| match dimension {
        Some(count) => write!(f, "[{count}]"),
        None => f.write_str("[]"),
    })
}

fn write_parameters(f: &mut Formatter<'_>, parameters: &[Parameter]) -> fmt::Result {
    for (i, parameter) in parameters.iter().enumerate() {
        write!(f, "{}\n\t{parameter}", if i > 0 { "," } else { "" })?;
    }
    Ok(())
}

impl Display for crate::instruction::Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.guard {
            write!(f, "@{}{} ", if guard.negated { "!" } else { "" }, guard.predicate)?;
        }
        f.write_str(&self.opcode)?;
        if let crate::instruction::Op::Call(_) = self.op {
            return self.write_call(f);
        }
        if !self.operands.is_empty() {
            f.write_str(" ")?;
            write_list(f, &self.operands)?;
        }
        Ok(())
    }
}
