//! Numbers that are passed as arguments of intrinsics. Each enumeration is also an enumeration of the C header.

/// Defines an enumeration with fixed numbers, its names in the C header, and the way back from the number.
macro_rules! codes {
    ($(#[$doc:meta])* $name:ident, $c:literal { $($(#[$vdoc:meta])* $variant:ident = $number:literal, $cname:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum $name { $($(#[$vdoc])* $variant = $number,)* }

        impl $name {
            /// Every value, in the order of its number.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];
            /// The name of the enumeration in the C header.
            pub const C_NAME: &'static str = $c;

            /// The number that stands for this value in an argument.
            pub const fn code(self) -> u32 { self as u32 }

            /// The value of a number, or `None` where no value has it.
            pub const fn from_code(code: u64) -> Option<$name> {
                match code { $($number => Some($name::$variant),)* _ => None }
            }

            /// The name in lower case, as messages and the C++ interface spell it.
            pub const fn name(self) -> &'static str {
                match self { $($name::$variant => $cname,)* }
            }
        }
    };
}

codes! {
    /// Who executes a primitive together.
    Group, "gicc_group" {
        /// One thread.
        Thread = 0, "thread";
        /// The 32 threads of a warp; all of them call.
        Warp = 1, "warp";
        /// The threads of a block; all of them call.
        Block = 2, "block";
    }
}

codes! {
    /// How a wait compares the signal with its value (unsigned).
    Compare, "gicc_compare" {
        /// Equal.
        Eq = 0, "eq";
        /// Not equal.
        Ne = 1, "ne";
        /// Greater than.
        Gt = 2, "gt";
        /// Greater than or equal.
        Ge = 3, "ge";
        /// Less than.
        Lt = 4, "lt";
        /// Less than or equal.
        Le = 5, "le";
    }
}

codes! {
    /// What a signal does to its word.
    SignalOp, "gicc_signal_op" {
        /// Store the value.
        Set = 0, "set";
        /// Add the value atomically.
        Add = 1, "add";
    }
}

codes! {
    /// What an operation has to order. Before fences are placed it is a requirement; afterwards it is what the
    /// instruction does.
    Order, "gicc_order" {
        /// Atomic, without order.
        Relaxed = 0, "relaxed";
        /// What the group wrote before is visible to whoever acquires the value written.
        Release = 1, "release";
        /// What was released with the value read is visible afterwards.
        Acquire = 2, "acquire";
        /// Both.
        AcquireRelease = 3, "acq_rel";
        /// Both, and in one order with all other such fences (fences only).
        SequentiallyConsistent = 4, "seq_cst";
    }
}

codes! {
    /// How far an ordering reaches.
    Scope, "gicc_scope" {
        /// Threads of one block.
        Block = 0, "cta";
        /// Threads of one cluster.
        Cluster = 1, "cluster";
        /// Threads of one GPU.
        Device = 2, "gpu";
        /// All GPUs and the host.
        System = 3, "sys";
        /// Derived by the compiler from the destination; `sys` unless proven narrower.
        Auto = 4, "auto";
    }
}

codes! {
    /// How the bytes of a channel travel.
    Protocol, "gicc_protocol" {
        /// Wide stores, a barrier, one release.
        Simple = 0, "simple";
        /// The flag travels in each 16-byte word.
        Ll = 1, "ll";
        /// The asynchronous copy unit.
        Bulk = 2, "bulk";
        /// A descriptor to an engine.
        Queue = 3, "queue";
        /// `ll` or `simple`, by the message's length.
        Automatic = 4, "automatic";
    }
}

codes! {
    /// The element type of a collective.
    ElementType, "gicc_element_type" {
        /// IEEE half precision; reduced in single precision.
        F16 = 0, "f16";
        /// The upper half of a single-precision number; reduced in single precision.
        Bf16 = 1, "bf16";
        /// Single precision.
        F32 = 2, "f32";
        /// Double precision.
        F64 = 3, "f64";
        /// 32 bits, signed.
        I32 = 4, "i32";
        /// 32 bits, unsigned.
        U32 = 5, "u32";
        /// 64 bits, signed.
        I64 = 6, "i64";
        /// 64 bits, unsigned.
        U64 = 7, "u64";
    }
}

codes! {
    /// What a reduction computes.
    ReduceOp, "gicc_reduce_op" {
        /// The sum.
        Sum = 0, "sum";
        /// The product.
        Prod = 1, "prod";
        /// The least; for floating point a number where one operand is NaN.
        Min = 2, "min";
        /// The greatest; likewise.
        Max = 3, "max";
        /// Bits that all have; integers only.
        And = 4, "and";
        /// Bits that any has; integers only.
        Or = 5, "or";
        /// Bits that an odd number has; integers only.
        Xor = 6, "xor";
    }
}

codes! {
    /// How a collective is done.
    Algorithm, "gicc_algorithm" {
        /// Chosen by the compiler, by size and team.
        Auto = 0, "auto";
        /// All-reduce: each PE sends all of its elements to all others, and each reduces everything.
        OneShot = 1, "one_shot";
        /// All-reduce: each PE reduces one part, and sends the result to all others.
        TwoShot = 2, "two_shot";
        /// Round the ring of PEs, a part at a time.
        Ring = 3, "ring";
        /// All-gather: each PE sends its elements to all others.
        Direct = 4, "direct";
    }
}

codes! {
    /// Who carries out an initiation.
    Engine, "gicc_engine" {
        /// The threads that initiate store.
        Direct = 0, "direct";
        /// A resident block drains the queues and copies.
        Sm = 1, "sm";
        /// A host thread and the copy engine.
        Proxy = 2, "proxy";
        /// NVSHMEM, to other machines.
        Nvshmem = 3, "nvshmem";
        /// The simulator's model of an engine in hardware.
        Sim = 4, "sim";
        /// Chosen by the compiler.
        Auto = 5, "auto";
    }
}

codes! {
    /// What went wrong on the device; the `code` of an error word.
    ErrorCode, "gicc_error_code" {
        /// Nothing.
        None = 0, "none";
        /// A wait reached its bound.
        Timeout = 1, "timeout";
        /// A PE outside `0..n_pes`.
        PeOutOfRange = 2, "pe_out_of_range";
        /// An address that is not in the symmetric heap, or a transfer that leaves it.
        NotSymmetric = 3, "not_symmetric";
        /// A negative size, or one that is no multiple of the element size.
        BadSize = 4, "bad_size";
        /// A signal or element that is not aligned to its size.
        Misaligned = 5, "misaligned";
        /// More blocks call a barrier than the workspace has room for.
        TooManyBlocks = 6, "too_many_blocks";
        /// A message longer than its channel's capacity.
        OverCapacity = 7, "over_capacity";
        /// More messages of a channel waited for, and not done, than it has slots.
        SlotsInUse = 8, "slots_in_use";
        /// A collective of a team that there is not, or on a PE that is none of it.
        BadTeam = 9, "bad_team";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_leads_back_to_its_value() {
        for &v in Compare::ALL {
            assert_eq!(Compare::from_code(v.code().into()), Some(v));
        }
        for &v in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_code(v.code().into()), Some(v));
        }
        assert_eq!(Scope::from_code(5), None);
        assert_eq!(Order::from_code(u64::MAX), None);
    }
}
