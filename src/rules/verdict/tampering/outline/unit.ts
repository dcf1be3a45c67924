/** A stretch of a test file that holds assertions under a name. */
export interface Unit {
  readonly kind: 'case' | 'group' | 'helper' | 'file';
  readonly name: string;
  /** Names of the groups around it, outermost first, and its own. */
  readonly fullName: string;
  /** Where its annotations start, or its head. */
  readonly start: number;
  readonly head: number;
  /** Exclusive. */
  readonly end: number;
  /** Its name is computed: it stands for many. */
  readonly dynamic: boolean;
  readonly parent: Unit | null;
}
