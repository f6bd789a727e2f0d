import { ADA, ALERT, after, ago, BUSY, DONE, proofRequired, type State } from '../state.ts';

const path = '/account/delete';
const BOX = '[name="understood"]';
const DELETE = 'div:has([name="understood"]) ~ button';
const signedIn = {
  'GET /users/me': { body: ADA },
  'GET /security': { body: { aal: 1, passkeys: 0, marketing_consent: false } },
};
const deleteAt = ago(-14);
const deleting = after(path, 'POST /delete-account', [{ press: BOX }, { press: DELETE }], signedIn);

export const deleteStates = {
  question: { path, answers: signedIn, shows: BOX },
  'not ticked': { path, answers: signedIn, steps: [{ press: DELETE }], shows: ALERT },
  deleting: deleting('never', BUSY),
  'asks for a proof': deleting(proofRequired('password'), 'dialog[open] form'),
  fails: deleting('unavailable', ALERT),
} satisfies Record<string, State>;

const restore = '/account/restore?token=sample';
const KEEP = 'section > button';
const restoring = after(restore, 'POST /restore-account', [{ press: KEEP }]);

export const restoreStates = {
  question: { path: restore, shows: KEEP },
  'with the date': {
    path: restore,
    answers: {
      'POST /undo-credential/details': { body: { change: null, delete_at: deleteAt } },
    },
    shows: KEEP,
  },
  'after a sign-in': {
    path: `/account/restore?token=sample&delete_at=${encodeURIComponent(deleteAt)}`,
    shows: KEEP,
  },
  restoring: restoring('never', BUSY),
  restored: restoring({ body: { message: 'restored' } }, DONE),
  'will be deleted': {
    path: '/account/restore',
    history: { done: { name: 'requested', result: deleteAt } },
    shows: DONE,
  },
  'link spent': restoring('spent', ALERT),
  fails: restoring('unavailable', ALERT),
  'no link': { path: '/account/restore', shows: ALERT },
  'link refused at once': {
    path: restore,
    answers: { 'POST /undo-credential/details': 'spent' },
    shows: ALERT,
  },
} satisfies Record<string, State>;
