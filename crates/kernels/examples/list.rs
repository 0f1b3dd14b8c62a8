//! Prints every op with its variants, fastest first; the one in brackets is what calls go to on this machine.
//!
//! `cargo run -p superhet-kernels --example list`, with `SUPERHET_KERNEL=scalar|avx2|avx512` to cap the choice.

fn main() {
    for row in superhet_kernels::list() {
        let mark = |name: &str| if name == row.chosen { format!("[{name}]") } else { name.to_string() };
        let variants: Vec<_> = row.variants.iter().map(|name| mark(name)).collect();
        println!("{:<32} {}", row.name, variants.join(" "));
    }
}
