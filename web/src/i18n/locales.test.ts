import { expect, test } from 'vitest';
import en from '../../../locales/en.json';

type Texts = { [key: string]: string | Texts };

/** Returns every text as "key: text". */
function list(texts: Texts, section = ''): string[] {
  return Object.entries(texts).flatMap(([key, text]) =>
    typeof text === 'string' ? `${section}${key}: ${text}` : list(text, `${section}${key}.`),
  );
}

const FILES = import.meta.glob<typeof en>('../../../locales/*.json', {
  eager: true,
  import: 'default',
});
const languages = Object.entries(FILES);

test.each(languages)('%s: apostrophes are typographic', (_, texts) => {
  expect(list(texts).filter((line) => /\p{L}'\p{L}/u.test(line))).toEqual([]);
});

test('en: "anymore" is one word, except before a noun', () => {
  expect(list(en).filter((line) => /\bany more\b(?! \p{L})/iu.test(line))).toEqual([]);
});

test('pt: "e-mail" has a hyphen', () => {
  expect(
    list(FILES['../../../locales/pt.json'] ?? {}).filter((line) =>
      /: .*\bemail\b(?!\}\})/iu.test(line),
    ),
  ).toEqual([]);
});

// The account may have an authenticator app, passkeys or both.
test('en: a text about a reset names the authenticator app and the passkeys together', () => {
  const { answer, mail, second_factor } = en;
  for (const text of [
    answer.second_factor_off,
    mail.second_factor_reset_ready.body,
    mail.second_factor_reset_reminder.body,
    mail.second_factor_reset_requested.body,
    second_factor.reset_from,
    second_factor.reset_lead,
  ]) {
    expect(text).toMatch(/authenticator app(, (the|your) passkeys or both| and no passkeys)/u);
  }
});

// A policy can also stop a sign-in with a passkey.
test.each(languages)('%s: a stopped sign-in names no password', (_, { activity }) => {
  expect(activity.sign_in_blocked).not.toMatch(/passwor|contraseña|senha/iu);
});

// A reset of the second factor keeps the approval of new browsers.
test.each(languages)('%s: the end of a reset names new browsers', (_, { answer }) => {
  expect(answer.second_factor_off).toMatch(/browser|navegador/iu);
});

// Speech recognition software finds a button by its visible words (WCAG 2.5.3, Label in Name).
test.each(languages)(
  '%s: the accessible name of a button contains its visible label',
  (_, texts) => {
    const { activity, devices, security, settings } = texts;
    const pairs = [
      [settings.change_email, settings.change],
      [settings.change_password, settings.change],
      [activity.not_me_device, activity.not_me],
      [devices.sign_out_device, devices.sign_out],
      [security.passkey_rename, security.rename],
      [security.passkey_remove, security.remove],
    ];
    for (const [name, label] of pairs) {
      expect(name?.toLowerCase()).toContain(label?.toLowerCase());
    }
  },
);
