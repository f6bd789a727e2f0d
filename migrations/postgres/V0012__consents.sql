-- What a person answered to a request for consent, and to which text: proof of consent (GDPR, article 7(1)).
CREATE TABLE consents (
  id           UUID    NOT NULL,                  -- the first record of an account has the id of the account
  account_id   UUID    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  consent      BIGINT  NOT NULL,                  -- 0 or 1
  text_version BIGINT  NOT NULL,                  -- domain/consent.rs; 0: given to a text that nothing recorded
  language     TEXT,                              -- the language of that text
  at           BIGINT  NOT NULL,
  PRIMARY KEY (account_id, id)
);

INSERT INTO consents (id, account_id, consent, text_version, language, at)
SELECT id, id, marketing_consent, 0, NULL, marketing_consent_at FROM accounts;
