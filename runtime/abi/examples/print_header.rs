//! Prints the C header, for whoever compiles against it by hand.

fn main() {
    print!("{}", gicc_abi::header::text());
}
