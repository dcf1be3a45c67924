/** Stands in for `platform/files/folder.ts`: nothing swaps folders on the simulated machine while they are removed. */
import { rm } from './fs-promises.ts';

export const removeTree = async (path: string): Promise<boolean> => {
  await rm(path, { recursive: true, force: true });
  return true;
};
export const readBelow = async (): Promise<null> => null;
export const writeBelow = async (): Promise<void> => {};
export const unlockFolder = (): void => {};
