// The dialect, its resources, and what several operations share.
#ifndef GICC_BASE
#define GICC_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"

def Gicc_Dialect : Dialect {
  let name = "gicc";
  let cppNamespace = "::gicc";
  let summary = "Communication that a GPU starts itself";
  let description = [{
    What is communicated between the GPUs (PEs) of a team: transfers, signals, channels and collectives. Each operation is
    lowered to calls of gicc's intrinsics (`__gicc_*`); collectives are expanded before. What an operation means under
    the PTX memory model stands in RATIONALE.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Marks a function as a kernel: `func.func @k() attributes {gicc.kernel}`.
    static constexpr ::llvm::StringLiteral kKernel = "gicc.kernel";
    /// Names the function that a kernel calls where its communication failed and errors are checked strictly.
    static constexpr ::llvm::StringLiteral kFallback = "gicc.fallback";
    /// Puts a buffer in domains: `func.func @k(%edge: memref<64xf32> {gicc.domain = @halo})`, or `[@halo, @rows]`.
    static constexpr ::llvm::StringLiteral kDomain = "gicc.domain";
    /// The same of all arguments, on a lowered function: `gicc.domains = "0:halo,2:halo"`.
    static constexpr ::llvm::StringLiteral kDomains = "gicc.domains";
  }];
}

class Gicc_EnumAttr<EnumInfo info, string spelling> : EnumAttr<Gicc_Dialect, info, spelling>;

// Numbers are those of runtime/abi; the build writes this file from there.
include "Codes.td"


// What follows is spelt in this dialect only.
def Gicc_CollectiveGroupEnum : I32EnumAttr<"CollectiveGroup", "who does a collective together",
    [I32EnumAttrCase<"Block", 2, "block">, I32EnumAttrCase<"Grid", 3, "grid">]> {
  let cppNamespace = "::gicc";
  let genSpecializedAttr = 0;
}
def Gicc_CollectiveGroupAttr : Gicc_EnumAttr<Gicc_CollectiveGroupEnum, "collective_group">;

class Gicc_Op<string mnemonic, list<Trait> traits = []> : Op<Gicc_Dialect, mnemonic, traits>;

/// A place in memory: typed and shaped, or only an address.
def Gicc_Buffer : AnyTypeOf<[LLVM_AnyPointer, AnyMemRef], "LLVM pointer or memref">;

/// A number of elements.
def Gicc_Count : AnyTypeOf<[Index, I32, I64], "index, i32 or i64">;

#endif
