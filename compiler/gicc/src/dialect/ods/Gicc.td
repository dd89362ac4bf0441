// All of the dialect `gicc`, for mlir-tblgen.
include "Base.td"
include "Types.td"
include "Team.td"
include "Transfer.td"
include "Channel.td"
include "Collective.td"
