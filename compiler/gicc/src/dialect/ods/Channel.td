// Channels: a put side and a wait side over a symmetric buffer, with slots and protocol in the type.
#ifndef GICC_CHANNEL
#define GICC_CHANNEL

include "Types.td"

defvar ChannelEffects = DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;

def Gicc_ChannelOp : Gicc_Op<"channel", [ChannelEffects, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "opens a channel over its words and its buffer";
  let description = [{
    `%halo = gicc.channel @halo %words, %buffer : memref<8xi64>, memref<2048xf32> -> !gicc.channel<f32, simple, slots = 2,
    capacity = 1024>`. The name says which channel it is: all ends of one name in a module must have the same type. The
    words are 8 of 64 bits, with `ll` and `automatic` 16 and the packets behind them; zero at first and never reset. The
    buffer holds slots x capacity elements, with `automatic` more. Both are symmetric. The counters of the calling threads
    are loaded here and stored by `gicc.channel_close`; all threads that put or wait execute both.
  }];
  let arguments = (ins FlatSymbolRefAttr:$name, Gicc_Buffer:$state, Gicc_Buffer:$buffer);
  let results = (outs Gicc_Channel:$channel);
  let assemblyFormat = "$name $state `,` $buffer attr-dict `:` type($state) `,` type($buffer) `->` qualified(type($channel))";
  let hasVerifier = 1;
}

def Gicc_ChannelPutOp : Gicc_Op<"channel_put", [ChannelEffects]> {
  let summary = "waits for a free slot at the peer, puts elements into it, and says so with release";
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Channel:$channel, Gicc_Buffer:$source, Optional<Gicc_Count>:$count,
                       I32:$pe);
  let assemblyFormat = [{
    custom<Choice>($group) $channel `,` $source (`count` $count^)? `to` $pe attr-dict
    `:` qualified(type($channel)) `,` type($source) (`,` type($count)^)?
  }];
  let hasVerifier = 1;
}

def Gicc_ChannelWaitOp : Gicc_Op<"channel_wait", [ChannelEffects]> {
  let summary = "waits for the next message of a peer and gives its slot, which the group may read until channel_done";
  let description = [{
    `%slot = gicc.channel_wait block %halo count %n from %pe : !gicc.channel<…>, index -> memref<1024xf32>`. The result is a
    pointer, or a memref of one slot; null where the wait reached its bound. With `ll` and `automatic` the message's length
    is that of the memref, or `count`; with `simple` it need not be known.
  }];
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Channel:$channel, Optional<Gicc_Count>:$count, I32:$pe);
  let results = (outs Gicc_Buffer:$slot);
  let assemblyFormat = [{
    custom<Choice>($group) $channel (`count` $count^)? `from` $pe attr-dict `:` qualified(type($channel)) (`,` type($count)^)? `->` type($slot)
  }];
  let hasVerifier = 1;
}

def Gicc_ChannelDoneOp : Gicc_Op<"channel_done", [ChannelEffects]> {
  let summary = "gives the slot of the oldest message that was waited for back to the peer's put side";
  let arguments = (ins Gicc_GroupAttr:$group, Gicc_Channel:$channel, I32:$pe);
  let assemblyFormat = "custom<Choice>($group) $channel `to` $pe attr-dict `:` qualified(type($channel))";
}

def Gicc_ChannelCloseOp : Gicc_Op<"channel_close", [ChannelEffects]> {
  let summary = "stores a channel's counters, so that the next kernel goes on";
  let arguments = (ins Gicc_Channel:$channel);
  let assemblyFormat = "$channel attr-dict `:` qualified(type($channel))";
}

#endif
