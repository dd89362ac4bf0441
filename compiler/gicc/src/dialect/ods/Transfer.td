// Transfers, signals and orderings.
#ifndef GICC_TRANSFER
#define GICC_TRANSFER

include "Types.td"

defvar Effects = DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;

// Between memrefs the count and the element come from the types; with `count`, that many elements from the first on.
// Between pointers both are written: `count %n of f32`.
class Gicc_TransferOp<string mnemonic, list<Trait> traits = []> : Gicc_Op<mnemonic, traits # [Effects]> {
  let hasVerifier = 1;
}

def Gicc_PutOp : Gicc_TransferOp<"put"> {
  let summary = "stores elements into a symmetric buffer of another PE";
  let description = [{
    `gicc.put block %destination, %source to %pe : memref<64xf32>, memref<64xf32>`. Orders nothing: a later release of the
    same group publishes it.
  }];
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Buffer:$destination, Gicc_Buffer:$source, Optional<Gicc_Count>:$count,
                       I32:$pe, OptionalAttr<TypeAttr>:$element);
  let assemblyFormat = [{
    custom<Choice>($group) $destination `,` $source (`count` $count^)? (`of` $element^)? `to` $pe attr-dict
    `:` type($destination) `,` type($source) (`,` type($count)^)?
  }];
}

def Gicc_GetOp : Gicc_TransferOp<"get"> {
  let summary = "loads elements from a symmetric buffer of another PE; the group may read the destination afterwards";
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Buffer:$destination, Gicc_Buffer:$source, Optional<Gicc_Count>:$count,
                       I32:$pe, OptionalAttr<TypeAttr>:$element);
  let assemblyFormat = [{
    custom<Choice>($group) $destination `,` $source (`count` $count^)? (`of` $element^)? `from` $pe attr-dict
    `:` type($destination) `,` type($source) (`,` type($count)^)?
  }];
}

def Gicc_PutSignalOp : Gicc_TransferOp<"put_signal"> {
  let summary = "a put, then one signal on the same PE with release";
  let description = [{
    `gicc.put_signal block %destination, %source signal %word add %value to %pe : memref<64xf32>, memref<64xf32>,
    memref<1xi64>`. Who waits for the signal sees the elements, and all else that the group wrote before.
  }];
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Buffer:$destination, Gicc_Buffer:$source, Optional<Gicc_Count>:$count,
                       Gicc_Buffer:$signal, Gicc_SignalActionAttr:$action, I64:$value, I32:$pe,
                       OptionalAttr<TypeAttr>:$element);
  let assemblyFormat = [{
    custom<Choice>($group) $destination `,` $source (`count` $count^)? (`of` $element^)? `signal` $signal custom<Choice>($action) $value `to` $pe attr-dict
    `:` type($destination) `,` type($source) `,` type($signal) (`,` type($count)^)?
  }];
}

def Gicc_SendSignalOp : Gicc_Op<"signal", [Effects]> {
  let summary = "sets or adds to a signal on another PE, once for the group";
  let description = [{
    `gicc.signal block %word set %value to %pe relaxed : memref<1xi64>`. With `release` (the default) what the group wrote
    before is visible to whoever waits for the signal; with `relaxed` nothing is.
  }];
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Buffer:$signal, Gicc_SignalActionAttr:$action, I64:$value, I32:$pe,
                       DefaultValuedAttr<Gicc_OrderAttr, "::gicc::Order::Release">:$order);
  let assemblyFormat = "custom<Choice>($group) $signal custom<Choice>($action) $value `to` $pe (`order` `(` custom<Choice>($order)^ `)`)? attr-dict `:` type($signal)";
  let hasVerifier = 1;
}

def Gicc_WaitOp : Gicc_Op<"wait", [Effects]> {
  let summary = "waits until a signal of this PE compares as asked; acquires; bounded";
  let description = [{
    `%seen = gicc.wait block %word ge %value from %pe : memref<1xi64>`. `from` says who sends the signal, for the error word;
    without it anybody may.
  }];
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Buffer:$signal, Gicc_CompareAttr:$compare, I64:$value,
                       Optional<I32>:$source);
  let results = (outs I64:$seen);
  let assemblyFormat = "custom<Choice>($group) $signal custom<Choice>($compare) $value (`from` $source^)? attr-dict `:` type($signal)";
  let hasVerifier = 1;
}

def Gicc_TestOp : Gicc_Op<"test", [Effects]> {
  let summary = "whether a signal of this PE compares now; acquires where it does; called by one thread";
  let arguments = (ins Gicc_Buffer:$signal, Gicc_CompareAttr:$compare, I64:$value);
  let results = (outs I1:$holds);
  let assemblyFormat = "$signal custom<Choice>($compare) $value attr-dict `:` type($signal)";
  let hasVerifier = 1;
}

class Gicc_OrderingOp<string mnemonic> : Gicc_Op<mnemonic, [Effects, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins Gicc_GroupAttr:$group, OptionalAttr<FlatSymbolRefAttr>:$domain, OptionalAttr<Gicc_ScopeAttr>:$scope);
  let assemblyFormat = "custom<Choice>($group) (`domain` `(` $domain^ `)`)? (`scope` `(` custom<Choice>($scope)^ `)`)? attr-dict";
}

def Gicc_ReleaseOp : Gicc_OrderingOp<"release"> {
  let summary = "publishes what the group wrote before, so that signals of the same group after it may be relaxed";
}

def Gicc_AcquireOp : Gicc_OrderingOp<"acquire"> {
  let summary = "what was published with values that the group read before is visible to it afterwards";
}

def Gicc_BarrierOp : Gicc_Op<"barrier", [Effects, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the blocks of this index on all PEs meet; what any of them wrote before is visible to all of them";
  let description = [{
    `gicc.barrier`. `in @column` lets the members of a declared team meet alone, `part(%start, %stride, %pes)` those of one that is
    known at run time only, as with collectives. Only members execute it.
  }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$team, Variadic<I32>:$part);
  let assemblyFormat = "(`in` $team^)? (`part` `(` $part^ `)`)? attr-dict";
  let hasVerifier = 1;
}

def Gicc_QuietOp : Gicc_Op<"quiet", [Effects]> {
  let summary = "all puts of the group before are complete at their destinations";
  let arguments = (ins Gicc_GroupAttr:$group);
  let assemblyFormat = "custom<Choice>($group) attr-dict";
}

def Gicc_InitiateOp : Gicc_TransferOp<"initiate", [AttrSizedOperandSegments, InferTypeOpAdaptor,
                                                   DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "submits a put to an engine; the result says when it has ended";
  let description = [{
    `%event = gicc.initiate block %destination, %source signal %word set %value to %pe domain(@halo) engine(direct)
    priority(1) : memref<64xf32>, memref<64xf32> signal memref<1xi64>`. Neither buffer may be touched before the event has ended. The
    signal, where there is one, is sent with release behind the elements. The destination is a member of the domain; where it is
    known to be none, the operation is refused. With the engine `direct` the issuing threads store,
    and the priority has no meaning.
  }];
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Buffer:$destination, Gicc_Buffer:$source, Optional<Gicc_Count>:$count,
                       Optional<Gicc_Buffer>:$signal, OptionalAttr<Gicc_SignalActionAttr>:$action, Optional<I64>:$value,
                       I32:$pe, OptionalAttr<TypeAttr>:$element, OptionalAttr<FlatSymbolRefAttr>:$domain,
                       DefaultValuedAttr<Gicc_EngineAttr, "::gicc::Engine::Auto">:$engine,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<255>]>, "0">:$priority);
  let results = (outs Gicc_Event:$event);
  let assemblyFormat = [{
    custom<Choice>($group) $destination `,` $source (`count` $count^)? (`of` $element^)? (`signal` $signal^ custom<Choice>($action) $value)? `to` $pe
    (`domain` `(` $domain^ `)`)? (`engine` `(` custom<Choice>($engine)^ `)`)? (`priority` `(` $priority^ `)`)? attr-dict
    `:` type($destination) `,` type($source) (`,` type($count)^)? (`signal` type($signal)^)?
  }];
}

class Gicc_EventOp<string mnemonic> : Gicc_Op<mnemonic, [Effects, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins Gicc_Event:$event, OptionalAttr<FlatSymbolRefAttr>:$domain);
  let assemblyFormat = "$event (`domain` `(` $domain^ `)`)? attr-dict `:` qualified(type($event))";
}

def Gicc_EventTestOp : Gicc_EventOp<"event_test"> {
  let summary = "whether an initiation has ended, as a failed one has; called by one thread of the group that initiated";
  let results = (outs I1:$ended);
}

def Gicc_EventWaitOp : Gicc_EventOp<"event_wait"> {
  let summary = "waits until an initiation has ended; true where its elements are complete at their destination";
  let description = [{
    Called by the group that initiated, which the event's type names. The domain says how far completion reaches; without
    one, the whole system.
  }];
  let results = (outs I1:$complete);
}

#endif
