import type { Mail } from './mailbox.ts';

/** Mails of a site without an SMTP server, as it shows them to its developers: there the newest first. */
export async function keptMail(origin: string): Promise<Mail[]> {
  const answer = await fetch(`${origin}/account/dev/mail/messages`);
  if (!answer.ok) throw new Error(`the kept mails answered ${answer.status}`);
  const mails = (await answer.json()) as Mail[];
  return mails.reverse();
}
