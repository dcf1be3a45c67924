import { basename, isAbsolute } from 'node:path';
import type { Env, InsideCommand, IsolationInput } from '../port.ts';
import { isThere, type ViewEntry } from '../view/entry.ts';
import type { Engine } from './engine.ts';
import type { Skeleton } from './mounts.ts';
import { hostSight, imageSight, type Sight } from './sight.ts';
import { provideSkeleton } from './skeleton.ts';

/** Where the programs inside come from. */
interface Programs {
  /** This machine; otherwise an image. */
  readonly ofHost: boolean;
  readonly node: string;
  readonly sight: Sight;
  /** Name of the image, which has to contain the skeleton if it contains nothing else. */
  imageFor(skeleton: Skeleton): Promise<string>;
  /** The command in a form that can start there. */
  commandFor(command: InsideCommand, view: readonly ViewEntry[]): InsideCommand;
}

/** Inspects the machine once for a run. @throws UnavailableError where no view can be made */
export async function openPrograms(engine: Engine, input: IsolationInput, client: Env): Promise<Programs> {
  const { image } = input.container;
  return image === null ? programsOfHost(engine, input, client) : programsOfImage(image, input);
}

async function programsOfHost(engine: Engine, input: IsolationInput, client: Env): Promise<Programs> {
  // Commands of a run rarely differ here, and asking the engine takes as long as starting a container.
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

/** The image sets PATH; a program of this machine is looked up there by name. */
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
