/** Stands in for what `platform/` knows of processes: programs are functions that the world brings along. */
import { machine } from './machine.ts';

export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

export interface Programs {
  /** A check. */
  check(command: string): { readonly exitCode: number; readonly output: string };
  /** An agent's process; resolves with its exit. `stopped` resolves when it is told to end. */
  agent(input: { readonly say: (line: string) => void; readonly stopped: Promise<void> }): Promise<Exit>;
}

let programs: Programs | null = null;

export function installPrograms(next: Programs): void {
  programs = next;
}

function installed(): Programs {
  if (programs === null) throw new Error('the simulated machine has no programs');
  return programs;
}

/** For `platform/process/run.ts`: the only commands are checks, run by `sh -c`. */
export async function runCommand(
  _file: string,
  args: readonly string[],
  options: { readonly onOutput?: (chunk: Buffer) => void },
) {
  machine().step('point check', args.at(-1) ?? '');
  const { exitCode, output } = installed().check(args.at(-1) ?? '');
  options.onOutput?.(Buffer.from(output));
  return {
    exitCode,
    signal: null,
    stdout: Buffer.from(output),
    stderr: Buffer.alloc(0),
    timedOut: false,
  };
}

let pid = 1000;

/** For `platform/process/run.ts`. */
export async function supervise(input: {
  readonly onStdout: (chunk: Buffer) => void;
  readonly onStderr: (chunk: Buffer) => void;
}) {
  machine().step('point spawn');
  let stop = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const say = (line: string) => {
    if (!machine().gone) input.onStdout(Buffer.from(`${line}\n`));
  };
  pid = (pid % 30_000) + 1;
  return {
    pid,
    exited: installed().agent({ say, stopped }),
    stop: async () => stop(),
  };
}

export const startCompanion = async () => ({ complaint: 'the simulation starts no processes' });
/** For `platform/process/processes.ts`. */
export const killFamily = async () => 0;
export const membersOf = () => [];
export const readProcessTable = async () => [];
export const descendsFrom = () => false;
export const keepGoing = () => () => {};
export const whileStopped = <T>(_: unknown, work: () => Promise<T>): Promise<T> => work();
/** For `platform/process/self.ts`: every crash point is a step of the machine. */
export const crashpoint = (name: string) => machine().step('point', name);
export const ownOutputFiles = () => [];
export const isAt = () => false;
export const keepHeapSmall = () => {};
export const processId = () => 4242;
export const processExists = (other: number) => other === 4242;
export const hostName = () => 'simulated';
