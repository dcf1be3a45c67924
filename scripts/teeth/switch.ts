/** A protection of the product, and how to turn it off in a build that is thrown away. */
export interface Switch {
  /** The protection, completing "without …": `the sandbox's own network`. */
  readonly name: string;
  /** Changes of the sources; each `from` stands exactly once in its file. */
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** Rows of `ralph selftest` that must fail without it. */
  readonly selftest?: readonly string[];
  /** Its attempts get in each other's way: each in a sandbox and a project of its own. */
  readonly oneByOne?: true;
  /** Attempts of `ralph sandbox status --deep` (bwrap) that must get out without it. */
  readonly battery?: readonly string[];
}
