// Channels: their type, their ends, and that all ends of one name agree.
#include "Checks.h"

using namespace mlir;

namespace gicc {

/// Words of a channel (gicc_channel_state).
static constexpr int64_t kWords = 4;

LogicalResult ChannelType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type element, Protocol protocol,
                                  int64_t slots, int64_t capacity) {
  if (!isMovable(element))
    return emitError() << "elements of " << element << " cannot be moved: numbers of 8, 16, 32 or 64 bits, and vectors of them, can";
  if (slots < 1)
    return emitError() << "a channel has at least one slot, and this one " << slots;
  if (capacity < 1)
    return emitError() << "a slot holds at least one element, and this one " << capacity;
  if (slots > INT32_MAX || capacity > INT64_MAX / 16 / slots)
    return emitError() << slots << " slots of " << capacity << " elements are more than memory can hold";
  return success();
}

LogicalResult ChannelOp::verify() {
  ChannelType type = getChannel().getType();
  if (auto state = dyn_cast<MemRefType>(getState().getType())) {
    if (!state.getElementType().isInteger(64) || !isContiguous(state) || (state.hasStaticShape() && state.getNumElements() < kWords))
      return emitOpError() << "a channel's words are " << kWords << " side by side of 64 bits, and " << state << " is not that";
  }
  if (failed(verifySymmetric(*this, getState(), "channel's state")))
    return failure();
  if (auto buffer = dyn_cast<MemRefType>(getBuffer().getType())) {
    if (buffer.getElementType() != type.getElement())
      return emitOpError() << "the channel carries elements of " << type.getElement() << ", and its buffer has " << buffer.getElementType();
    int64_t needed = type.getSlots() * type.getCapacity();
    if (buffer.hasStaticShape() && buffer.getNumElements() < needed)
      return emitOpError() << type.getSlots() << " slots of " << type.getCapacity() << " elements need " << needed
                           << " elements, and the buffer has " << buffer.getNumElements();
  }
  if (failed(verifyContiguous(*this, getBuffer(), "buffer")))
    return failure();
  return verifySymmetric(*this, getBuffer(), "buffer");
}

/// What two types of one channel disagree in.
static std::string difference(ChannelType here, ChannelType there) {
  std::string text;
  llvm::raw_string_ostream out(text);
  StringRef separator = "";
  auto say = [&](StringRef what, auto a, auto b) {
    if (a == b)
      return;
    out << separator << what << " (" << a << " and " << b << ")";
    separator = ", ";
  };
  say("element", here.getElement(), there.getElement());
  say("protocol", stringifyProtocol(here.getProtocol()), stringifyProtocol(there.getProtocol()));
  say("slots", here.getSlots(), there.getSlots());
  say("capacity", here.getCapacity(), there.getCapacity());
  return text;
}

LogicalResult ChannelOp::verifySymbolUses(SymbolTableCollection &) {
  Operation *root = getOperation();
  while (Operation *parent = root->getParentOp())
    root = parent;
  ChannelOp other;
  root->walk([&](ChannelOp end) {
    if (end == *this)
      return WalkResult::interrupt();
    if (end.getNameAttr() != getNameAttr() || end.getChannel().getType() == getChannel().getType())
      return WalkResult::advance();
    other = end;
    return WalkResult::interrupt();
  });
  if (!other)
    return success();
  InFlightDiagnostic error = emitOpError() << "the ends of channel " << getNameAttr() << " disagree in "
                                           << difference(getChannel().getType(), other.getChannel().getType());
  error.attachNote(other.getLoc()) << "the other end is opened here";
  return error;
}
void ChannelOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult ChannelPutOp::verify() {
  ChannelType type = getChannel().getType();
  auto source = dyn_cast<MemRefType>(getSource().getType());
  if (source && source.getElementType() != type.getElement())
    return emitOpError() << "the channel carries elements of " << type.getElement() << ", and the source has " << source.getElementType();
  if (!source && !getCount())
    return emitOpError() << "from a pointer the number of elements has to be written, as `count %n`";
  if (failed(verifyContiguous(*this, getSource(), "source")))
    return failure();
  std::optional<int64_t> elements = staticElements(getSource().getType());
  if (!getCount() && elements && *elements > type.getCapacity())
    return emitOpError() << "the source has " << *elements << " elements, and a slot holds " << type.getCapacity();
  if (failed(verifyCount(*this, getCount(), elements, "source")) ||
      failed(verifyCount(*this, getCount(), type.getCapacity(), "slot")))
    return failure();
  return verifyPe(*this, getPe());
}
void ChannelPutOp::getEffects(Effects &effects) { ordersMemory(effects); }

LogicalResult ChannelWaitOp::verify() {
  ChannelType type = getChannel().getType();
  if (auto slot = dyn_cast<MemRefType>(getSlot().getType()))
    if (slot.getElementType() != type.getElement() || !slot.hasStaticShape() || !slot.getLayout().isIdentity() ||
        slot.getMemorySpace() || slot.getNumElements() != type.getCapacity())
      return emitOpError() << "a slot is memref<" << type.getCapacity() << "x" << type.getElement() << "> or another shape of as many elements, and "
                           << slot << " is not that";
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(getSlot().getType()))
    if (pointer.getAddressSpace() != 0)
      return emitOpError() << "a slot's address is generic, and " << pointer << " is not";
  return verifyPe(*this, getPe());
}
void ChannelWaitOp::getEffects(Effects &effects) { ordersMemory(effects); }

void ChannelDoneOp::getEffects(Effects &effects) { ordersMemory(effects); }

} // namespace gicc
