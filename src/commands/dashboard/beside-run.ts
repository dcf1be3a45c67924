import { letGo, type PipedChild, startPiped } from '../../platform/process/piped-child.ts';

/** A dashboard that lives as long as a run. */
export interface BesideRun {
  /** Its address, with the token. */
  readonly address: string;
  readonly close: () => void;
}

const PATIENCE_MS = 15_000;

/**
 * Starts `ralph dashboard` as a process of its own, which ends with this one, kill -9 included: its standard input does.
 * @param port null: that of the configuration
 * @returns why there is none, as a complaint: a run goes on without
 */
export async function startBesideRun(
  root: string,
  port: number | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<BesideRun | { readonly complaint: string }> {
  const program = process.argv[1] ?? '';
  const args = [program, 'dashboard', '--beside', '--project-dir', root];
  if (port !== null) args.push('--port', String(port));
  try {
    const child = await startPiped(process.execPath, args, { cwd: root, env });
    return await addressOf(child);
  } catch (error) {
    return { complaint: error instanceof Error ? error.message : String(error) };
  }
}

/** Its first line; then nothing of it keeps this process alive. */
function addressOf(child: PipedChild): Promise<BesideRun | { readonly complaint: string }> {
  let said = '';
  let complaint = '';
  return new Promise((resolve) => {
    const done = (result: BesideRun | { readonly complaint: string }) => {
      clearTimeout(timer);
      letGo(child);
      resolve(result);
    };
    const close = () => child.stdin.destroy();
    const timer = setTimeout(() => {
      close();
      done({ complaint: 'it does not start' });
    }, PATIENCE_MS);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, 1_000);
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (said.includes('\n')) return;
      said += text;
      const [address, rest] = said.split('\n', 2);
      if (address !== undefined && rest !== undefined) done({ address, close });
    });
    child.once('close', () =>
      done({ complaint: complaint.replace(/^Error: /, '').split('\n')[0] || 'it ended at once' }),
    );
  });
}
