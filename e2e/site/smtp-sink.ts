import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Mail } from './mailbox.ts';

/** An SMTP server that stores all mails and delivers none. */
export class SmtpSink {
  readonly mails: Mail[] = [];
  readonly #server: SMTPServer;

  private constructor() {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData: (stream, session, done) => {
        const recipients = session.envelope.rcptTo.map((rcpt) => rcpt.address);
        buffer(stream)
          .then((raw) => this.#take(raw, recipients))
          .then(() => done(), done);
      },
    });
  }

  static async start(): Promise<SmtpSink> {
    const sink = new SmtpSink();
    const server = sink.#server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return sink;
  }

  get url(): string {
    const { port } = this.#server.server.address() as AddressInfo;
    return `smtp://127.0.0.1:${port}`;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#server.close(resolve));
  }

  async #take(raw: Buffer, recipients: string[]): Promise<void> {
    const mail = await PostalMime.parse(raw);
    for (const to of recipients) {
      this.mails.push({
        to,
        subject: mail.subject ?? '',
        text: mail.text ?? '',
        html: mail.html ?? '',
      });
    }
  }
}
