// What Rust asks of the dialect and of MLIR that MLIR's own C interface does not offer.
#include "Gicc.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

extern "C" {

/// The number of an attribute that is one of the dialect's enumerations; -1 of any other attribute.
int64_t giccEnumerationValue(MlirAttribute attribute) {
  return llvm::TypeSwitch<Attribute, int64_t>(unwrap(attribute))
      .Case<gicc::GroupAttr, gicc::CompareAttr, gicc::SignalActionAttr, gicc::OrderAttr, gicc::ScopeAttr, gicc::ProtocolAttr,
            gicc::ElementTypeAttr, gicc::ReduceKindAttr, gicc::AlgorithmAttr, gicc::CollectiveGroupAttr, gicc::EngineAttr>(
          [](auto a) { return static_cast<int64_t>(a.getValue()); })
      .Default([](Attribute) { return -1; });
}

/// The group of an event's type; -1 of any other type.
int64_t giccEventGroup(MlirType type) {
  auto event = dyn_cast<gicc::EventType>(unwrap(type));
  return event ? static_cast<int64_t>(event.getGroup()) : -1;
}

/// A channel's type, taken apart; false of any other type.
bool giccChannelType(MlirType type, MlirType *element, int64_t *protocol, int64_t *slots, int64_t *capacity) {
  auto channel = dyn_cast<gicc::ChannelType>(unwrap(type));
  if (!channel)
    return false;
  *element = wrap(channel.getElement());
  *protocol = static_cast<int64_t>(channel.getProtocol());
  *slots = channel.getSlots();
  *capacity = channel.getCapacity();
  return true;
}

/// Takes the domains of a function's arguments off them, and puts them down as one attribute of the function:
/// `gicc.domains = "0:halo,2:halo"`.
void giccGatherDomains(MlirOperation operation) {
  auto function = dyn_cast<FunctionOpInterface>(unwrap(operation));
  if (!function)
    return;
  auto attribute = StringAttr::get(function->getContext(), gicc::GiccDialect::kDomain);
  std::string text;
  for (unsigned n = 0; n < function.getNumArguments(); ++n) {
    Attribute domains = function.removeArgAttr(n, attribute);
    if (!domains)
      continue;
    domains.walk([&](FlatSymbolRefAttr name) {
      text += (text.empty() ? "" : ",") + std::to_string(n) + ":" + name.getValue().str();
    });
  }
  if (!text.empty())
    function->setAttr(gicc::GiccDialect::kDomains, StringAttr::get(function->getContext(), text));
}

/// Makes a pass known by its name, as `--pass-pipeline` spells it.
void giccRegisterPass(MlirPass (*create)()) {
  registerPass([create] { return std::unique_ptr<Pass>(unwrap(create())); });
}

/// Parses a module of which everything is known to be right; it is not verified. Null where it does not parse. All operations
/// get a place of the user's.
MlirModule giccParseUnverified(MlirLocation place, const char *text, size_t bytes) {
  Location location = unwrap(place);
  ParserConfig config(location.getContext(), /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(llvm::StringRef(text, bytes), config);
  if (module)
    module->walk([location](Operation *op) { op->setLoc(location); });
  return wrap(module.release());
}

/// Emits a remark.
void giccEmitRemark(MlirLocation location, const char *text) { emitRemark(unwrap(location)) << text; }

/// Emits a note behind an error: both places in one message.
void giccEmitErrorWithNote(MlirLocation location, const char *error, MlirLocation place, const char *note) {
  InFlightDiagnostic diagnostic = emitError(unwrap(location)) << error;
  diagnostic.attachNote(unwrap(place)) << note;
}
}
