// Collectives.
#include "Checks.h"

using namespace mlir;

namespace gicc {

namespace {

/// A type that collectives compute with.
bool isCollectiveElement(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64);
}

/// What both collectives ask; the element type, or null after an error.
template <class Op> Type verifyCollective(Op op) {
  Type element = verifyElements(op, {op.getOut(), op.getIn(), "result", "input", op.getCount(), op.getElement()});
  if (!element)
    return {};
  if (!isCollectiveElement(element)) {
    op.emitOpError() << "there is no collective of " << element << ": f16, bf16, f32, f64, i32, ui32, i64 and ui64 there are";
    return {};
  }
  return element;
}

/// A team that exists, or the numbers of one that is known at run time only.
template <class Op> LogicalResult verifyTeam(Op op) {
  return verifyReference<TeamOp>(op, op.getTeamAttr(), "team");
}

/// All blocks of the grid take part: memory of one block or thread is none of all.
template <class Op> LogicalResult verifyGrid(Op op) {
  if (op.getGroup() != CollectiveGroup::Grid)
    return success();
  if (failed(verifyOneForAll(op, op.getOut(), "result")))
    return failure();
  return verifyOneForAll(op, op.getIn(), "input");
}

} // namespace

LogicalResult AllReduceOp::verify() {
  Type element = verifyCollective(*this);
  if (!element)
    return failure();
  bool isInteger = isa<IntegerType>(element);
  bool isBitwise = getKind() == ReduceKind::And || getKind() == ReduceKind::Or || getKind() == ReduceKind::Xor;
  if (isBitwise && !isInteger)
    return emitOpError() << "`" << stringifyReduceKind(getKind()) << "` is of bits, and " << element << " is no integer";
  if (getIsUnsigned() && (!isInteger || element.isSignedInteger()))
    return emitOpError() << element << " cannot be taken as unsigned";
  if (getAlgorithm() == Algorithm::Direct)
    return emitOpError() << "all_reduce has no algorithm `direct`: it has auto, one_shot, two_shot and ring";
  std::optional<int64_t> out = staticElements(getOut().getType()), in = staticElements(getIn().getType());
  if (!getCount() && out && in && *out != *in)
    return emitOpError() << "the result has " << *out << " elements and the input " << *in
                         << "; write how many are meant, as `count %n`";
  if (failed(verifyCount(*this, getCount(), out, "result")) || failed(verifyCount(*this, getCount(), in, "input")))
    return failure();
  if (failed(verifyPart(*this, getTeamAttr(), getPart())))
    return failure();
  return verifyGrid(*this);
}
LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyTeam(*this);
}
void AllReduceOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult AllGatherOp::verify() {
  if (!verifyCollective(*this))
    return failure();
  if (getAlgorithm() != Algorithm::Auto && getAlgorithm() != Algorithm::Direct && getAlgorithm() != Algorithm::Ring)
    return emitOpError() << "all_gather has no algorithm `" << stringifyAlgorithm(getAlgorithm()) << "`: it has auto, direct and ring";
  std::optional<int64_t> out = staticElements(getOut().getType()), in = staticElements(getIn().getType());
  std::optional<int64_t> each = getCount() ? constantOf(getCount()) : in;
  if (failed(verifyCount(*this, getCount(), in, "input")))
    return failure();
  if (each && out && *each > 0 && (*out == 0 || (!getCount() && *out % *each != 0) || *out < *each))
    return emitOpError() << "the result has " << *out << " elements, which are no whole number of PEs with " << *each << " each";
  if (!getCount() && !isa<MemRefType>(getIn().getType()))
    return emitOpError() << "from a pointer the number of elements has to be written, as `count %n`";
  if (failed(verifyPart(*this, getTeamAttr(), getPart())))
    return failure();
  return verifyGrid(*this);
}
LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &) {
  if (failed(verifyTeam(*this)))
    return failure();
  if (!getTeamAttr())
    return success();
  auto team = cast<TeamOp>(lookUp(*this, getTeamAttr()));
  std::optional<int64_t> out = staticElements(getOut().getType()), in = staticElements(getIn().getType());
  if (!team.getPes() || getCount() || !out || !in || *out == *in * int64_t(*team.getPes()))
    return success();
  InFlightDiagnostic error = emitOpError() << "the result has " << *out << " elements, and " << *team.getPes() << " PEs have "
                                           << *in * int64_t(*team.getPes());
  error.attachNote(team.getLoc()) << "the team is declared here";
  return error;
}
void AllGatherOp::getEffects(Effects &effects) { ordersMemory(effects); }

} // namespace gicc
