//! Bad input is one clear error, and damaged bitcode never crashes: it is refused, or loads to a sound program.

mod workshop;

use upshot_ir::LoadError;
use workshop::{assert_sound, compile};

const SOURCE: &str = r#"
    struct s { int a; char b[3]; };
    enum e { X, Y = 7 };
    static int g[3] = {1, 2, 3};
    struct s gs = {5, "ab"};
    static int f(struct s s, enum e e, int *p) {
        int t = s.a;
        for (int i = 0; i < 3; i++) t += g[i] * p[i];
        switch (e) { case X: return t; case Y: return -t; }
        return 0;
    }
    int main(void) { return f(gs, Y, g); }
"#;

fn error(bitcode: &[u8]) -> String {
    let error = upshot_ir::load(bitcode).expect_err("this is not to be loaded");
    let text = error.to_string();
    assert!(!text.contains('\n') && !text.is_empty(), "one line: {text}");
    text
}

#[test]
fn each_kind_of_bad_input_has_its_error() {
    let good = compile(SOURCE, &["-O0", "-g"]);
    assert!(matches!(upshot_ir::load(b""), Err(LoadError::Empty)));
    assert!(matches!(upshot_ir::load(b"int main(void) {}"), Err(LoadError::NotBitcode)));
    assert!(matches!(upshot_ir::load(b"\x7fELF\x02\x01\x01\0"), Err(LoadError::NotBitcode)));
    assert!(matches!(upshot_ir::load(&good[..4]), Err(LoadError::Damaged(_))));
    assert!(matches!(upshot_ir::load(&good[..good.len() / 2]), Err(LoadError::Damaged(_))));
    assert!(error(&good[..good.len() / 2]).contains("truncated or damaged"));
    let other = compile(SOURCE, &["-O0", "--target=aarch64-linux-gnu"]);
    assert!(matches!(upshot_ir::load(&other), Err(LoadError::WrongTarget { .. })));
    let narrow = compile(SOURCE, &["-O0", "--target=i386-linux-gnu"]);
    assert!(error(&narrow).contains("only x86-64 Linux"));
}

#[test]
fn bitcode_of_a_newer_llvm_is_named() {
    let mut newer = compile(SOURCE, &["-O0"]);
    // The producer's name is in the first block, six bits per character. With "LLVM29" there, whatever goes wrong
    // afterwards is the other version's doing.
    let good = upshot_ir::load(&newer).expect("untouched, it loads");
    assert!(!good.functions.is_empty());
    let bits: Vec<bool> = newer.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 != 0)).collect();
    let six = |c: char| "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._".find(c).unwrap();
    let pattern: Vec<bool> = "LLVM19".chars().flat_map(|c| (0..6).map(move |bit| six(c) >> bit & 1 != 0)).collect();
    let at = bits.windows(pattern.len()).position(|window| window == pattern).expect("clang 19 names itself");
    let one = at + 4 * 6;
    for bit in 0..6 {
        let (byte, mask) = ((one + bit) / 8, 1 << ((one + bit) % 8));
        newer[byte] = newer[byte] & !mask | if six('2') >> bit & 1 != 0 { mask } else { 0 };
    }
    let text = error(&newer[..newer.len() / 2]);
    assert!(text.contains("LLVM 29") && text.contains("up to LLVM 19"), "{text}");
}

#[test]
fn truncations_are_refused() {
    let good = compile(SOURCE, &["-O1", "-g"]);
    for length in (0..good.len()).step_by(good.len() / 40) {
        error(&good[..length]);
    }
}

#[test]
fn changed_bits_are_refused_or_harmless() {
    let (mut loaded, mut refused) = (0, 0);
    for level in ["-O0", "-O2"] {
        let good = compile(SOURCE, &[level, "-g"]);
        let mut random: u64 = 0x9e37_79b9_7f4a_7c15;
        for _ in 0..120 {
            let mut damaged = good.clone();
            for _ in 0..=random % 3 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let bit = random as usize % (damaged.len() * 8);
                damaged[bit / 8] ^= 1 << (bit % 8);
            }
            match upshot_ir::load(&damaged) {
                Ok(program) => {
                    assert_sound(&program);
                    loaded += 1;
                }
                Err(error) => {
                    assert!(!matches!(error, LoadError::Internal(_)), "{error}");
                    assert!(!error.to_string().contains('\n'), "{error}");
                    refused += 1;
                }
            }
        }
    }
    assert!(loaded > 0 && refused > 0, "{loaded} loaded, {refused} refused");
}
