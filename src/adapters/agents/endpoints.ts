type Env = Readonly<Record<string, string | undefined>>;

/**
 * The host patterns, as `Policy.hosts` takes them, of the addresses that variables hold: `api.example.com`, with the
 * port where it is not the ordinary one. Variables that are not set, or hold no address, give none.
 */
export function endpoints(env: Env, ...names: readonly string[]): readonly string[] {
  return names.flatMap((name) => hostOf(env[name] ?? ''));
}

/** Is this variable set to what programs take for a yes? */
export function isSwitchedOn(env: Env, name: string): boolean {
  const value = (env[name] ?? '').toLowerCase();
  return value !== '' && value !== '0' && value !== 'false';
}

function hostOf(value: string): readonly string[] {
  const address = value.includes('://') ? value : `https://${value}`;
  if (value === '' || !URL.canParse(address)) return [];
  const { host } = new URL(address);
  return host === '' ? [] : [host];
}
