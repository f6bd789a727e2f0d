import { readQuery } from './query';

/** Returns the parameter `app`, the part of the site that requested the sign-in, or an empty string. */
export function appParameterOf(search: string): string {
  return readQuery(search).get('app') ?? '';
}

/** Adds `?app=` to a path, so that the parameter survives navigation between screens. */
export function withAppParameter(path: string, app: string): string {
  if (app === '' || appParameterOf(path.slice(path.indexOf('?') + 1)) !== '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}app=${encodeURIComponent(app)}`;
}
