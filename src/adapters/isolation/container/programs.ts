import { basename, isAbsolute } from 'node:path';
import type { InsideCommand, IsolationInput } from '../port.ts';
import { isThere, type ViewEntry } from '../view/entry.ts';
import type { Engine, Environment } from './engine.ts';
import type { Skeleton } from './mounts.ts';
import { hostSight, imageSight, type Sight } from './sight.ts';
import { provideSkeleton } from './skeleton.ts';

/** Where the programs inside come from. */
export interface Programs {
  /** This machine; else an image. */
  readonly ofHost: boolean;
  /** Node, as it is found inside. */
  readonly node: string;
  readonly sight: Sight;
  /** Name of the image, which has to hold the skeleton where there is nothing else in it. */
  imageFor(skeleton: Skeleton): Promise<string>;
  /** The command as it can be started there. */
  commandFor(command: InsideCommand, view: readonly ViewEntry[]): InsideCommand;
}

/** Looks at the machine, once for a run. @throws UnavailableError where no view can be made */
export async function openPrograms(engine: Engine, input: IsolationInput, client: Environment): Promise<Programs> {
  const { image } = input.container;
  return image === null ? programsOfHost(engine, input, client) : programsOfImage(image, input);
}

async function programsOfHost(engine: Engine, input: IsolationInput, client: Environment): Promise<Programs> {
  // Commands of a run hardly differ in it, and asking the engine takes as long as starting something.
  const known = new Map<string, Promise<string>>();
  return {
    ofHost: true,
    node: process.execPath,
    sight: await hostSight(input),
    imageFor: (skeleton) => {
      const key = JSON.stringify([skeleton.folders, skeleton.temporary, [...skeleton.links]]);
      const image = known.get(key) ?? provideSkeleton(engine, skeleton, client);
      known.set(key, image);
      return image;
    },
    commandFor: (command) => command,
  };
}

/** PATH is the image's to say; a program of this machine is looked for there by its name. */
async function programsOfImage(image: string, input: IsolationInput): Promise<Programs> {
  return {
    ofHost: false,
    node: 'node',
    sight: await imageSight(input),
    imageFor: async () => image,
    commandFor: (command, view) => {
      const { PATH: _, ...env } = command.env;
      const { file } = command;
      return { ...command, env, file: isAbsolute(file) && !isThere(view, file) ? basename(file) : file };
    },
  };
}
