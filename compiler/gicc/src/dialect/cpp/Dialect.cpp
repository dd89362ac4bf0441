// The dialect itself: what it registers, its attribute on functions, and its entry points for Rust.
#include "Checks.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "GiccDialect.cpp.inc"
#include "GiccEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "GiccAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "GiccTypes.cpp.inc"

// `custom<Choice>` in an operation's format: a value of an enumeration by its name. (MLIR's own printer of such attributes
// puts a space in front of each, also behind a parenthesis.)
template <class Choice> static ParseResult parseChoice(OpAsmParser &parser, Choice &attribute) {
  auto value = FieldParser<decltype(attribute.getValue())>::parse(parser);
  if (failed(value))
    return failure();
  attribute = Choice::get(parser.getContext(), *value);
  return success();
}

template <class Choice> static void printChoice(OpAsmPrinter &printer, Operation *, Choice attribute) {
  printer.getStream() << attribute.getValue();
}

#define GET_OP_CLASSES
#include "GiccOps.cpp.inc"

namespace gicc {

void GiccDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "GiccAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "GiccTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "GiccOps.cpp.inc"
      >();
}

LogicalResult GiccDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kFallback) {
    if (!isa<FlatSymbolRefAttr>(attribute.getValue()))
      return op->emitError() << "`gicc.fallback` names a function: `gicc.fallback = @recover`";
    if (!isa<FunctionOpInterface>(op))
      return op->emitError() << "`gicc.fallback` stands on kernels, and `" << op->getName() << "` is no function";
    return success();
  }
  if (attribute.getName() == kDomain)
    return op->emitError() << "`gicc.domain` stands on arguments of functions, as `%edge: memref<64xf32> {gicc.domain = @halo}`; other memory is not symmetric";
  // What the lowering leaves for level L.
  if (attribute.getName() == kDomains && isa<FunctionOpInterface>(op) && isa<StringAttr>(attribute.getValue()))
    return success();
  if (attribute.getName() != kKernel)
    return op->emitError() << "the dialect `gicc` has no attribute " << attribute.getName()
                           << "; on functions there are `gicc.kernel` and `gicc.fallback`, on their arguments `gicc.domain`";
  if (!isa<UnitAttr>(attribute.getValue()))
    return op->emitError() << "`gicc.kernel` has no value";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError() << "`gicc.kernel` marks functions, and `" << op->getName() << "` is none";
  if (function.isExternal())
    return op->emitError() << "a kernel has a body";
  ArrayRef<Type> results = function.getResultTypes();
  if (results.size() > 1 || (results.size() == 1 && !isa<LLVM::LLVMVoidType>(results[0])))
    return op->emitError() << "a kernel returns nothing";
  return success();
}

LogicalResult GiccDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument, NamedAttribute attribute) {
  if (attribute.getName() != kDomain)
    return op->emitError() << "the dialect `gicc` has no attribute " << attribute.getName() << " of arguments; there is `gicc.domain`";
  return verifyDomains(op, argument, attribute.getValue());
}

} // namespace gicc

extern "C" {
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Gicc, gicc);
}
MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Gicc, gicc, gicc::GiccDialect)
