import type { ReactElement } from 'react';

/**
 * Content that a component renders beside other content. It contains no text, because a text that has siblings needs an
 * element of its own (`text-siblings.test.ts`).
 */
export type Elements = ReactElement | '' | false | null | undefined | readonly Elements[];
