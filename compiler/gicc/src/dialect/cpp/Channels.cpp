// Channels: their type, their ends, and that all ends of one name agree.
#include "Checks.h"

#include "Sizes.h"

using namespace mlir;

namespace gicc {

/// Bytes of an element that is moved.
static int64_t bytesOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return llvm::PowerOf2Ceil(vector.getNumElements() * bytesOf(vector.getElementType()));
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * bytesOf(complex.getElementType());
  return type.isIndex() ? 8 : type.getIntOrFloatBitWidth() / 8;
}

/// What a channel needs of each PE's memory, as `gicc/gicc.cuh` computes it.
struct Needs {
  int64_t words, elements;
};
static Needs needsOf(ChannelType type) {
  int64_t element = bytesOf(type.getElement()), slot = type.getCapacity() * element;
  int64_t elements = type.getSlots() * type.getCapacity();
  if (type.getProtocol() != Protocol::Ll && type.getProtocol() != Protocol::Automatic)
    return {sizes::channelWords, elements};
  bool both = type.getProtocol() == Protocol::Automatic;
  int64_t short_slot = both ? std::min<int64_t>(slot, sizes::llBelow) : slot;
  int64_t data = slot <= sizes::largestSlotOf8 ? 8 : 12;
  int64_t packets = 2 * type.getSlots() * llvm::divideCeil(short_slot, data);
  if (both)
    elements += llvm::divideCeil(type.getSlots() * short_slot, element);
  return {sizes::packetsOffset + packets * sizes::packetWords, elements};
}

LogicalResult ChannelType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type element, Protocol protocol,
                                  int64_t slots, int64_t capacity) {
  if (!isMovable(element))
    return emitError() << "elements of " << element << " cannot be moved: numbers of 8, 16, 32 or 64 bits, and vectors of up to 1024 of them, can";
  if (slots < 1)
    return emitError() << "a channel has at least one slot, and this one " << slots;
  if (capacity < 1)
    return emitError() << "a slot holds at least one element, and this one " << capacity;
  if (protocol == Protocol::Automatic && slots > 32)
    return emitError() << "a channel of both protocols has at most 32 slots, and this one " << slots;
  if (slots > INT32_MAX || capacity > INT64_MAX / (1 << 20) / slots)
    return emitError() << slots << " slots of " << capacity << " elements are more than memory can hold";
  return success();
}

LogicalResult ChannelOp::verify() {
  ChannelType type = getChannel().getType();
  if (type.getProtocol() == Protocol::Bulk || type.getProtocol() == Protocol::Queue)
    return emitOpError() << "the protocol `" << stringifyProtocol(type.getProtocol()) << "` is not built: simple, ll and automatic are";
  Needs needs = needsOf(type);
  if (auto state = dyn_cast<MemRefType>(getState().getType())) {
    if (!state.getElementType().isInteger(64) || !isContiguous(state) || staticElements(state).value_or(needs.words) < needs.words)
      return emitOpError() << "this channel's words are " << needs.words << " side by side of 64 bits, and " << state << " is not that";
  }
  if (failed(verifySymmetric(*this, getState(), "channel's state")))
    return failure();
  if (auto buffer = dyn_cast<MemRefType>(getBuffer().getType())) {
    if (buffer.getElementType() != type.getElement())
      return emitOpError() << "the channel carries elements of " << type.getElement() << ", and its buffer has " << buffer.getElementType();
    if (staticElements(buffer).value_or(needs.elements) < needs.elements)
      return emitOpError() << type.getSlots() << " slots of " << type.getCapacity() << " elements need " << needs.elements
                           << " elements, and the buffer has " << *staticElements(buffer);
  }
  if (failed(verifyContiguous(*this, getBuffer(), "buffer")) || failed(verifySymmetric(*this, getBuffer(), "buffer")))
    return failure();
  if (llvm::none_of(getChannel().getUsers(), [](Operation *user) { return isa<ChannelCloseOp>(user); }))
    return emitOpError() << "the channel is never closed, and its counters would be lost: close it with `gicc.channel_close`";
  return success();
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
  auto slot = dyn_cast<MemRefType>(getSlot().getType());
  if (slot && (slot.getElementType() != type.getElement() || !slot.hasStaticShape() || !slot.getLayout().isIdentity() ||
               slot.getMemorySpace() || staticElements(slot) > type.getCapacity()))
    return emitOpError() << "a slot is memref<" << type.getCapacity() << "x" << type.getElement()
                         << ">, or has another shape of no more elements, and " << slot << " is not that";
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(getSlot().getType());
  if (pointer && pointer.getAddressSpace() != 0)
    return emitOpError() << "a slot's address is generic, and " << pointer << " is not";
  if (pointer && !getCount() && type.getProtocol() != Protocol::Simple)
    return emitOpError() << "the protocol `" << stringifyProtocol(type.getProtocol())
                         << "` needs the length of the message, as `count %n`";
  if (failed(verifyCount(*this, getCount(), type.getCapacity(), "slot")))
    return failure();
  return verifyPe(*this, getPe());
}
void ChannelWaitOp::getEffects(Effects &effects) { ordersMemory(effects); }

void ChannelDoneOp::getEffects(Effects &effects) { ordersMemory(effects); }

void ChannelCloseOp::getEffects(Effects &effects) { ordersMemory(effects); }

} // namespace gicc
