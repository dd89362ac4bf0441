// Checks that several operations share: see Checks.h.
#include "Checks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gicc {

void ordersMemory(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void mayFail(Effects &effects) { effects.emplace_back(MemoryEffects::Write::get(), ErrorWords::get()); }

bool isContiguous(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  int64_t expected = 1;
  for (auto [dimension, stride] : llvm::reverse(llvm::zip(type.getShape(), strides))) {
    if (dimension == 1)
      continue;
    // What lies further out than a dimension of unknown size has a stride that nobody knows.
    if (ShapedType::isDynamic(expected) || stride != expected)
      return false;
    expected = ShapedType::isDynamic(dimension) ? ShapedType::kDynamic : expected * dimension;
  }
  return true;
}

/// As many elements of any type fit into an address space.
static constexpr int64_t kMostElements = int64_t(1) << 48;

std::optional<int64_t> staticElements(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !memref.hasStaticShape())
    return std::nullopt;
  int64_t elements = 1;
  for (int64_t dimension : memref.getShape())
    if (llvm::MulOverflow(elements, dimension, elements))
      return kMostElements + 1;
  return elements;
}

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

bool isMovable(Type type) {
  if (auto vector = dyn_cast<VectorType>(type)) {
    // Longer ones are no elements of anything, and their sizes would not fit into 64 bits.
    constexpr int64_t most = 1024;
    int64_t lanes = 1;
    for (int64_t dimension : vector.getShape())
      if (llvm::MulOverflow(lanes, dimension, lanes) || lanes > most)
        return false;
    return !vector.isScalable() && lanes > 0 && isMovable(vector.getElementType());
  }
  if (auto complex = dyn_cast<ComplexType>(type))
    return isMovable(complex.getElementType());
  if (type.isIndex())
    return true;
  unsigned width = isa<IntegerType, FloatType>(type) ? type.getIntOrFloatBitWidth() : 0;
  return width == 8 || width == 16 || width == 32 || width == 64;
}

std::optional<StringRef> foreignMemory(Type type) {
  int64_t space = 0;
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    space = pointer.getAddressSpace();
  else if (auto memref = dyn_cast<BaseMemRefType>(type))
    if (Attribute attribute = memref.getMemorySpace()) {
      if (auto number = dyn_cast<IntegerAttr>(attribute)) {
        space = number.getInt();
      } else {
        // #gpu.address_space<workgroup>, by its text: this library does without the GPU dialect.
        std::string text;
        llvm::raw_string_ostream(text) << attribute;
        space = StringRef(text).contains("workgroup") ? 3 : StringRef(text).contains("private") ? 5 : 0;
      }
    }
  switch (space) {
  case 0:
  case 1:
    return std::nullopt;
  case 3:
    return StringRef("shared memory");
  case 4:
    return StringRef("constant memory");
  case 5:
    return StringRef("a thread's own memory");
  default:
    return StringRef("a memory space that gicc does not know");
  }
}

Value originOf(Value value) {
  for (int steps = 0; steps < 1000; ++steps) {
    Operation *op = value.getDefiningOp();
    if (auto view = dyn_cast_or_null<ViewLikeOpInterface>(op))
      value = view.getViewSource();
    else if (auto element = dyn_cast_or_null<LLVM::GEPOp>(op))
      value = element.getBase();
    else if (auto cast = dyn_cast_or_null<LLVM::AddrSpaceCastOp>(op))
      value = cast.getArg();
    else
      break;
  }
  return value;
}

namespace {

/// What an operation makes, where that cannot be symmetric.
std::optional<StringRef> foreignOrigin(Operation *op) {
  if (!op)
    return std::nullopt;
  StringRef name = op->getName().getStringRef();
  if (name == "memref.alloca" || name == "llvm.alloca")
    return StringRef("a local variable");
  if (name == "memref.alloc")
    return StringRef("allocated by the kernel");
  if (name == "memref.get_global" || name == "llvm.mlir.addressof")
    return StringRef("a variable of the module");
  if (name == "llvm.mlir.zero")
    return StringRef("a null pointer");
  return std::nullopt;
}

} // namespace

LogicalResult verifySymmetric(Operation *op, Value value, StringRef what) {
  constexpr StringLiteral why = "; a peer's copy is found at the same offset of the symmetric heap, and other memory has none";
  if (std::optional<StringRef> memory = foreignMemory(value.getType())) {
    InFlightDiagnostic error = op->emitOpError() << "the " << what << " is in " << *memory << why;
    error.attachNote(value.getLoc()) << "the " << what << " is defined here";
    return error;
  }
  Value origin = originOf(value);
  std::optional<StringRef> found = foreignOrigin(origin.getDefiningOp());
  if (!found)
    if (std::optional<StringRef> memory = foreignMemory(origin.getType()))
      found = *memory;
  if (!found)
    return success();
  InFlightDiagnostic error = op->emitOpError() << "the " << what << " is " << *found << why;
  error.attachNote(origin.getLoc()) << "it comes from here";
  return error;
}

LogicalResult verifyOneForAll(Operation *op, Value value, StringRef what) {
  Value origin = originOf(value);
  std::optional<StringRef> memory = foreignMemory(value.getType());
  if (!memory)
    memory = foreignMemory(origin.getType());
  if (!memory && origin.getDefiningOp() && origin.getDefiningOp()->getName().getStringRef().ends_with(".alloca"))
    memory = "a thread's own memory";
  if (!memory || *memory == "constant memory")
    return success();
  InFlightDiagnostic error = op->emitOpError() << "the " << what << " is in " << *memory << ", and all blocks of the grid take part";
  error.attachNote(origin.getLoc()) << "the " << what << " is defined here";
  return error;
}

LogicalResult verifyContiguous(Operation *op, Value value, StringRef what) {
  auto memref = dyn_cast<MemRefType>(value.getType());
  std::optional<int64_t> elements = staticElements(value.getType());
  if (elements && *elements > kMostElements)
    return op->emitOpError() << "the " << what << ", of type " << memref << ", has more elements than memory can hold";
  if (!memref || isContiguous(memref))
    return success();
  InFlightDiagnostic error = op->emitOpError() << "the elements of the " << what << ", of type " << memref
                                               << ", are not known to lie side by side; what is moved has to be contiguous";
  error.attachNote(value.getLoc()) << "the " << what << " is defined here";
  return error;
}

LogicalResult verifySignal(Operation *op, Value signal) {
  if (auto memref = dyn_cast<MemRefType>(signal.getType())) {
    if (!memref.getElementType().isInteger(64))
      return op->emitOpError() << "a signal is a word of 64 bits, and this one has elements of " << memref.getElementType();
    if (staticElements(memref) != 1)
      return op->emitOpError() << "a signal is one word, and " << memref
                               << " is not: take the word with memref.subview";
  }
  return verifySymmetric(op, signal, "signal");
}

LogicalResult verifyPe(Operation *op, Value pe) {
  std::optional<int64_t> number = constantOf(pe);
  if (!number || *number >= 0)
    return success();
  return op->emitOpError() << "PE " << *number << " does not exist: PEs count from 0";
}

LogicalResult verifyPart(Operation *op, FlatSymbolRefAttr team, OperandRange part) {
  if (part.empty())
    return success();
  if (team)
    return op->emitOpError() << "one team takes part: either `in " << team << "`, or `part(...)`";
  if (part.size() != 3)
    return op->emitOpError() << "a part of the PEs has a start, a stride and a number of PEs, as `part(%start, %stride, %pes)`";
  std::optional<int64_t> start = constantOf(part[0]), stride = constantOf(part[1]), pes = constantOf(part[2]);
  if (start && *start < 0)
    return op->emitOpError() << "a part of the PEs cannot start with PE " << *start;
  if (stride && *stride < 1)
    return op->emitOpError() << "a part of the PEs cannot have a stride of " << *stride;
  if (pes && *pes < 1)
    return op->emitOpError() << "a part of the PEs cannot have " << *pes << " PEs";
  if (start && stride && pes && *start + (*pes - 1) * *stride > kLastPe)
    return op->emitOpError() << "the part's last PE would be " << *start + (*pes - 1) * *stride << ": PEs count up to " << kLastPe;
  return success();
}

LogicalResult verifyCount(Operation *op, Value count, std::optional<int64_t> limit, StringRef what) {
  std::optional<int64_t> number = constantOf(count);
  if (!number)
    return success();
  if (*number < 0)
    return op->emitOpError() << "the count is negative: " << *number;
  if (limit && *number > *limit)
    return op->emitOpError() << "the count of " << *number << " is more than the " << *limit << " elements of the " << what;
  return success();
}

Type verifyElements(Operation *op, const Elements &e) {
  auto to = dyn_cast<MemRefType>(e.to.getType());
  auto from = dyn_cast<MemRefType>(e.from.getType());
  Type element = e.element ? *e.element : to ? to.getElementType() : from ? from.getElementType() : Type();
  if (!element) {
    op->emitOpError() << "between pointers the element type has to be written, as `of f32`";
    return {};
  }
  if (!isMovable(element)) {
    op->emitOpError() << "elements of " << element << " cannot be moved: numbers of 8, 16, 32 or 64 bits, and vectors of up to 1024 of them, can";
    return {};
  }
  const std::pair<MemRefType, StringRef> ends[] = {{to, e.toName}, {from, e.fromName}};
  for (auto [memref, name] : ends)
    if (memref && memref.getElementType() != element) {
      if (e.element)
        op->emitOpError() << "the elements are said to be " << element << ", and the " << name << " has " << memref.getElementType();
      else
        op->emitOpError() << "the " << e.toName << " has elements of " << to.getElementType() << ", and the " << e.fromName
                          << " of " << from.getElementType();
      return {};
    }
  if (failed(verifyContiguous(op, e.to, e.toName)) || failed(verifyContiguous(op, e.from, e.fromName)))
    return {};
  if (!e.count && !to && !from) {
    op->emitOpError() << "between pointers the number of elements has to be written, as `count %n`";
    return {};
  }
  return element;
}

Operation *lookUp(Operation *from, FlatSymbolRefAttr name) {
  for (Operation *table = SymbolTable::getNearestSymbolTable(from); table;) {
    if (Operation *found = SymbolTable::lookupSymbolIn(table, name.getAttr()))
      return found;
    Operation *parent = table->getParentOp();
    table = parent ? SymbolTable::getNearestSymbolTable(parent) : nullptr;
  }
  return nullptr;
}

} // namespace gicc
