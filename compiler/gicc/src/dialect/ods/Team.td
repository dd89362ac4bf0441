// Who there is: teams, domains, PE numbers, addresses on other PEs, and what went wrong.
#ifndef GICC_TEAM
#define GICC_TEAM

include "Types.td"

def Gicc_TeamOp : Gicc_Op<"team", [Symbol]> {
  let summary = "declares a team: the PEs that run the program, or some of them";
  let description = [{
    `gicc.team @world pes(4)`. The number of PEs, where given, is what the program is written for: it decides algorithms and
    is checked against constants. Nothing depends on it for being right: PE numbers come from the runtime.

    `gicc.team @column pes(4) start(1) stride(2)` is a part of them: PEs 1, 3, 5 and 7, which are numbers 0 to 3 in it. Here the
    size is what counts. `my_pe`, `n_pes`, `peer_ptr`, `world_pe`, `barrier` and collectives know such teams.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<32767>]>>:$pes,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative, IntMaxValue<32766>]>>:$start,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive, IntMaxValue<32767>]>>:$stride);
  let assemblyFormat = [{
    $sym_name (`pes` `(` $pes^ `)`)? (`start` `(` $start^ `)`)? (`stride` `(` $stride^ `)`)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether it is a part of the PEs.
    bool isPart() { return getStart() || getStride(); }
  }];
}

def Gicc_DomainOp : Gicc_Op<"domain", [Symbol]> {
  let summary = "declares a domain: a named set of symmetric buffers, and how far its orderings reach";
  let description = [{
    `gicc.domain @halo scope(gpu)`. Domain 0 is the whole symmetric heap and needs no declaration; domains are numbered
    from 1 in the order of their declarations, or as `id(7)` says, to agree with other modules.

    An argument of a function is a member by its attribute: `%edge: memref<64xf32> {gicc.domain = @halo}`, or
    `{gicc.domain = [@halo, @rows]}`. Once a domain has members, an initiation on it may write to them alone.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<ConfinedAttr<I32Attr, [IntPositive, IntMaxValue<Gicc_LargestDomain>]>>:$id,
    DefaultValuedAttr<Gicc_ScopeAttr, "::gicc::Scope::Auto">:$scope
  );
  let assemblyFormat = "$sym_name (`id` `(` $id^ `)`)? (`scope` `(` custom<Choice>($scope)^ `)`)? attr-dict";
  let hasVerifier = 1;
}

class Gicc_FactOp<string mnemonic> : Gicc_Op<mnemonic, [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$team);
  let results = (outs I32:$result);
  let assemblyFormat = "(`in` $team^)? attr-dict `:` type($result)";
}

def Gicc_MyPeOp : Gicc_FactOp<"my_pe"> {
  let summary = "this PE's number in the team, 0 to n_pes - 1; -1 where it is none of it";
}

def Gicc_NPesOp : Gicc_FactOp<"n_pes"> {
  let summary = "the number of PEs of the team";
}

def Gicc_WorldPeOp : Gicc_Op<"world_pe", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the number among all PEs of a PE of a team";
  let description = [{
    `%there = gicc.world_pe %pe in @column : i32`, for operations that name a PE of all. -1, which no PE has, where the team has
    no such PE.
  }];
  let arguments = (ins I32:$pe, FlatSymbolRefAttr:$team);
  let results = (outs I32:$result);
  let assemblyFormat = "$pe `in` $team attr-dict `:` type($result)";
}

def Gicc_PeerPtrOp : Gicc_Op<"peer_ptr", [TypesMatchWith<"the result has the buffer's type", "symmetric", "result", "$_self">,
                                           DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                           DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a symmetric buffer's place on another PE, for plain loads and stores";
  let description = [{
    `%there = gicc.peer_ptr %buffer on %pe in @column : memref<64xf32>`; without a team the PE is one of all. Null, with an error word, where the address is not symmetric or the PE does not exist. Accesses through it are ordered by
    release, acquire, signals and waits.
  }];
  let arguments = (ins Gicc_Buffer:$symmetric, I32:$pe, OptionalAttr<FlatSymbolRefAttr>:$team);
  let results = (outs Gicc_Buffer:$result);
  let assemblyFormat = "$symmetric `on` $pe (`in` $team^)? attr-dict `:` type($symmetric)";
  let hasVerifier = 1;
}

def Gicc_CheckErrorOp : Gicc_Op<"check_error", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "whether something went wrong on this PE; the same answer for the whole group, which meets";
  let description = [{
    `%failed = gicc.check_error block`. If an operation of the group failed, it is true.
  }];
  let arguments = (ins Gicc_GroupAttr:$group);
  let results = (outs I1:$failed);
  let assemblyFormat = "custom<Choice>($group) attr-dict";
}

def Gicc_ErrorCodeOp : Gicc_Op<"error_code", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "the code of the first thing that went wrong on this PE; 0 where all is well";
  let results = (outs I32:$code);
  let assemblyFormat = "attr-dict `:` type($code)";
}

#endif
