use super::*;

#[test]
fn the_stage_decides_the_verdict() {
    let verdict_of = |stage, code, text| classify(stage, code, enhanced_status(text));
    for stage in [Stage::Connect, Stage::Auth, Stage::MailFrom] {
        for code in [421, 454, 535, 550, 554] {
            assert_eq!(verdict_of(stage, code, "5.1.8 x"), Verdict::ServerTrouble);
        }
    }
    assert_eq!(verdict_of(Stage::RcptTo, 450, "4.2.0 x"), Verdict::TryAgain);
    assert_eq!(verdict_of(Stage::RcptTo, 421, ""), Verdict::ServerTrouble);
    assert_eq!(
        verdict_of(Stage::RcptTo, 530, "5.7.0 x"),
        Verdict::ServerTrouble
    );
    assert_eq!(
        verdict_of(Stage::RcptTo, 550, "no mailbox"),
        Verdict::Refused
    );
    assert_eq!(verdict_of(Stage::RcptTo, 550, "5.7.1 x"), Verdict::Refused);
    assert_eq!(
        verdict_of(Stage::RcptTo, 550, "5.1.1 x"),
        Verdict::NoSuchAddress
    );
    assert_eq!(verdict_of(Stage::Content, 554, "5.1.1 x"), Verdict::Refused);
    assert_eq!(verdict_of(Stage::Content, 451, ""), Verdict::TryAgain);
}

#[test]
fn a_status_is_three_numbers_and_nothing_else() {
    assert_eq!(enhanced_status("5.1.1 no such user"), Some([5, 1, 1]));
    assert_eq!(enhanced_status("5.7.26 policy"), Some([5, 7, 26]));
    for none in ["", "no mailbox", "5.1", "5.1.1.1 x", "1.2.3 x", "5.1.x y"] {
        assert_eq!(enhanced_status(none), None, "{none}");
    }
}
