import { release } from 'node:os';
import { startCompanion } from '../../platform/index.ts';

const PATIENCE_MS = 3_000;

/** Keeps the machine awake until `release` or the death of this process, kill -9 included. Never rejects. */
export async function keepAwake(machine: Machine = thisMachine(), patienceMs = PATIENCE_MS): Promise<Awake | MaySleep> {
  const holder = holderFor(machine);
  if (holder === null) {
    return {
      awake: false,
      why: 'no program is known that does it here',
      mend: 'switch sleep off in the settings of the system (under WSL: of Windows)',
    };
  }
  const companion = await startCompanion({ ...holder, path: machine.path, patienceMs });
  if ('release' in companion) return { awake: true, how: holder.file, release: companion.release };
  return {
    awake: false,
    why: `${holder.file}: ${companion.complaint}`,
    mend: 'switch sleep off in the settings of the system',
  };
}

function thisMachine(): Machine {
  return { system: process.platform, kernel: release(), path: process.env['PATH'] ?? '' };
}

/** Keeps the machine from going to sleep by itself during a run. Closing the lid still puts it to sleep. */
interface Awake {
  readonly awake: true;
  readonly how: string;
  /** Lets the machine sleep again. Never rejects; safe to call twice. */
  release(): Promise<void>;
}

interface MaySleep {
  readonly awake: false;
  /** One clause, for a notice. */
  readonly why: string;
  readonly mend: string;
}

interface Machine {
  readonly system: string;
  /** `uname -r`; WSL says `microsoft` in it. */
  readonly kernel: string;
  readonly path: string;
}

/** A program that keeps the machine awake for as long as the command after its arguments runs. */
interface Holder {
  readonly file: string;
  readonly args: readonly string[];
}

const HOLDERS: Readonly<Record<string, Holder>> = {
  darwin: { file: 'caffeinate', args: ['-i'] },
  linux: {
    file: 'systemd-inhibit',
    // `idle` alone does not stop desktops that count idle time themselves and then request sleep.
    args: ['--what=idle:sleep', '--who=ralph', '--why=a run is under way', '--mode=block'],
  },
};

/** null where none is known. Under WSL, Windows goes to sleep, and a Linux program would only seem to prevent it. */
function holderFor({ system, kernel }: Machine): Holder | null {
  return /microsoft/i.test(kernel) ? null : (HOLDERS[system] ?? null);
}
