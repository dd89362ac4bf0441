// Collectives: the algorithm is chosen, and expanded, by the compiler.
#ifndef GICC_COLLECTIVE
#define GICC_COLLECTIVE

include "Types.td"

class Gicc_CollectiveOp<string mnemonic>
    : Gicc_Op<mnemonic, [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                         DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let hasVerifier = 1;
}

def Gicc_AllReduceOp : Gicc_CollectiveOp<"all_reduce"> {
  let summary = "reduces elements over all PEs; every PE has the whole result";
  let description = [{
    `gicc.all_reduce block sum %out, %in algorithm(ring) : memref<1024xf32>, memref<1024xf32>`. `block`: the blocks of this
    index on all PEs take part. `grid`: all blocks of the grid, each a slice, and the result is visible to the whole grid
    afterwards. The result is the same on every PE, bit for bit. `%out` may be `%in`. With `unsigned` signless integers are
    compared as unsigned ones.

    `in @column` lets the members of a declared team take part alone, `part(%start, %stride, %pes)` those of one that is known at
    run time only: PEs `%start`, `%start + %stride` and so on. Only members execute it. Several teams may do so at once; PEs
    that are in two of them execute their collectives in one order.
  }];
  let arguments = (ins Gicc_CollectiveGroupAttr:$group, Gicc_ReduceKindAttr:$kind, Gicc_Buffer:$out, Gicc_Buffer:$in,
                       Optional<Gicc_Count>:$count, OptionalAttr<TypeAttr>:$element,
                       DefaultValuedAttr<Gicc_AlgorithmAttr, "::gicc::Algorithm::Auto">:$algorithm,
                       UnitAttr:$is_unsigned, OptionalAttr<FlatSymbolRefAttr>:$team, Variadic<I32>:$part);
  let assemblyFormat = [{
    custom<Choice>($group) custom<Choice>($kind) $out `,` $in (`count` $count^)? (`of` $element^)? (`unsigned` $is_unsigned^)?
    (`algorithm` `(` custom<Choice>($algorithm)^ `)`)? (`in` $team^)? (`part` `(` $part^ `)`)? attr-dict `:` type($out) `,` type($in) (`,` type($count)^)?
  }];
}

def Gicc_AllGatherOp : Gicc_CollectiveOp<"all_gather"> {
  let summary = "gathers the elements of all PEs, in PE order, on every PE";
  let description = [{
    `gicc.all_gather block %out, %in : memref<4x1024xf32>, memref<1024xf32>`. `count`, where given, is that of one PE's
    elements; `%out` holds as many of each PE that takes part: all, or those of a team, in its order.
  }];
  let arguments = (ins Gicc_CollectiveGroupAttr:$group, Gicc_Buffer:$out, Gicc_Buffer:$in, Optional<Gicc_Count>:$count,
                       OptionalAttr<TypeAttr>:$element,
                       DefaultValuedAttr<Gicc_AlgorithmAttr, "::gicc::Algorithm::Auto">:$algorithm,
                       OptionalAttr<FlatSymbolRefAttr>:$team, Variadic<I32>:$part);
  let assemblyFormat = [{
    custom<Choice>($group) $out `,` $in (`count` $count^)? (`of` $element^)? (`algorithm` `(` custom<Choice>($algorithm)^ `)`)? (`in` $team^)? (`part` `(` $part^ `)`)? attr-dict
    `:` type($out) `,` type($in) (`,` type($count)^)?
  }];
}

#endif
