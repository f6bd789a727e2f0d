import type { Plugin } from 'vite';

/** The module with the function that Vite calls for each dynamic import. */
const HELPER = '\0vite/preload-helper.js';

/**
 * Replaces Vite's preload helper by a smaller one. Vite's helper also loads style sheets and adds a nonce, but all
 * screens share one style sheet, and the content security policy allows the scripts of the site without a nonce.
 */
export function smallPreload(): Plugin {
  let base = '';
  return {
    name: 'account:preload',
    apply: 'build',
    enforce: 'pre',
    configResolved(config) {
      base = config.base;
    },
    load: (id) => (id === HELPER ? helper(base) : undefined),
    generateBundle() {
      if (!this.getModuleInfo(HELPER)) this.error(`Vite has no module ${HELPER}`);
    },
  };
}

/** The preload links start the imports of a script together with the script. A second link to a file does nothing. */
function helper(base: string): string {
  return `export function __vitePreload(load, files = []) {
    for (const file of files) {
      const link = document.createElement('link');
      link.rel = 'modulepreload';
      link.href = ${JSON.stringify(base)} + file;
      document.head.append(link);
    }
    return load();
  }`;
}
