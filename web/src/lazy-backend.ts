import type { BackendModule, ReadCallback, Services } from 'i18next';
import type HttpBackend from 'i18next-http-backend';

/**
 * Brings i18next-http-backend in with the first words that somebody asks for. The first page has
 * its words in the HTML, and most visitors never change the language.
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
      // `true` asks i18next for another try: the loader itself may have been cut off.
      (reason: Error) => callback(reason, true),
    );
  }
}
