import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';

/** What figures depend on besides the code. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** Gigabytes. */
  readonly memory: number;
  readonly kernel: string;
  readonly node: string;
  readonly git: string;
  /** Load of the last minute when the benchmarks began: well above 0, and milliseconds say little. */
  readonly load: number;
}

/** The machine as it is now. */
export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memory: Math.round(totalmem() / 1e9),
    // The rest of the name is whose build it is.
    kernel: release().split('-', 1)[0] ?? '',
    node: process.version,
    git: execFileSync('git', ['--version'], { encoding: 'utf8' }).trim().replace('git version ', ''),
    load: Number((loadavg()[0] ?? 0).toFixed(2)),
  };
}

/** The machine in one line. */
export function describe({ cpu, cores, memory, kernel, node, git, load }: Machine): string {
  return `${cores} × ${cpu}, ${memory} GB, Linux ${kernel}, Node ${node}, git ${git}, load ${load} at the start`;
}
