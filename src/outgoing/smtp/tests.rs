use super::*;

#[test]
fn the_stage_decides_the_verdict() {
    let verdict_of = |stage, code, text| classify(stage, code, EnhancedStatus::parse(text));
    for stage in [Stage::Connect, Stage::Auth, Stage::MailFrom] {
        for code in [421, 454, 535, 550, 554] {
            assert_eq!(verdict_of(stage, code, "5.1.8"), Verdict::ServerTrouble);
        }
    }
    assert_eq!(verdict_of(Stage::RcptTo, 450, "4.2.0"), Verdict::TryAgain);
    assert_eq!(verdict_of(Stage::RcptTo, 421, ""), Verdict::ServerTrouble);
    assert_eq!(
        verdict_of(Stage::RcptTo, 530, "5.7.0"),
        Verdict::ServerTrouble
    );
    assert_eq!(
        verdict_of(Stage::RcptTo, 550, "no mailbox"),
        Verdict::Refused
    );
    assert_eq!(verdict_of(Stage::RcptTo, 550, "5.7.1"), Verdict::Refused);
    assert_eq!(
        verdict_of(Stage::RcptTo, 550, "5.1.1"),
        Verdict::NoSuchAddress
    );
    assert_eq!(verdict_of(Stage::Content, 554, "5.1.1"), Verdict::Refused);
    assert_eq!(verdict_of(Stage::Content, 451, ""), Verdict::TryAgain);
    // A server may refuse the sender after any command.
    for stage in [Stage::RcptTo, Stage::Data, Stage::Content] {
        for (code, status) in [
            (550, "5.1.8"),
            (550, "5.1.7"),
            (450, "4.1.8"),
            (451, "4.1.7"),
        ] {
            assert_eq!(verdict_of(stage, code, status), Verdict::ServerTrouble);
        }
    }
    for status in ["5.1.0", "5.1.4", "5.1.5", "5.1.9", "5.2.1", "5.1.100"] {
        assert_eq!(verdict_of(Stage::RcptTo, 550, status), Verdict::Refused);
    }
    for status in ["5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"] {
        assert_eq!(
            verdict_of(Stage::RcptTo, 550, status),
            Verdict::NoSuchAddress
        );
        assert_eq!(verdict_of(Stage::RcptTo, 450, status), Verdict::TryAgain);
    }
}
