/** The package has no types of its own; this is what we use of it. */
declare module 'fs-native-extensions' {
  /** Locks a whole file, exclusively and at once; false when another open file has it. Throws the system's error. */
  export function tryLock(fd: number): boolean;
}
