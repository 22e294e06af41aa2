//! Any bytes given as a test are read or refused, and what is read is written as it was.
#![no_main]

use upshot_suite::Ktest;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(test) = Ktest::from_bytes(bytes) {
        let again = Ktest::from_bytes(&test.to_bytes());
        assert!(again.is_ok_and(|again| again == test));
        let _ = upshot_suite::render("test", &upshot_suite::show(&test, None, None));
    }
});
