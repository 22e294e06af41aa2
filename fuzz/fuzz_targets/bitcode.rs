//! Any bytes given as bitcode are loaded or refused: no crash, no hang.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // A good beginning, so that the fuzzer need not find it.
    let mut bitcode = b"BC\xC0\xDE".to_vec();
    bitcode.extend(bytes.strip_prefix(b"BC\xC0\xDE").unwrap_or(bytes));
    match upshot_ir::load(&bitcode) {
        Ok(program) => assert!(upshot_ir::validate(&program).is_empty()),
        Err(upshot_ir::LoadError::Internal(what)) => panic!("{what}"),
        Err(_) => {}
    }
});
