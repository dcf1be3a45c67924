import { startChild } from '../../platform/process/start-child.ts';

/** What opens an address in the browser, by platform. */
const OPENERS: Readonly<Record<string, readonly [file: string, ...args: string[]]>> = {
  darwin: ['open'],
  // `start` takes its first quoted argument for a title; this needs no shell.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** @returns why it could not be opened; null when the browser was told */
export async function openInBrowser(address: string, env: Readonly<Record<string, string | undefined>>) {
  const [file, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  try {
    const child = await startChild(file, [...args, address], { cwd: '/', env, stdio: 'ignore', detached: true });
    child.unref();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
