import { type DatabaseKind, freshDatabase } from './database.ts';
import { viewerMails } from './mail-viewer.ts';
import { Mailbox } from './mailbox.ts';
import { Program, type Settings } from './program.ts';
import { SmtpSink } from './smtp-sink.ts';

export type MailKind = 'viewer' | 'smtp';

/** A running site with a database and a mailbox of its own. */
export interface Site {
  origin: string;
  mailbox: Mailbox;
  program: Program;
  stop(): Promise<void>;
}

/** The settings of test sites. Short intervals and cheap hashes save time, and no limit refuses a test. */
const TEST_SETTINGS: Settings = {
  ACCOUNT_MAIL__POLL_INTERVAL: '50ms',
  ACCOUNT_LIMITS__ENABLED: 'false',
  ACCOUNT_LOG__FORMAT: 'json',
  ACCOUNT_PASSWORD__MEMORY_KIB: '64',
  ACCOUNT_PASSWORD__ITERATIONS: '1',
};

export async function startSite(
  databaseKind: DatabaseKind,
  mailKind: MailKind,
  settings: Settings = {},
  regions?: string,
): Promise<Site> {
  const database = await freshDatabase(databaseKind);
  const sink = mailKind === 'smtp' ? await SmtpSink.start() : undefined;
  const program = await Program.start(
    {
      ...TEST_SETTINGS,
      ACCOUNT_DATABASE__URL: database.url,
      ...(sink && { ACCOUNT_MAIL__SMTP_URL: sink.url }),
      ...settings,
    },
    'serve',
    regions,
  );
  const { origin } = program;
  return {
    origin,
    program,
    mailbox: new Mailbox(sink ? async () => sink.mails : () => viewerMails(origin)),
    async stop() {
      try {
        await program.stop();
      } finally {
        await sink?.stop();
        await database.drop();
      }
    },
  };
}
