-- What a person answered to a request for consent, and to which text: proof of consent (GDPR, article 7(1)).
CREATE TABLE consents (
  id           BLOB    NOT NULL,                  -- the first record of an account has the id of the account
  account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  consent      INTEGER NOT NULL,                  -- 0 or 1
  text_version INTEGER NOT NULL,                  -- domain/consent.rs; 0: given to a text that nothing recorded
  language     TEXT,                              -- the language of that text
  at           INTEGER NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT;

INSERT INTO consents (id, account_id, consent, text_version, language, at)
SELECT id, id, marketing_consent, 0, NULL, marketing_consent_at FROM accounts;
