// Domains: their declarations, the buffers that are their members, and that initiations write to members.
#include "Checks.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace gicc {

LogicalResult DomainOp::verify() {
  // The name is part of other names and texts, down to level L.
  for (char c : getSymName())
    if (!llvm::isAlnum(c) && !StringRef("_.$-").contains(c))
      return emitOpError() << "the name of a domain is made of letters, digits, `_`, `.`, `$` and `-`, and " << getSymNameAttr() << " is not";
  if (!getId())
    return success();
  for (Operation &other : (*this)->getBlock()->getOperations()) {
    if (&other == getOperation())
      break;
    auto domain = dyn_cast<DomainOp>(other);
    if (domain && domain.getId() == getId()) {
      InFlightDiagnostic error = emitOpError() << "the number " << *getId() << " belongs to another domain";
      error.attachNote(domain.getLoc()) << "`@" << domain.getSymName() << "` has it";
      return error;
    }
  }
  return success();
}

namespace {

/// The domains that an attribute names: one, or a list of some; nothing of any other attribute.
std::optional<SmallVector<FlatSymbolRefAttr>> domainsOf(Attribute attribute) {
  if (auto one = dyn_cast_or_null<FlatSymbolRefAttr>(attribute))
    return SmallVector<FlatSymbolRefAttr>{one};
  auto several = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!several || several.empty())
    return std::nullopt;
  SmallVector<FlatSymbolRefAttr> names;
  for (Attribute each : several) {
    auto name = dyn_cast<FlatSymbolRefAttr>(each);
    if (!name)
      return std::nullopt;
    names.push_back(name);
  }
  return names;
}

/// Where an argument stands; that of the function where it has no body.
Location locationOf(FunctionOpInterface function, unsigned argument) {
  return function.isExternal() ? function.getLoc() : function.getArgument(argument).getLoc();
}

/// The buffer that an address is of: views, casts and the buffer's places on other PEs are looked through.
Value bufferOf(Value value) {
  constexpr StringLiteral casts[] = {"builtin.unrealized_conversion_cast", "llvm.bitcast", "llvm.inttoptr", "llvm.ptrtoint",
                                     "arith.index_cast", "memref.extract_aligned_pointer_as_index",
                                     "memref.extract_strided_metadata"};
  for (int steps = 0; steps < 1000; ++steps) {
    Value origin = originOf(value);
    Operation *op = origin.getDefiningOp();
    if (auto there = dyn_cast_or_null<PeerPtrOp>(op))
      value = there.getSymmetric();
    else if (op && op->getNumOperands() == 1 && origin == op->getResult(0) && llvm::is_contained(casts, op->getName().getStringRef()))
      value = op->getOperand(0);
    else
      return origin;
  }
  return value;
}

bool isKernel(Operation *function) {
  return function->hasAttr(GiccDialect::kKernel) || function->hasAttr("gpu.kernel") || function->hasAttr("nvvm.kernel");
}

/// Whether anything is declared a member.
bool hasMembers(Operation *from, FlatSymbolRefAttr domain) {
  while (Operation *parent = from->getParentOp())
    from = parent;
  return from
      ->walk([&](FunctionOpInterface function) {
        for (unsigned n = 0; n < function.getNumArguments(); ++n) {
          auto names = domainsOf(function.getArgAttr(n, GiccDialect::kDomain));
          if (names && llvm::is_contained(*names, domain))
            return WalkResult::interrupt();
        }
        return WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

LogicalResult verifyDomains(Operation *op, unsigned argument, Attribute domains) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function || argument >= function.getNumArguments())
    return op->emitError() << "`gicc.domain` stands on arguments of functions";
  auto refuse = [&] { return emitError(locationOf(function, argument)) << "argument " << argument << " of `" << function.getName() << "`"; };
  std::optional<SmallVector<FlatSymbolRefAttr>> names = domainsOf(domains);
  if (!names)
    return refuse() << " has no domain as its `gicc.domain`: `gicc.domain = @halo` and `gicc.domain = [@halo, @rows]` name some";
  Type type = function.getArgumentTypes()[argument];
  if (!isa<LLVM::LLVMPointerType, BaseMemRefType>(type))
    return refuse() << " has the type " << type << ", and only buffers belong to domains: memrefs and LLVM pointers";
  if (std::optional<StringRef> memory = foreignMemory(type))
    return refuse() << " is in " << *memory << ", and only symmetric buffers belong to domains";
  for (FlatSymbolRefAttr name : *names) {
    Operation *found = lookUp(op, name);
    if (!found)
      return refuse() << " belongs to " << name << ", which is not declared; a domain is declared with `gicc.domain`";
    if (isa<DomainOp>(found))
      continue;
    InFlightDiagnostic error = refuse() << " belongs to " << name << ", which is no domain";
    error.attachNote(found->getLoc()) << name << " is declared here";
    return error;
  }
  return success();
}

LogicalResult verifyMember(Operation *op, Value destination, FlatSymbolRefAttr domain) {
  auto argument = dyn_cast<BlockArgument>(bufferOf(destination));
  if (!domain || !argument || !argument.getOwner()->isEntryBlock())
    return success();
  auto function = dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  if (!function || number >= function.getNumArguments())
    return success();
  auto names = domainsOf(function.getArgAttr(number, GiccDialect::kDomain));
  if (names && llvm::is_contained(*names, domain))
    return success();
  // What is said of nothing is known of kernels alone: others are called with anybody's buffers.
  if (!names && (!isKernel(function) || !hasMembers(op, domain)))
    return success();
  InFlightDiagnostic error = op->emitOpError();
  if (names) {
    error << "the destination belongs to ";
    llvm::interleave(*names, error, [&](FlatSymbolRefAttr name) { error << name; }, " and ");
    error << ", and not to " << domain << "; name the domain of the buffer, or declare the argument a member of this one too, as `gicc.domain = [";
    for (FlatSymbolRefAttr name : *names)
      error << name << ", ";
    error << domain << "]`";
  } else {
    error << "the destination belongs to no domain, and " << domain << " has members; declare the argument one of them, as `gicc.domain = "
          << domain << "`, or name no domain";
  }
  error.attachNote(argument.getLoc()) << "it is argument " << number << " of `" << function.getName() << "`";
  return error;
}

} // namespace gicc
