import { isAbsolute, relative } from 'node:path';

/** What describes this machine and the person's session on it; the virtual machine has its own. */
const HOST_ONLY: ReadonlySet<string> = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'PWD', 'OLDPWD', 'HOSTNAME', 'TMPDIR'],
  // Its own proxy is the only way out of it.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'FTP_PROXY'],
  // Nobody is at this address in there.
  ...['RALPH_CONTROL_URL', 'RALPH_CONTROL_TOKEN'],
]);

const CREDENTIAL = /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|CUSTOM_HEADERS)$/i;
const CREDENTIAL_IN_ADDRESS = /:\/\/[^\s/@]*:[^\s/@]*@/;

/**
 * The variables that go into the virtual machine, on a command line that every user of this machine can read. So no
 * credential is among them: sbx's own proxy puts those into the requests (`sbx secret set`). A path of this machine
 * outside the work tree means nothing there.
 */
export function passedInside(env: Readonly<Record<string, string>>, root: string): Readonly<Record<string, string>> {
  const passed = Object.entries(env).filter(([name, value]) => {
    // Numbered and counted: git refuses to start when one is missing.
    if (name.startsWith('GIT_CONFIG_')) return true;
    if (HOST_ONLY.has(name.toUpperCase()) || CREDENTIAL.test(name) || CREDENTIAL_IN_ADDRESS.test(value)) return false;
    return !isAbsolute(value) || isWithin(root, value);
  });
  return { ...Object.fromEntries(passed), IS_SANDBOX: '1' };
}

/** Is this path the folder or below it? */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || !(way.startsWith('..') || isAbsolute(way));
}
