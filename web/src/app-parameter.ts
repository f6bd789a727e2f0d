/** The part of the site that asked for a sign-in (`?app=`, specification section 2); empty where none did. */
export function appParameterOf(search: string): string {
  return new URLSearchParams(search).get('app') ?? '';
}

/** The same path with `?app=`, so that a detour does not lose which part of the site asked. */
export function withAppParameter(path: string, app: string): string {
  if (app === '' || appParameterOf(path.slice(path.indexOf('?') + 1)) !== '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams({ app })}`;
}
