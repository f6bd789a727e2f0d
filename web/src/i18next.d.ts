import 'i18next';
import type { Words } from './languages';

// Types the translation keys by the English catalogue.
declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Words };
    returnNull: false;
  }
}
