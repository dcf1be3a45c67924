/** The machine is kept from going to sleep by itself while a run goes on. A closed lid still wins. */
export interface Awake {
  readonly awake: true;
  /** The program that does it. */
  readonly how: string;
  /** Lets the machine sleep again. Never rejects; safe to call twice. */
  release(): Promise<void>;
}

/** It cannot be done here. */
export interface MaySleep {
  readonly awake: false;
  /** One clause, for a notice. */
  readonly why: string;
  /** What a person can do about it. */
  readonly mend: string;
}
