import { existsSync } from 'node:fs';

/** A program could not be started: it is not there, not executable, or the system refused. */
export class SpawnFailed extends Error {
  /** `ENOENT`, `EACCES`, `E2BIG`, … */
  readonly code: string;
  readonly file: string;
  constructor(file: string, cwd: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException | null)?.code ?? 'UNKNOWN';
    // The system says ENOENT for a missing working folder too, which sends people looking for the wrong thing.
    super(
      existsSync(cwd) ? `cannot start ${file} (${code})` : `cannot start ${file}: the folder ${cwd} does not exist`,
      { cause },
    );
    this.name = 'SpawnFailed';
    this.code = code;
    this.file = file;
  }
}
