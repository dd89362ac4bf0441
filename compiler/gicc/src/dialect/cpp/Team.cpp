// Teams, domains, PE numbers, addresses on peers.
#include "Checks.h"

using namespace mlir;

namespace gicc {

LogicalResult DomainOp::verify() {
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

LogicalResult MyPeOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyReference<TeamOp>(*this, getTeamAttr(), "team");
}

LogicalResult NPesOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyReference<TeamOp>(*this, getTeamAttr(), "team");
}

LogicalResult PeerPtrOp::verify() {
  if (failed(verifySymmetric(*this, getSymmetric(), "address")))
    return failure();
  return verifyPe(*this, getPe());
}

void PeerPtrOp::getEffects(Effects &effects) { mayFail(effects); }

// The group meets.
void CheckErrorOp::getEffects(Effects &effects) { ordersMemory(effects); }

void ErrorCodeOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), ErrorWords::get());
}

} // namespace gicc
