// What several verifiers ask of buffers, signals, counts and symbols. Each check says what is wrong at the operation, with
// a note at the place that it disagrees with.
#pragma once

#include <optional>

#include "Gicc.h"

namespace gicc {

using Effects = llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance>;

/// The error words: every operation that can fail writes them, check_error reads them.
struct ErrorWords : mlir::SideEffects::Resource::Base<ErrorWords> {
  llvm::StringRef getName() final { return "gicc::ErrorWords"; }
};

/// The operation orders memory: nothing may move across it.
void ordersMemory(Effects &effects);
/// The operation may set the error word.
void mayFail(Effects &effects);

/// Whether a memref's elements lie side by side in row-major order, as far as its type tells.
bool isContiguous(mlir::MemRefType type);
/// The number of elements of a memref of static shape.
std::optional<int64_t> staticElements(mlir::Type type);
/// The largest number that a PE may have.
constexpr int64_t kLastPe = 32766;
/// The constant that an operand is.
std::optional<int64_t> constantOf(mlir::Value value);
/// Whether elements of the type can be moved as bytes.
bool isMovable(mlir::Type type);

/// The operand can be symmetric: it lies in global memory, and is no variable of the kernel's or the module's. `what` names
/// the operand.
mlir::LogicalResult verifySymmetric(mlir::Operation *op, mlir::Value value, llvm::StringRef what);
/// Memory that all blocks of a grid mean the same by.
mlir::LogicalResult verifyOneForAll(mlir::Operation *op, mlir::Value value, llvm::StringRef what);
/// A buffer whose elements lie side by side.
mlir::LogicalResult verifyContiguous(mlir::Operation *op, mlir::Value value, llvm::StringRef what);
/// A symmetric word of 64 bits.
mlir::LogicalResult verifySignal(mlir::Operation *op, mlir::Value signal);
/// A PE that can exist.
mlir::LogicalResult verifyPe(mlir::Operation *op, mlir::Value pe);
/// Start, stride and number of PEs of a part of the PEs, as far as they are known, where no `team` says which it is.
mlir::LogicalResult verifyPart(mlir::Operation *op, mlir::FlatSymbolRefAttr team, mlir::OperandRange part);
/// A count that is not negative, and not more than `limit` where that is known.
mlir::LogicalResult verifyCount(mlir::Operation *op, mlir::Value count, std::optional<int64_t> limit,
                                llvm::StringRef what);

/// The value that a view is a view of.
mlir::Value originOf(mlir::Value value);
/// The memory that a value of the type lies in, where it cannot be symmetric.
std::optional<llvm::StringRef> foreignMemory(mlir::Type type);
/// A function's argument is in the domains that its attribute names.
mlir::LogicalResult verifyDomains(mlir::Operation *function, unsigned argument, mlir::Attribute domains);
/// A destination is not known to be in other domains alone.
mlir::LogicalResult verifyMember(mlir::Operation *op, mlir::Value destination, mlir::FlatSymbolRefAttr domain);

/// Two buffers and how many elements of which type of them are meant.
struct Elements {
  mlir::Value to, from;
  llvm::StringRef toName, fromName;
  mlir::Value count;
  std::optional<mlir::Type> element;
};
/// The element type of both, found and the same; null after an error.
mlir::Type verifyElements(mlir::Operation *op, const Elements &elements);

/// A symbol that is what the operation takes it for, looked for from the operation outwards. `Declaration` is the
/// operation that declares it.
mlir::Operation *lookUp(mlir::Operation *from, mlir::FlatSymbolRefAttr name);
template <class Declaration>
mlir::LogicalResult verifyReference(mlir::Operation *op, mlir::FlatSymbolRefAttr name, llvm::StringRef what) {
  if (!name)
    return mlir::success();
  mlir::Operation *found = lookUp(op, name);
  if (!found)
    return op->emitOpError() << name << " is not declared; a " << what << " is declared with `gicc." << what << "`";
  if (mlir::isa<Declaration>(found))
    return mlir::success();
  mlir::InFlightDiagnostic error = op->emitOpError() << name << " is no " << what;
  error.attachNote(found->getLoc()) << name << " is declared here";
  return error;
}

} // namespace gicc
