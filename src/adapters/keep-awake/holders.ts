/** What is asked of the operating system. */
export interface Machine {
  /** `process.platform`. */
  readonly system: string;
  /** `uname -r`; WSL says `microsoft` in it. */
  readonly kernel: string;
  /** Where programs are looked for. */
  readonly path: string;
}

/** A program that keeps the machine awake for as long as the command behind its arguments runs. */
export interface Holder {
  readonly file: string;
  readonly args: readonly string[];
}

const HOLDERS: Readonly<Record<string, Holder>> = {
  darwin: { file: 'caffeinate', args: ['-i'] },
  linux: {
    file: 'systemd-inhibit',
    // `idle` alone does not stop desktops that count idle time themselves and then ask for sleep.
    args: ['--what=idle:sleep', '--who=ralph', '--why=a run is under way', '--mode=block'],
  },
};

/** null where none is known. Under WSL it is Windows that sleeps, and a Linux program would only seem to prevent it. */
export function holderFor({ system, kernel }: Machine): Holder | null {
  return /microsoft/i.test(kernel) ? null : (HOLDERS[system] ?? null);
}
