import { release } from 'node:os';
import { startCompanion } from '../../platform/process/companion.ts';
import { holderFor, type Machine } from './holders.ts';
import type { Awake, MaySleep } from './port.ts';

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
