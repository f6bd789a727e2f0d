import { readQuery } from './query';

/** Returns the query parameter `app` (the part of the site from which the user came to sign in), or an empty string. */
export function appParameterOf(search: string): string {
  return readQuery(search).get('app') ?? '';
}

/** Adds `?app=` to a path, unless it is present, so that navigation between screens keeps the parameter. */
export function withAppParameter(path: string, app: string): string {
  if (app === '' || appParameterOf(path.slice(path.indexOf('?') + 1)) !== '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}app=${encodeURIComponent(app)}`;
}
