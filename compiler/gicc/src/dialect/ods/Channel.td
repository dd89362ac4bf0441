// Channels: a put side and a wait side over a symmetric buffer, with slots and protocol in the type.
#ifndef GICC_CHANNEL
#define GICC_CHANNEL

include "Types.td"

defvar ChannelEffects = DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;

def Gicc_ChannelOp : Gicc_Op<"channel", [ChannelEffects, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "opens a channel over its words and its buffer";
  let description = [{
    `%halo = gicc.channel @halo %words, %buffer : memref<4xi64>, memref<2048xf32> -> !gicc.channel<f32, simple, slots = 2,
    capacity = 1024>`. The name says which channel it is: all ends of one name in a module must have the same type. The
    words are 4 of 64 bits, zero at first, and the buffer holds slots x capacity elements, both symmetric.
  }];
  let arguments = (ins FlatSymbolRefAttr:$name, Gicc_Buffer:$state, Gicc_Buffer:$buffer);
  let results = (outs Gicc_Channel:$channel);
  let assemblyFormat = "$name $state `,` $buffer attr-dict `:` type($state) `,` type($buffer) `->` type($channel)";
  let hasVerifier = 1;
}

def Gicc_ChannelPutOp : Gicc_Op<"channel_put", [ChannelEffects]> {
  let summary = "waits for a free slot at the peer, puts elements into it, and says so with release";
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Channel:$channel, Gicc_Buffer:$source, Optional<Gicc_Count>:$count,
                       I32:$pe);
  let assemblyFormat = [{
    $group $channel `,` $source (`count` $count^)? `to` $pe attr-dict
    `:` type($channel) `,` type($source) (`,` type($count)^)?
  }];
  let hasVerifier = 1;
}

def Gicc_ChannelWaitOp : Gicc_Op<"channel_wait", [ChannelEffects]> {
  let summary = "waits for the next message of a peer and gives its slot, which the group may read until channel_done";
  let description = [{
    The result is a pointer, or a memref of one slot. Null where the wait reached its bound.
  }];
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Channel:$channel, I32:$pe);
  let results = (outs Gicc_Buffer:$slot);
  let assemblyFormat = "$group $channel `from` $pe attr-dict `:` type($channel) `->` type($slot)";
  let hasVerifier = 1;
}

def Gicc_ChannelDoneOp : Gicc_Op<"channel_done", [ChannelEffects]> {
  let summary = "gives the slot that was read back to the peer's put side";
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Channel:$channel, I32:$pe);
  let assemblyFormat = "$group $channel `to` $pe attr-dict `:` type($channel)";
}

#endif
