import { setTimeout as wait } from 'node:timers/promises';
import { timeLimit } from '../../web/build/time-limit.ts';

const ARRIVAL_LIMIT_MS = timeLimit(25_000);
/** The HTML character references of `&`. */
const AMPERSAND = /&(amp|#38|#x26);/gi;

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** The mails of all users, oldest first. Each mail is returned once. */
export class Mailbox {
  #opened = new Map<string, number>();

  /** The argument `all` returns every mail sent so far, oldest mail first. */
  constructor(private readonly all: () => Promise<Mail[]>) {}

  /** Returns the next unread mail for an email address. Waits until a mail arrives. */
  async next(to: string): Promise<Mail> {
    const address = to.toLowerCase();
    const opened = this.#opened.get(address) ?? 0;
    const deadline = Date.now() + ARRIVAL_LIMIT_MS;
    while (Date.now() < deadline) {
      const mail = (await this.#for(address))[opened];
      if (mail) {
        this.#opened.set(address, opened + 1);
        return mail;
      }
      await wait(50);
    }
    throw new Error(`no mail number ${opened + 1} for ${address}`);
  }

  /** Returns the link to a path of the site in the next mail. Both parts of the mail must contain the link. */
  async link(address: string, path: string): Promise<string> {
    const mail = await this.next(address);
    const links = mail.text.match(/https?:\/\/\S+/g) ?? [];
    const link = links.find((text) => new URL(text).pathname === path);
    if (!link) throw new Error(`no link to ${path} in "${mail.subject}":\n${mail.text}`);
    const targets = [...mail.html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target);
    if (!targets.some((target) => target?.replace(AMPERSAND, '&') === link)) {
      throw new Error(`the HTML part of "${mail.subject}" lacks the link ${link}`);
    }
    return link;
  }

  /** The number of unread mails for the email address. */
  async unreadCount(to: string): Promise<number> {
    const address = to.toLowerCase();
    return (await this.#for(address)).length - (this.#opened.get(address) ?? 0);
  }

  async #for(address: string): Promise<Mail[]> {
    const mails = await this.all();
    return mails.filter((mail) => mail.to.toLowerCase() === address);
  }
}
