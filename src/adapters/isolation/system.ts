import { exists, readText } from '../../platform/files/files.ts';

/** What decides how something is installed or mended here. */
export interface System {
  readonly platform: NodeJS.Platform;
  /** `ID` and `ID_LIKE` of /etc/os-release, nearest first: `ubuntu`, `debian`. */
  readonly distributions: readonly string[];
  readonly root: boolean;
  /** Which Windows Subsystem for Linux this is; null: none. */
  readonly wsl: 1 | 2 | null;
  /** What says that this is a container already; null: nothing does. */
  readonly container: string | null;
}

/** Left behind by container engines; some machines that are none have them too, so that they explain and never decide. */
const CONTAINER_MARKS = ['/.dockerenv', '/run/.containerenv', '/run/systemd/container'];

/** Reads what kind of system this is. Starts no process. */
export async function thisSystem(env: Readonly<Record<string, string | undefined>>): Promise<System> {
  const [release, kernel, ...marks] = await Promise.all([
    readText('/etc/os-release'),
    readText('/proc/version'),
    ...CONTAINER_MARKS.map((mark) => exists(mark)),
  ]);
  const mark = CONTAINER_MARKS.find((_, i) => marks[i]) ?? null;
  return {
    platform: process.platform,
    distributions: distributionsIn(release ?? ''),
    root: process.getuid?.() === 0,
    wsl: wslIn(kernel ?? ''),
    container: mark ?? (env['KUBERNETES_SERVICE_HOST'] ? 'KUBERNETES_SERVICE_HOST is set' : null),
  };
}

/** `ID`, then `ID_LIKE` of an os-release file. Pure. */
export function distributionsIn(release: string): readonly string[] {
  const value = (name: string) => new RegExp(`^${name}=["']?([^"'\n]*)`, 'm').exec(release)?.[1] ?? '';
  return `${value('ID')} ${value('ID_LIKE')}`.split(/\s+/).filter((id) => id !== '');
}

/** Version 1 has a kernel of its own without namespaces; it says `Microsoft`, version 2 `microsoft-standard-WSL2`. */
function wslIn(kernel: string): System['wsl'] {
  if (/WSL2|microsoft-standard/.test(kernel)) return 2;
  return /Microsoft/.test(kernel) ? 1 : null;
}
