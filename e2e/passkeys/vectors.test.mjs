// The reference library verifies the responses of our test authenticator (tests/passkeys/vectors.rs). If the results of
// the library and of our verification differ, the test vector has both (docs/decisions/passkeys.md has the reasons).

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';

const path = new URL('../../testdata/passkeys/vectors.json', import.meta.url);
const file = JSON.parse(readFileSync(path, 'utf8'));

const expected = {
  expectedChallenge: file.challenge,
  expectedOrigin: file.origin,
  expectedRPID: file.rp_id,
  requireUserVerification: true,
};

async function verify({ credential, stored }) {
  if (!stored) {
    const supportedAlgorithmIDs = [-8, -7, -257];
    return verifyRegistrationResponse({ ...expected, response: credential, supportedAlgorithmIDs });
  }
  const publicKey = new Uint8Array(Buffer.from(stored.key, 'base64url'));
  const known = { id: credential.id, publicKey, counter: stored.counter };
  return verifyAuthenticationResponse({ ...expected, response: credential, credential: known });
}

// security: WA-1, WA-5, WA-8
for (const vector of file.vectors) {
  test(`${vector.reference ? 'accepts' : 'refuses'} ${vector.name}`, async () => {
    const accepted = await verify(vector).then(
      (result) => result.verified,
      () => false,
    );
    assert.equal(accepted, vector.reference);
  });
}
