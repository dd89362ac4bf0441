// The dialect's C++ declarations, as mlir-tblgen makes them of ods/.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "GiccDialect.h.inc"

#include "GiccEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "GiccAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "GiccTypes.h.inc"

#define GET_OP_CLASSES
#include "GiccOps.h.inc"
