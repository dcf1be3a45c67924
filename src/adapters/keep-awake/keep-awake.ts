import { release } from 'node:os';
import { startCompanion } from '../../platform/index.ts';

const PATIENCE_MS = 3_000;

const HERE = {
  system: process.platform as string,
  /** `uname -r`; WSL says `microsoft` in it. */
  kernel: release(),
  path: process.env['PATH'] ?? '',
};

/** Programs that keep the machine awake for as long as the command after their arguments runs, by `process.platform`. */
const HOLDERS: Readonly<Record<string, { readonly file: string; readonly args: readonly string[] }>> = {
  darwin: { file: 'caffeinate', args: ['-i'] },
  linux: {
    file: 'systemd-inhibit',
    // `idle` alone does not stop desktops that count idle time themselves and then request sleep.
    args: ['--what=idle:sleep', '--who=ralph', '--why=a run is under way', '--mode=block'],
  },
};

/**
 * Keeps the machine from going to sleep by itself, until `release` or the death of this process, kill -9 included.
 * Closing the lid still puts it to sleep. Never rejects; `release` is safe to call twice.
 */
export async function keepAwake({ system, kernel, path } = HERE, patienceMs = PATIENCE_MS) {
  const asleep = (why: string, where = '') =>
    ({ awake: false, why, fix: `switch sleep off in the system settings${where}` }) as const;
  // Under WSL, Windows goes to sleep, and a Linux program would only seem to prevent it.
  const holder = /microsoft/i.test(kernel) ? undefined : HOLDERS[system];
  if (holder === undefined) return asleep('no known program does this here', ' (under WSL: of Windows)');
  const companion = await startCompanion({ ...holder, path, patienceMs });
  if ('release' in companion) return { awake: true, how: holder.file, release: companion.release } as const;
  return asleep(`${holder.file}: ${companion.complaint}`);
}
