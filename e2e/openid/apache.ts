import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { timeLimit } from '../../web/build/time-limit.ts';
import { SECRET } from './provider.ts';

const MODULES = '/usr/lib/apache2/modules';
const START_LIMIT_MS = timeLimit(25_000);

/** Apache with mod_auth_openidc, as Debian packages them, as an application of the provider at `issuer`. */
export class Apache {
  private constructor(
    readonly origin: string,
    private readonly folder: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(port: number, issuer: string): Promise<Apache> {
    const folder = await mkdtemp(join(tmpdir(), 'account-apache-'));
    await mkdir(join(folder, 'www'));
    // The folder must be readable for all, because Apache serves as another user than root if root starts Apache.
    await chmod(folder, 0o755);
    const hello = 'Hello, <!--#echo var="REMOTE_USER" -->';
    await writeFile(join(folder, 'www/index.html'), `<!doctype html><h1>${hello}</h1>`);
    await writeFile(join(folder, 'www/bye.html'), '<!doctype html><h1>Bye</h1>');
    const path = join(folder, 'apache.conf');
    await writeFile(path, configuration(folder, port, issuer));
    const child = spawn('/usr/sbin/apache2', ['-D', 'FOREGROUND', '-f', path], { stdio: 'ignore' });
    child.on('error', () => undefined);
    const apache = new Apache(`http://localhost:${port}`, folder, child);
    await apache.#ready();
    return apache;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.pid) {
      const gone = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await gone;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async #ready(): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS;
    while (Date.now() < deadline && this.child.exitCode === null) {
      const answer = await fetch(`${this.origin}/bye.html`).catch(() => undefined);
      if (answer?.ok) return;
      await wait(20);
    }
    const log = await readFile(join(this.folder, 'error.log'), 'utf8').catch(() => '');
    await this.stop();
    throw new Error(`apache2 and libapache2-mod-auth-openidc; make test installs them\n${log}`);
  }
}

function configuration(folder: string, port: number, issuer: string): string {
  const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'mime', 'include'];
  const loaded = [...modules, 'auth_openidc'].map(
    (name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`,
  );
  return `
${loaded.join('\n')}
User nobody
Group nogroup
Listen 127.0.0.1:${port}
ServerName localhost:${port}
ServerRoot ${folder}
PidFile ${folder}/pid
Mutex file:${folder} default
ErrorLog ${folder}/error.log
DocumentRoot ${folder}/www
TypesConfig /etc/mime.types
DirectoryIndex index.html
AddOutputFilter INCLUDES .html

OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID archive
OIDCClientSecret ${SECRET}
OIDCRedirectURI http://localhost:${port}/oidc/callback
OIDCCryptoPassphrase a-passphrase-of-the-test
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCRemoteUserClaim preferred_username

<Directory ${folder}/www>
    Options +Includes
</Directory>
<Location />
    AuthType openid-connect
    Require valid-user
</Location>
<Location /bye.html>
    AuthType None
    Require all granted
</Location>
`;
}

/** Returns the lines of the provider's configuration for the application. */
export const apacheClient = (port: number, digest: string): string => `
[[oidc.clients]]
id = "archive"
name = "Couch Archive"
secret_sha256 = "${digest}"
redirect_uris = ["http://localhost:${port}/oidc/callback"]
post_logout_redirect_uris = ["http://localhost:${port}/bye.html"]
backchannel_logout_uri = "http://localhost:${port}/oidc/callback?logout=backchannel"
`;
