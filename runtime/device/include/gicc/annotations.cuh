// What a kernel's author can say of its memory to `gicc check` and `gicc explain`, on parameters, fields, variables, pointer
// tables and kernels. What is compiled is not changed by them, but an initiation on a domain is refused where its destination
// belongs to other domains (see GICC_DECLARE_DOMAIN in gicc.cuh). This header needs no other one; the same can be written as
// __attribute__((annotate("gicc.remote"))) and so on, or in a file beside the source (`--annotations`).
#pragma once

/// Points to a peer's memory, or to a table of such pointers.
#define GICC_REMOTE __attribute__((annotate("gicc.remote")))
/// Lies at the same offset on every PE.
#define GICC_SYMMETRIC __attribute__((annotate("gicc.symmetric")))
/// Holds signals: each store tells somebody something.
#define GICC_SIGNAL_WORD __attribute__((annotate("gicc.signal")))
/// Belongs to the domain of this name (a string literal); said several times, to several. What belongs to none is named by
/// initiations on domain 0 alone, once a domain has members.
#define GICC_DOMAIN(name) __attribute__((annotate("gicc.domain:" name)))
/// Each access is a packet: the data is its own flag.
#define GICC_PACKET __attribute__((annotate("gicc.packet")))
/// On a kernel or a flag: relies on the beginning or end of the kernel for the order that it does not make itself.
#define GICC_RENDEZVOUS __attribute__((annotate("gicc.rendezvous")))
