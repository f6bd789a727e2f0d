import type { BackendModule, ReadCallback, Services } from 'i18next';
import type HttpBackend from 'i18next-http-backend';

/**
 * Imports i18next-http-backend when translations are loaded for the first time. The page embeds its translations, and
 * most visitors never change the language.
 */
export class LazyBackend implements BackendModule {
  readonly type = 'backend';
  readonly callbackApi = true;
  private open: (() => Promise<HttpBackend>) | null = null;

  init(services: Services, options: object): void {
    this.open = async () => {
      const { default: Backend } = await import('i18next-http-backend');
      return new Backend(services, options);
    };
  }

  read(language: string, namespace: string, callback: ReadCallback): void {
    this.open?.().then(
      (backend) => backend.read(language, namespace, callback),
      // `true` makes i18next retry, because the import itself may have failed temporarily.
      (reason: Error) => callback(reason, true),
    );
  }
}
