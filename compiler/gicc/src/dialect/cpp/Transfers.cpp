// Transfers, signals and orderings.
#include "Checks.h"

using namespace mlir;

namespace gicc {

namespace {

/// put, get and initiate: both buffers, the count, the PE. `symmetric` is the end that lies on the peer.
template <class Op> LogicalResult verifyTransfer(Op op, Value symmetric, StringRef what) {
  std::optional<Type> element = op.getElement();
  if (!verifyElements(op, {op.getDestination(), op.getSource(), "destination", "source", op.getCount(), element}))
    return failure();
  std::optional<int64_t> to = staticElements(op.getDestination().getType());
  std::optional<int64_t> from = staticElements(op.getSource().getType());
  if (!op.getCount() && to && from && *to != *from)
    return op.emitOpError() << "the destination has " << *to << " elements and the source " << *from
                            << "; write how many are meant, as `count %n`, or take a part with memref.subview";
  if (failed(verifyCount(op, op.getCount(), to, "destination")) || failed(verifyCount(op, op.getCount(), from, "source")))
    return failure();
  if (failed(verifySymmetric(op, symmetric, what)))
    return failure();
  return verifyPe(op, op.getPe());
}

template <class Op> void transferEffects(Op op, Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &op.getSourceMutable());
  // The destination lies on a peer, which may be this PE: what is there is neither kept nor replaced for certain.
  effects.emplace_back(MemoryEffects::Read::get(), &op.getDestinationMutable());
  effects.emplace_back(MemoryEffects::Write::get(), &op.getDestinationMutable());
  mayFail(effects);
}

} // namespace

LogicalResult PutOp::verify() { return verifyTransfer(*this, getDestination(), "destination"); }
void PutOp::getEffects(Effects &effects) { transferEffects(*this, effects); }

LogicalResult GetOp::verify() { return verifyTransfer(*this, getSource(), "source"); }
void GetOp::getEffects(Effects &effects) { transferEffects(*this, effects); }

LogicalResult PutSignalOp::verify() {
  if (failed(verifyTransfer(*this, getDestination(), "destination")))
    return failure();
  return verifySignal(*this, getSignal());
}
void PutSignalOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult SendSignalOp::verify() {
  if (getOrder() != Order::Relaxed && getOrder() != Order::Release)
    return emitOpError() << "a signal is relaxed or releases; it cannot have the order `" << stringifyOrder(getOrder()) << "`";
  if (failed(verifySignal(*this, getSignal())))
    return failure();
  return verifyPe(*this, getPe());
}
void SendSignalOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult WaitOp::verify() {
  if (failed(verifySignal(*this, getSignal())))
    return failure();
  return verifyPe(*this, getSource());
}
void WaitOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult TestOp::verify() { return verifySignal(*this, getSignal()); }
void TestOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult ReleaseOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyReference<DomainOp>(*this, getDomainAttr(), "domain");
}
void ReleaseOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult AcquireOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyReference<DomainOp>(*this, getDomainAttr(), "domain");
}
void AcquireOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult BarrierOp::verify() { return verifyPart(*this, getTeamAttr(), getPart()); }
LogicalResult BarrierOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyReference<TeamOp>(*this, getTeamAttr(), "team");
}
void BarrierOp::getEffects(Effects &effects) { ordersMemory(effects); }

void QuietOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult InitiateOp::verify() {
  if (bool(getSignal()) != bool(getValue()) || bool(getSignal()) != bool(getAction()))
    return emitOpError() << "a signal has a word, an action and a value, and one of them is missing";
  if (failed(verifyTransfer(*this, getDestination(), "destination")))
    return failure();
  return getSignal() ? verifySignal(*this, getSignal()) : success();
}
LogicalResult InitiateOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyReference<DomainOp>(*this, getDomainAttr(), "domain")))
    return failure();
  return verifyMember(*this, getDestination(), getDomainAttr());
}
LogicalResult InitiateOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(EventType::get(context, adaptor.getGroup()));
  return success();
}
void InitiateOp::getEffects(Effects &effects) {
  // When the engine reads and writes is not said: it may be after this.
  ordersMemory(effects);
  mayFail(effects);
}

LogicalResult EventTestOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyReference<DomainOp>(*this, getDomainAttr(), "domain");
}
LogicalResult EventWaitOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyReference<DomainOp>(*this, getDomainAttr(), "domain");
}
void EventTestOp::getEffects(Effects &effects) { ordersMemory(effects); }
void EventWaitOp::getEffects(Effects &effects) { ordersMemory(effects); }

} // namespace gicc
