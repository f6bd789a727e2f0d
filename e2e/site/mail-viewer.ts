import type { Mail } from './mailbox.ts';

/** Reads the mails of a site without SMTP server from the mail viewer, which lists the newest mail first. */
export async function viewerMails(origin: string): Promise<Mail[]> {
  const answer = await fetch(`${origin}/account/dev/mail/messages`);
  if (!answer.ok) throw new Error(`the mail viewer returned ${answer.status}`);
  const mails = (await answer.json()) as Mail[];
  return mails.reverse();
}
