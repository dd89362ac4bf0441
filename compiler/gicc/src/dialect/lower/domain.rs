//! `gicc.domain`: a declaration becomes a variable that level L reads and removes, and the domains of arguments an attribute
//! of their function.
//!
//! ```text
//! before
//!   gicc.domain @halo id(1) scope(gpu)
//!   func.func @k(%edge: memref<64xf32> {gicc.domain = @halo})
//! after
//!   llvm.mlir.global weak_odr constant @gicc.domain.halo.1.2("halo 1 2 kernel.mlir:1:1")
//!   func.func @k(%edge: memref<64xf32>) attributes {gicc.domains = "0:halo"}
//! ```
//!
//! The variable is weak: linking keeps what nobody names, and one of several that say the same. What says something else has
//! another name.

use std::collections::HashMap;

use gicc_abi::codes::Scope;
use gicc_abi::domain::{DECLARATION_PREFIX, LARGEST};
use melior::ir::OperationRef;
use melior::ir::operation::OperationLike as _;

use super::text;
use crate::dialect::ir::{Before, all_below, enumeration, gather_domains, integer, name_of, symbol_name};
use crate::dialect::passes::Failed;
use crate::dialect::{emit_error, span_of};

/// How far a domain's orderings reach, and its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domain {
    pub(super) id: i64,
    pub(super) scope: u64,
}

/// The domains by name; numbers that nobody chose are the smallest that are free.
pub(super) fn numbered(operations: &[OperationRef<'_, '_>]) -> Result<HashMap<String, Domain>, Failed> {
    let declared: Vec<_> = operations.iter().filter(|o| name_of(**o) == "gicc.domain").collect();
    let taken: Vec<i64> = declared.iter().filter_map(|o| integer(**o, "id")).collect();
    let mut free = (1..=i64::from(LARGEST)).filter(|n| !taken.contains(n));
    let mut found = HashMap::new();
    for &&operation in &declared {
        let Some(id) = integer(operation, "id").or_else(|| free.next()) else {
            emit_error(
                operation.location(),
                &format!("no number is left for this domain: a program has at most {LARGEST} domains"),
            );
            return Err(Failed);
        };
        let scope = enumeration(operation, "scope").unwrap_or(u64::from(Scope::Auto.code()));
        if let Some(name) = symbol_name(operation) {
            found.insert(name, Domain { id, scope });
        }
    }
    Ok(found)
}

/// Leaves for level L what is declared, and what belongs to it.
pub(super) fn leave(module: OperationRef<'_, '_>, domains: &HashMap<String, Domain>) -> Result<(), Failed> {
    for operation in all_below(module) {
        if name_of(operation) == "gicc.domain" {
            declare(operation, domains).ok_or(Failed)?;
        } else {
            gather_domains(operation);
        }
    }
    Ok(())
}

fn declare(operation: OperationRef<'_, '_>, domains: &HashMap<String, Domain>) -> Option<()> {
    let name = symbol_name(operation)?;
    let Domain { id, scope } = *domains.get(&name)?;
    let place = span_of(operation.location()).map(|s| s.to_string()).unwrap_or_default();
    let symbol = format!("{DECLARATION_PREFIX}{name}.{id}.{scope}");
    text::add(&Before::new(operation), &symbol, "weak_odr", &format!("{name} {id} {scope} {place}"))
}
