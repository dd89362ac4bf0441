//! Enumerations whose members are words of PTX, with the spelling in one place.

/// Declares an enumeration of PTX words: parsing, spelling, the list of all members and `Display`.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = concat!("`", $text, "`")] $variant,)+
        }

        impl $name {
            /// All members, in the order of their declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as PTX spells it, without a leading dot.
            pub const fn ptx(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The member with this spelling.
            pub fn from_ptx(word: &str) -> Option<Self> {
                match word { $($text => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.ptx())
            }
        }
    };
}

pub(crate) use words;
