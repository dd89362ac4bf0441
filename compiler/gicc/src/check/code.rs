//! The codes of findings. A code keeps its meaning for ever; each has a page, which `gicc check --explain CODE` prints.

/// How bad a kind of finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The program may compute something wrong: exit code 1.
    Correctness,
    /// The program is right, and slower than it need be.
    Performance,
    /// What the program, or the check, takes for granted.
    Note,
}

/// One kind of finding.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// For example `C0101`.
    pub code: &'static str,
    /// A name for `--deny`, for example `missing-release`.
    pub name: &'static str,
    /// How bad it is.
    pub level: Level,
    /// One sentence.
    pub title: &'static str,
    /// The page, in Markdown.
    pub page: &'static str,
}

macro_rules! codes {
    ($($constant:ident $code:literal $name:literal $level:ident $title:literal;)*) => {
        $(
            #[doc = $title]
            pub static $constant: Code = Code {
                code: $code,
                name: $name,
                level: Level::$level,
                title: $title,
                page: include_str!(concat!("../../../../docs/codes/", $code, ".md")),
            };
        )*
        /// All codes, in the order of their numbers.
        pub static ALL: &[&Code] = &[$(&$constant),*];
    };
}

codes! {
    MISSING_RELEASE "C0101" "missing-release" Correctness "The signal does not publish the data before it";
    NARROW_SCOPE "C0102" "narrow-scope" Correctness "The order does not reach the thread that needs it";
    MISSING_ACQUIRE "C0103" "missing-acquire" Correctness "The wait does not order the reads behind it";
    MISPLACED_FENCE "C0104" "misplaced-fence" Correctness "The fence is in the wrong thread or on the wrong side of a barrier";
    NO_BARRIER_BEFORE_SIGNAL "C0105" "no-barrier-before-signal" Correctness "One thread signals before the others have met it";
    NO_BARRIER_AFTER_WAIT "C0106" "no-barrier-after-wait" Correctness "Threads that did not wait read before the one that waited has met them";
    MIXED_SIZES "C0107" "mixed-sizes" Correctness "One word is accessed in different sizes at the same time";
    RELAXED_COUNTER "C0108" "relaxed-counter" Correctness "A counter in a chain of signals does not pass the order on";
    SLOT_REUSED "C0109" "slot-reused" Correctness "Memory is written again while a peer may still read it";
    RESET_OVERTAKES "C0110" "reset-overtakes" Correctness "A flag's reset may overtake, or be overtaken by, the next signal";
    NON_COHERENT_LOAD "C0111" "non-coherent-load" Correctness "Memory that peers write is read through the non-coherent path";
    MISSING_PROXY_FENCE "C0112" "missing-proxy-fence" Correctness "Ordinary accesses and the copy unit are not ordered by a proxy fence";
    COPY_NOT_COMPLETE "C0113" "copy-not-complete" Correctness "An asynchronous copy is not known to be complete";
    NO_ORDER "C0114" "no-order" Correctness "PEs access the same memory and nothing orders them";
    UNORDERED_FLAG "C0115" "unordered-flag" Correctness "A volatile or relaxed flag is used where order is needed";
    BROKEN_CHAIN "C0116" "broken-chain" Correctness "A plain store to a flag breaks the chain that passes a release on";
    FENCE_PER_THREAD "C0201" "fence-per-thread" Performance "Every thread fences where one would do";
    SC_FENCE "C0202" "sc-fence" Performance "A sequentially consistent fence where acquire and release do";
    WIDE_SCOPE "C0203" "wide-scope" Performance "System scope where the GPU's does";
    REDUNDANT_FENCE "C0204" "redundant-fence" Performance "A fence that orders nothing that is not ordered without it";
    NARROW_STORES "C0205" "narrow-stores" Performance "Narrow stores to a peer";
    DIVERGED_POLL "C0206" "diverged-poll" Performance "A poll that leaves its warp diverged";
    KERNEL_BOUNDARY "C0301" "kernel-boundary" Note "The kernel relies on what was ordered before it began, or will be after it ends";
    HARDWARE_PACKETS "C0302" "hardware-packets" Note "Data and flag in one vector access are taken to arrive together";
    UNDECIDED "C0303" "undecided" Note "A missing order could be neither confirmed nor refuted";
    UNBOUNDED_POLL "C0304" "unbounded-poll" Note "A poll has no bound";
    UNCHECKED_ERROR "C0305" "unchecked-error" Note "The result of a bounded wait is not looked at";
    WEAK_FLAG "C0306" "weak-flag" Note "A flag is accessed more weakly than the memory model asks for, and nothing is known to depend on it";
    DEPENDS_ON_PEER "C0307" "depends-on-peer" Note "Whether the order holds depends on the other side, which is not in this program";
    INCOMPLETE "C0308" "incomplete" Note "Part of the kernel could not be followed";
    FORMAL_ORDER "C0309" "formal-order" Note "The memory model asks for an order that hardware has not been seen to need here";
}

/// The kind of this code or name.
pub fn find(text: &str) -> Option<&'static Code> {
    ALL.iter().copied().find(|code| code.code.eq_ignore_ascii_case(text) || code.name == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_their_number_says_the_level() {
        let mut seen = std::collections::BTreeSet::new();
        for code in ALL {
            assert!(seen.insert(code.code) && seen.insert(code.name), "{}", code.code);
            let level = match &code.code[..3] {
                "C01" => Level::Correctness,
                "C02" => Level::Performance,
                _ => Level::Note,
            };
            assert_eq!(code.level, level, "{}", code.code);
        }
    }

    #[test]
    fn every_page_has_its_title_cause_cure_and_an_example() {
        for code in ALL {
            let first = code.page.lines().next().unwrap_or("");
            assert_eq!(first, format!("# {}: {}", code.code, code.name));
            for part in ["\n## What ", "\n## Cure\n", "\n```cpp\n"] {
                assert!(code.page.contains(part), "{}: no `{part}`", code.code);
            }
        }
    }

    #[test]
    fn codes_are_found_by_number_and_name() {
        assert_eq!(find("c0101"), Some(&MISSING_RELEASE));
        assert_eq!(find("slot-reused"), Some(&SLOT_REUSED));
        assert_eq!(find("C9999"), None);
    }
}
