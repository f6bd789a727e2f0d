import { ADA, ALERT, after, BUSY, DONE, proofRequired, type State, WAITING } from '../state.ts';

const path = '/account/settings/data';
const SWITCH = '[role="switch"]';
const SAVING = `${SWITCH}[aria-disabled="true"]`;
const chosen = (consent: boolean) => ({
  'GET /users/me': { body: ADA },
  'GET /security': { body: { aal: 1, passkeys: 0, marketing_consent: consent } },
});
const choosing = (consent: boolean) =>
  after(path, 'PUT /marketing-consent', [{ press: SWITCH }], chosen(!consent));

const DOWNLOAD = 'section section > button';
const downloading = after(
  path,
  'GET /data-export',
  [{ wait: SWITCH }, { press: DOWNLOAD }],
  chosen(false),
);

export const dataStates = {
  loading: { path, answers: { ...chosen(false), 'GET /security': 'never' }, shows: WAITING },
  'load failed': { path, answers: { ...chosen(false), 'GET /security': 'offline' }, shows: ALERT },
  'no newsletter': { path, answers: chosen(false), shows: SWITCH },
  newsletter: { path, answers: chosen(true), shows: `${SWITCH}:checked` },
  'saving the choice': choosing(true)('never', SAVING),
  'newsletter chosen': choosing(true)({ body: { consent: true } }, DONE),
  'newsletter withdrawn': choosing(false)({ body: { consent: false } }, DONE),
  'download waits': downloading('never', BUSY),
  downloaded: downloading({ body: {} }, DONE),
  'download asks for a proof': downloading(proofRequired('password'), 'dialog[open] form'),
  'download fails': downloading('unavailable', ALERT),
  'choice not saved': choosing(true)('unavailable', ALERT),
} satisfies Record<string, State>;
