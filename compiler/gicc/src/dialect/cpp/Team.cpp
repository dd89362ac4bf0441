// Teams, PE numbers, addresses on peers.
#include "Checks.h"

using namespace mlir;

namespace gicc {

LogicalResult TeamOp::verify() {
  if (!isPart())
    return success();
  if (!getPes())
    return emitOpError() << "a part of the PEs says how many it has, as `pes(4)`";
  int64_t last = getStart().value_or(0) + (*getPes() - 1) * getStride().value_or(1);
  if (last > kLastPe)
    return emitOpError() << "its last PE would be " << last << ": PEs count up to " << kLastPe;
  // What the program says of all PEs holds for its parts.
  for (Operation &other : (*this)->getBlock()->getOperations()) {
    auto all = dyn_cast<TeamOp>(other);
    if (!all || all.isPart() || !all.getPes() || last < int64_t(*all.getPes()))
      continue;
    InFlightDiagnostic error = emitOpError() << "its last PE would be " << last << ", and the program is for " << *all.getPes() << " PEs";
    error.attachNote(all.getLoc()) << "`@" << all.getSymName() << "` says so";
    return error;
  }
  return success();
}

/// A team of the program, and a PE that it has, as far as both are known.
static LogicalResult verifyPeOf(Operation *op, FlatSymbolRefAttr name, Value pe) {
  if (failed(verifyReference<TeamOp>(op, name, "team")))
    return failure();
  std::optional<int64_t> number = constantOf(pe);
  if (!name || !number)
    return success();
  auto team = cast<TeamOp>(lookUp(op, name));
  if (!team.isPart() || (*number >= 0 && *number < static_cast<int64_t>(*team.getPes())))
    return success();
  InFlightDiagnostic error = op->emitOpError() << "PE " << *number << " does not exist in " << name << ", which has " << *team.getPes();
  error.attachNote(team.getLoc()) << "the team is declared here";
  return error;
}

LogicalResult WorldPeOp::verifySymbolUses(SymbolTableCollection &) { return verifyPeOf(*this, getTeamAttr(), getPe()); }

LogicalResult PeerPtrOp::verifySymbolUses(SymbolTableCollection &) { return verifyPeOf(*this, getTeamAttr(), getPe()); }

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
