//! Domains in IR: their declarations, that these agree, and the parameters that MLIR puts in them.
//!
//! ```text
//! @halo = internal addrspace(4) constant %"struct.gicc::domain" { i32 1, i32 2 }     annotated "gicc.declares_domain:halo", by C++
//! @gicc.domain.rows.2.4 = weak_odr constant [..] c"rows 2 4 kernel.mlir:3:1"          by MLIR
//! define ptx_kernel void @k(ptr %edge) "gicc.domains"="0:halo"                        by MLIR
//! ```
//!
//! One name has one number and one scope, and one number one name, in all inputs that are compiled together.

use std::collections::BTreeSet;

use gicc_abi::codes::Scope;
use gicc_abi::domain::{DECLARATION_PREFIX, LARGEST, MEMBERS_ATTRIBUTE};
use inkwell::attributes::AttributeLoc;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{LLVMLinkage, LLVMOpcode};
use inkwell::module::Module;
use inkwell::values::AsValueRef as _;

use super::attributes::{mark_parameter, string};
use crate::analysis::annotation::{Annotation, DomainNote, Notes, Said};
use crate::diagnostic::{Diagnostic, Span, codes};
use crate::llvm::{attribute, defined_functions, demangled, name_of};

/// The domain that an annotated variable declares.
///
/// # Errors
/// Where the variable does not hold a domain, or its number is none that a domain can have.
///
/// # Safety
/// The value is alive.
pub(super) unsafe fn of_variable(
    name: String,
    variable: LLVMValueRef,
    place: Option<Span>,
) -> Result<DomainNote, Diagnostic> {
    // SAFETY: as the caller states; each question is asked of a value of the kind that was found.
    let word = |n| unsafe {
        let global = LLVMIsAGlobalVariable(variable);
        let initial = if global.is_null() { global } else { LLVMGetInitializer(global) };
        let element = if initial.is_null() { initial } else { LLVMGetAggregateElement(initial, n) };
        let is_number = !element.is_null() && !LLVMIsAConstantInt(element).is_null();
        is_number.then(|| LLVMConstIntGetZExtValue(element)).and_then(|n| u32::try_from(n).ok())
    };
    let (Some(number), Some(scope)) = (word(0), word(1)) else { return Err(declared_elsewhere(&name).at(place)) };
    checked(DomainNote { name, number, scope, place })
}

/// A declaration that stands where none can.
pub(super) fn declared_elsewhere(name: &str) -> Diagnostic {
    Diagnostic::error(
        codes::BAD_ANNOTATION,
        format!("what declares the domain `{name}` is no constant of type gicc::domain"),
    )
    .cure("declare domains with GICC_DECLARE_DOMAIN(name, number) of `gicc/gicc.cuh`, outside functions")
}

fn checked(domain: DomainNote) -> Result<DomainNote, Diagnostic> {
    if (1..=LARGEST).contains(&domain.number) && Scope::from_code(domain.scope.into()).is_some() {
        return Ok(domain);
    }
    let DomainNote { name, number, scope, place } = domain;
    Err(Diagnostic::error(
        codes::BAD_ANNOTATION,
        format!("the domain `{name}` cannot have the number {number} and the scope {scope}"),
    )
    .at(place)
    .cause("a domain's table is found by its number, and 0 is the whole symmetric heap")
    .cure(format!("choose a number from 1 to {LARGEST}")))
}

/// Takes variables off the list of what is used although nobody names it, which each declaration is on.
///
/// # Safety
/// The values are alive.
pub(super) unsafe fn forget(module: &Module<'_>, variables: &[LLVMValueRef]) {
    if variables.is_empty() {
        return;
    }
    for name in ["llvm.compiler.used", "llvm.used"] {
        let Some(list) = module.get_global(name) else { continue };
        // SAFETY: the list is alive, and its initialiser is an array of addresses; the new one has those that are left.
        unsafe {
            let all = LLVMGetInitializer(list.as_value_ref());
            if all.is_null() {
                continue;
            }
            let count = u32::try_from(LLVMGetNumOperands(all)).unwrap_or(0);
            let mut left: Vec<LLVMValueRef> = (0..count)
                .map(|n| LLVMGetOperand(all, n))
                .filter(|entry| !variables.contains(&without_cast(*entry)))
                .collect();
            if left.len() == count as usize {
                continue;
            }
            let element = LLVMGetElementType(LLVMTypeOf(all));
            LLVMDeleteGlobal(list.as_value_ref());
            if left.is_empty() {
                continue;
            }
            let array = LLVMConstArray2(element, left.as_mut_ptr(), left.len() as u64);
            let text = format!("{name}\0");
            let list = LLVMAddGlobal(module.as_mut_ptr(), LLVMTypeOf(array), text.as_ptr().cast());
            LLVMSetInitializer(list, array);
            LLVMSetLinkage(list, LLVMLinkage::LLVMAppendingLinkage);
            LLVMSetSection(list, c"llvm.metadata".as_ptr());
        }
    }
}

/// What a cast of a constant is a cast of.
///
/// # Safety
/// The value is alive.
unsafe fn without_cast(value: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: as the caller states; a cast has one operand.
    unsafe {
        let cast = !LLVMIsAConstantExpr(value).is_null()
            && matches!(LLVMGetConstOpcode(value), LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMBitCast);
        if cast { LLVMGetOperand(value, 0) } else { value }
    }
}

/// Reads MLIR's declarations, and checks that all agree.
pub(super) fn read_declarations(module: &Module<'_>, notes: &mut Notes) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for global in module.get_globals().collect::<Vec<_>>() {
        if !global.get_name().to_string_lossy().starts_with(DECLARATION_PREFIX) {
            continue;
        }
        // SAFETY: the variable is alive.
        let text = unsafe { string(global.as_value_ref()) };
        match text.as_deref().and_then(parsed).map(checked) {
            Some(Ok(domain)) => notes.domains.push(domain),
            Some(Err(error)) => errors.push(error),
            None => errors.push(
                Diagnostic::error(
                    codes::BAD_ANNOTATION,
                    format!("the variable `{}` declares no domain", global.get_name().to_string_lossy()),
                )
                .cause(format!(
                    "variables that begin with `{DECLARATION_PREFIX}` are what `gicc.domain` of MLIR becomes"
                ))
                .cure("lower MLIR with the pass `gicc-to-llvm`, or give the variable another name"),
            ),
        }
        // SAFETY: the variable is alive, and goes where nothing uses it.
        unsafe {
            if LLVMGetFirstUse(global.as_value_ref()).is_null() {
                global.delete();
            }
        }
    }
    errors.extend(disagreements(&notes.domains));
    errors
}

/// `NAME NUMBER SCOPE PLACE`, the place as `FILE:LINE:COLUMN` or nothing.
fn parsed(text: &str) -> Option<DomainNote> {
    let mut parts = text.splitn(4, ' ');
    let name = parts.next().filter(|n| !n.is_empty())?.to_owned();
    let (number, scope) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let place = parts.next().and_then(|p| {
        let (rest, column) = p.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some(Span { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? })
    });
    Some(DomainNote { name, number, scope, place })
}

/// Each later declaration that disagrees with an earlier one.
fn disagreements(domains: &[DomainNote]) -> Vec<Diagnostic> {
    const CAUSE: &str = "calls and descriptors carry a domain's number, which means one domain in the whole program";
    const ONCE: &str = "declare each domain once, in a header that every kernel's source includes";
    let scope = |domain: &DomainNote| Scope::from_code(domain.scope.into()).map_or("unknown", Scope::name);
    let mut errors = Vec::new();
    for (n, here) in domains.iter().enumerate() {
        let name = &here.name;
        let disagrees = |other: &&DomainNote| {
            let same = (other.name == *name, other.number == here.number);
            matches!(same, (true, false) | (false, true)) || (same == (true, true) && other.scope != here.scope)
        };
        let Some(other) = domains[..n].iter().find(disagrees) else { continue };
        let (message, cure, note) = if other.name != *name {
            (
                format!("the domain `{name}` has the number {}, which belongs to another domain", here.number),
                "give each domain a number of its own",
                format!("`{}` has it", other.name),
            )
        } else if other.number != here.number {
            (
                format!("the domain `{name}` has two numbers, {} and {}", here.number, other.number),
                ONCE,
                format!("here it has the number {}", other.number),
            )
        } else {
            (
                format!("the domain `{name}` has two scopes, {} and {}", scope(here), scope(other)),
                ONCE,
                format!("here it has the scope {}", scope(other)),
            )
        };
        let error = Diagnostic::error(codes::DOMAIN_MISMATCH, message).at(here.place.clone()).cause(CAUSE).cure(cure);
        errors.push(error.note(note, other.place.clone()));
    }
    errors
}

/// Marks the parameters that functions' attributes put in domains, and forgets the attributes.
pub(super) fn read_members(module: &Module<'_>, notes: &mut Notes) -> Vec<Diagnostic> {
    for function in defined_functions(module) {
        let Some(text) = attribute(function, MEMBERS_ATTRIBUTE) else { continue };
        let members = members(&text).unwrap_or_default();
        for index in members.iter().map(|(n, _)| *n).collect::<BTreeSet<u32>>() {
            let of_it = members.iter().filter(|(n, _)| *n == index);
            let said = Said { set: of_it.map(|(_, d)| Annotation::Domain((*d).to_owned())).collect(), place: None };
            if let Some(parameter) = function.get_nth_param(index) {
                // SAFETY: an argument of a function with a body.
                unsafe { mark_parameter(module, parameter.as_value_ref(), notes, &said) };
            }
        }
    }
    remove_members(module)
}

/// Forgets what attributes say of parameters; those that say nothing that can be meant are errors.
pub(super) fn remove_members(module: &Module<'_>) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for function in module.get_functions() {
        let Some(text) = attribute(function, MEMBERS_ATTRIBUTE) else { continue };
        function.remove_string_attribute(AttributeLoc::Function, MEMBERS_ATTRIBUTE);
        let right = members(&text).is_some_and(|all| all.iter().all(|(n, _)| *n < function.count_params()));
        if !right {
            let name = demangled(&name_of(function));
            let message = format!("the attribute `{MEMBERS_ATTRIBUTE}` of `{name}` is \"{text}\"");
            errors.push(
                Diagnostic::error(codes::BAD_ANNOTATION, message)
                    .cause("it lists numbers of the function's parameters, each with the name of a domain")
                    .cure("write it as \"0:halo,2:rows\", or `gicc.domain = @halo` at arguments in MLIR"),
            );
        }
    }
    errors
}

/// The parameters and domains that an attribute names.
fn members(text: &str) -> Option<Vec<(u32, &str)>> {
    let member = |m| {
        let (number, domain): (&str, &str) = str::split_once(m, ':')?;
        Some((number.parse().ok()?, domain)).filter(|_| !domain.is_empty())
    };
    text.split(',').map(member).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(name: &str, number: u32, scope: Scope, line: u32) -> DomainNote {
        let place = Some(Span { file: "a.cu".to_owned(), line, column: 1 });
        DomainNote { name: name.to_owned(), number, scope: scope.code(), place }
    }

    #[test]
    fn a_declaration_of_mlir_is_read_back() {
        let read = parsed("halo 7 2 a b:c.mlir:12:3").unwrap();
        assert_eq!((read.name.as_str(), read.number, read.scope), ("halo", 7, 2));
        assert_eq!(read.place, Some(Span { file: "a b:c.mlir".to_owned(), line: 12, column: 3 }));
        assert_eq!(parsed("halo 7 2").and_then(|d| d.place), None);
        assert_eq!(parsed("halo seven 2"), None);
        assert_eq!(parsed(""), None);
    }

    #[test]
    fn members_are_numbers_and_names() {
        assert_eq!(members("0:halo,2:rows"), Some(vec![(0, "halo"), (2, "rows")]));
        for wrong in ["", "halo", "x:halo", "0:", "0:halo,", "-1:halo"] {
            assert_eq!(members(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn declarations_that_say_the_same_agree() {
        let all = [
            domain("halo", 1, Scope::Device, 1),
            domain("rows", 2, Scope::System, 2),
            domain("halo", 1, Scope::Device, 9),
        ];
        assert_eq!(disagreements(&all), []);
    }

    #[test]
    fn each_disagreement_is_told_with_both_places() {
        let told = |other: DomainNote| {
            let all = disagreements(&[domain("halo", 1, Scope::Device, 1), other]);
            assert_eq!(all.len(), 1);
            assert_eq!(all[0].code, codes::DOMAIN_MISMATCH);
            let line = |span: &Option<Span>| span.as_ref().map(|s| s.line);
            assert_eq!((line(&all[0].span), line(&all[0].notes[0].span)), (Some(5), Some(1)));
            (all[0].message.clone(), all[0].notes[0].message.clone())
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            told(domain("halo", 2, Scope::Device, 5)),
            pair("the domain `halo` has two numbers, 2 and 1", "here it has the number 1")
        );
        assert_eq!(
            told(domain("rows", 1, Scope::Device, 5)),
            pair("the domain `rows` has the number 1, which belongs to another domain", "`halo` has it")
        );
        assert_eq!(
            told(domain("halo", 1, Scope::System, 5)),
            pair("the domain `halo` has two scopes, sys and gpu", "here it has the scope gpu")
        );
    }

    #[test]
    fn numbers_are_small_and_not_zero() {
        for number in [0, 256] {
            let error = checked(domain("halo", number, Scope::Device, 1)).unwrap_err();
            assert_eq!(error.message, format!("the domain `halo` cannot have the number {number} and the scope 2"));
        }
        assert!(checked(domain("halo", 255, Scope::Device, 1)).is_ok());
    }
}
