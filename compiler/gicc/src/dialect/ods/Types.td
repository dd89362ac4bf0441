// Types: the handle of an initiation, and a channel.
#ifndef GICC_TYPES
#define GICC_TYPES

include "Base.td"

class Gicc_Type<string name, string spelling> : TypeDef<Gicc_Dialect, name> {
  let mnemonic = spelling;
}

def Gicc_Event : Gicc_Type<"Event", "event"> {
  let summary = "the handle of an initiation";
  let description = [{
    `!gicc.event<block>`: the initiation was made by a block, so a block waits for it. It may go through `scf` and `cf`; it
    may not be stored, nor cross a call.
  }];
  let parameters = (ins EnumParameter<Gicc_GroupEnum>:$group);
  let assemblyFormat = "`<` $group `>`";
}

def Gicc_Channel : Gicc_Type<"Channel", "channel"> {
  let summary = "a stream of messages from a put side to a wait side";
  let description = [{
    `!gicc.channel<f32, simple, slots = 2, capacity = 1024>`: 2 slots of up to 1024 elements. Element, protocol, slots and
    capacity are part of the type; both sides must have the same.
  }];
  let parameters = (ins
    "::mlir::Type":$element,
    EnumParameter<Gicc_ProtocolEnum>:$protocol,
    "int64_t":$slots,
    "int64_t":$capacity
  );
  let assemblyFormat = "`<` $element `,` $protocol `,` `slots` `=` $slots `,` `capacity` `=` $capacity `>`";
  let genVerifyDecl = 1;
}

#endif
