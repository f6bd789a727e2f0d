import 'i18next';
import type { Words } from './languages';

// Every key on a screen is checked against the English words.
declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Words };
    returnNull: false;
  }
}
