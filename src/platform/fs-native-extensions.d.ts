/** The package ships no types; these are the parts used here. */
declare module 'fs-native-extensions' {
  /**
   * Locks a whole file exclusively, without waiting; false when another open file has it. Throws the system's error.
   */
  export function tryLock(fd: number): boolean;
}
