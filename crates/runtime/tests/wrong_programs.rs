//! Wrong blocks, and the errors that their authors get.

#[test]
fn wrong_blocks_are_refused_with_a_sentence_that_says_what_to_do() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
